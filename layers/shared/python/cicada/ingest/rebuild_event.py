"""A rebuild by test events of the Lambda console, which `cicada rebuild` sends too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cicada.errors import InvalidFrameError
from cicada.ingest.model import RebuildProgress
from cicada.ingest.rebuild import Rebuilder

# Time reserved for a round of copies and the end of a slice.
MARGIN_SECONDS = 120.0


def rebuild_at_once(event: Mapping[str, Any], rebuilder: Rebuilder, remaining_seconds: float) -> dict[str, Any]:
    """A slice of a rebuild: `{"rebuild": "start"}`, then `"continue"` with the `run` until `state` is `switched`.

    `"abandon"` drops the new index. `seconds`: how long a slice may take, by default as long as the function may.
    Returns `run`, `state` (`RebuildState`), and how many `documents` there are and are `copied`.
    """
    wanted, run = event["rebuild"], str(event.get("run", ""))
    longest = max(0.0, remaining_seconds - MARGIN_SECONDS)
    until = rebuilder.clock() + min(longest, _seconds(event, longest))
    if wanted in ("start", True):
        return _fields(rebuilder.start(until))
    if wanted == "continue" and run:
        return _fields(rebuilder.go_on(run, until))
    if wanted == "abandon" and run:
        return _fields(rebuilder.abandon(run))
    raise InvalidFrameError(
        'A test event is {"rebuild": "start"}, or {"rebuild": "continue", "run": "…"} with its run.'
    )


def _seconds(event: Mapping[str, Any], default: float) -> float:
    seconds = event.get("seconds", default)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise InvalidFrameError("The seconds of a slice are a number that is not negative.")
    return float(seconds)


def _fields(progress: RebuildProgress) -> dict[str, Any]:
    return {
        "run": progress.run,
        "state": progress.state.value,
        "copied": progress.copied,
        "documents": progress.documents,
    }
