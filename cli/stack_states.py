"""What the state of a stack says about using it.

The states: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

from __future__ import annotations

# Whatever else a failed update says, the version before it answers.
_USABLE = frozenset(
    {
        "CREATE_COMPLETE",
        "IMPORT_COMPLETE",
        "IMPORT_IN_PROGRESS",
        "IMPORT_ROLLBACK_COMPLETE",
        "IMPORT_ROLLBACK_FAILED",
        "IMPORT_ROLLBACK_IN_PROGRESS",
        "UPDATE_COMPLETE",
        "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_FAILED",
        "UPDATE_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE",
        "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_ROLLBACK_FAILED",
        "UPDATE_ROLLBACK_IN_PROGRESS",
    }
)
_EVENTS = "`aws cloudformation describe-stack-events --stack-name {stack}` says what failed"
_UNUSABLE = {
    "CREATE_IN_PROGRESS": "is being created: wait until it is complete.",
    "REVIEW_IN_PROGRESS": "was never deployed, only prepared: deploy it.",
    "CREATE_FAILED": f"could not be created: {_EVENTS}; delete it with `cdk destroy`, then deploy it again.",
    "ROLLBACK_COMPLETE": f"could not be created and was rolled back: {_EVENTS}; delete it with `cdk destroy`, then"
    " deploy it again.",
    "ROLLBACK_IN_PROGRESS": "could not be created and is being rolled back: wait, delete it with `cdk destroy`, then"
    " deploy it again.",
    "ROLLBACK_FAILED": f"could not be created and not be rolled back either: {_EVENTS}; delete it with `cdk destroy`.",
    "DELETE_IN_PROGRESS": "is being deleted: deploy it again when it is gone.",
    "DELETE_FAILED": f"is deleted in part: {_EVENTS}; delete it again with `cdk destroy`.",
    "DELETE_COMPLETE": "is deleted: deploy it again.",
}
_REMARKS = {
    "UPDATE_IN_PROGRESS": "is being updated.",
    "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS": "is updated; what it no longer needs is being removed.",
    "UPDATE_FAILED": f"is updated in part: {_EVENTS}; deploy it again.",
    "UPDATE_ROLLBACK_IN_PROGRESS": "could not be updated and goes back to the version before.",
    "UPDATE_ROLLBACK_COMPLETE": f"could not be updated; the version before answers. {_EVENTS}.",
    "UPDATE_ROLLBACK_FAILED": f"could not be updated and not go back either: {_EVENTS}; then"
    " `aws cloudformation continue-update-rollback --stack-name {stack}`.",
}


def why_unusable(stack: str, state: str) -> str | None:
    """A sentence for a stack whose commands cannot work; None for one that can be used."""
    if state in _USABLE:
        return None
    sentence = _UNUSABLE.get(state, f"is in the state {state}: deploy it again.")
    return f"The stack {stack} {sentence.format(stack=stack)}"


def remark(stack: str, state: str) -> str | None:
    """A sentence for a stack that can be used although its last deployment is not complete; None for any other."""
    sentence = _REMARKS.get(state)
    return f"The stack {stack} {sentence.format(stack=stack)}" if sentence else None
