"""What the command reads from the environment, and where the files of the checkout are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# A shell sets this variable to ask what completes the line that is being typed.
COMPLETION_VARIABLE = "_CICADA_COMPLETE"
CHECKOUT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Settings:
    """`url` and `token` are None where the local stage is to be used. `plain` forbids escape sequences.

    `region`: of stacks on AWS; None where the files of the AWS command line say it. `stack`: the one on AWS that the
    commands work on where no other is named. `user` and `password` sign in; `sign_ins` is the file that keeps refresh
    tokens. `completion`: what a shell asks.
    """

    url: str | None
    token: str | None
    colour: bool
    plain: bool
    stage_file: Path
    events: Path
    region: str | None = None
    stack: str | None = None
    user: str | None = None
    password: str | None = None
    sign_ins: Path = Path("sign-ins.json")
    completion: str | None = None


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """What the environment says to the command.

    It is read from CICADA_URL, CICADA_TOKEN, CICADA_STACK, CICADA_STAGE_FILE, CICADA_STAGE_DIR, CICADA_USER,
    CICADA_PASSWORD, AWS_REGION, XDG_STATE_HOME, NO_COLOR (no-color.org) and TERM.
    """
    found = os.environ if environment is None else environment
    plain = found.get("TERM") == "dumb"
    return Settings(
        url=found.get("CICADA_URL") or None,
        token=found.get("CICADA_TOKEN") or None,
        colour=not found.get("NO_COLOR") and not plain,
        plain=plain,
        stage_file=Path(found.get("CICADA_STAGE_FILE") or _stage_folder(found) / "stage.json"),
        events=CHECKOUT / "events",
        # The AWS command line reads both variables; boto3 alone would ignore AWS_REGION.
        region=found.get("AWS_REGION") or found.get("AWS_DEFAULT_REGION") or None,
        stack=found.get("CICADA_STACK") or None,
        user=found.get("CICADA_USER") or None,
        password=found.get("CICADA_PASSWORD") or None,
        sign_ins=_state_folder(found) / "cicada" / "sign-ins.json",
        completion=found.get(COMPLETION_VARIABLE) or None,
    )


def _stage_folder(environment: Mapping[str, str]) -> Path:
    """The folder where `make run` with the same environment keeps its stage."""
    return Path(environment.get("CICADA_STAGE_DIR") or CHECKOUT / ".stage")


def _state_folder(environment: Mapping[str, str]) -> Path:
    """https://specifications.freedesktop.org/basedir-spec/latest/"""
    return Path(environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
