"""What becomes of data when the stack is deleted, or fails to be created.

Retained resources have no names of their own: a later deployment makes new ones beside them
(docs/operations/backup-and-restore.md).
"""

from __future__ import annotations

from aws_cdk import RemovalPolicy

from infra.settings import StageSettings


def when_unprotected(settings: StageSettings) -> RemovalPolicy:
    """Data is kept on `prod`. A first deployment that fails takes what it has made away with it."""
    return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if settings.retain_data else RemovalPolicy.DESTROY


def when_protected(settings: StageSettings) -> RemovalPolicy:
    """The same as `when_unprotected` for what `protect_data` protects from deletion: it is always kept.

    CloudFormation cannot delete it either, and would end a failed first deployment in ROLLBACK_FAILED.
    """
    return RemovalPolicy.RETAIN if settings.protect_data else when_unprotected(settings)
