"""What a check of a stack or an account has found, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from cli.errors import CommandError
from cli.screen import open_screen
from cli.text import counted, to_json

State = Literal["ok", "note", "problem", "unknown"]
# What services answer to an operation that they do not have; the emulator of the local stage does so.
_NOT_THERE = frozenset({"InvalidAction", "NotImplemented", "UnknownOperation", "UnknownOperationException"})
# The bare status of a reply that is none of the service's.
_NO_REPLY = frozenset({"400", "404", "501"})


@dataclass(frozen=True, slots=True)
class Finding:
    """`text` is a sentence; that of a problem says what to do. A note needs nothing, `unknown` could not be found."""

    subject: str
    state: State
    text: str


def checked(subject: str, check: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What the check finds; `unknown` with the reason if AWS refuses or does not answer.

    Raises `CommandError` for a login that AWS does not know, or no longer: every other check would fail too.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    from cli.aws_failures import code_of, failed_sign_in, failure_of

    try:
        return list(check())
    except (BotoCoreError, ClientError) as error:
        failure = failure_of(error) or CommandError(str(error))
        failure.__cause__ = error
        if failed_sign_in(failure):
            raise failure from error
        if code_of(error) in _NOT_THERE | _NO_REPLY:
            return [Finding(subject, "unknown", "This service is not there to be asked, as on the local stage.")]
        return [Finding(subject, "unknown", str(failure))]
    except CommandError as failure:
        if failed_sign_in(failure):
            raise
        return [Finding(subject, "problem", str(failure))]


def show(findings: Sequence[Finding], *, as_json: bool) -> int:
    """Print them. Returns 1 if one is a problem, else 0."""
    problems = [each for each in findings if each.state == "problem"]
    if as_json:
        rows = [{"subject": each.subject, "state": each.state, "text": each.text} for each in findings]
        print(to_json({"ok": not problems, "findings": rows}))
        return 1 if problems else 0
    shown = [(each.state, each.subject, each.text) for each in findings]
    open_screen().table(shown, wrapped=True, first=max(map(len, get_args(State))))
    unknown = sum(each.state == "unknown" for each in findings)
    print(f"{counted(len(problems), 'problem')}{f', {unknown} not found out' if unknown else ''}.")
    return 1 if problems else 0
