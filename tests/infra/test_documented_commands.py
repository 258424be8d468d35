"""The commands of the AWS command line that the docs name exist, and have the options that are given to them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore import xform_name

PAGES = sorted(Path(__file__).resolve().parents[2].joinpath("docs").rglob("*.md"))
# Up to the end of the command: a pipe, another command, the end of the code or of the line.
_COMMAND = re.compile(r"\baws ([a-z0-9-]+)\s([a-z0-9-]+)([^`\n|;]*)")
_OPTION = re.compile(r"(?<=\s)--([a-z-]+)")
# Of the command line itself: https://docs.aws.amazon.com/cli/latest/reference/
_GLOBAL = {"endpoint-url", "output", "profile", "query", "region"}


@cache
def _service(name: str) -> Any:
    """The model of the service; None for what is none, as `s3` and `sso login` of the command line itself."""
    session = botocore.session.get_session()
    if name in ("s3", "sso") or name not in (*session.get_available_services(), "s3api"):
        return None
    return session.get_service_model("s3" if name == "s3api" else name)


def faults(text: str) -> list[str]:
    """Each unknown operation, and each option that its operation does not have."""
    found = []
    for service, operation, rest in _COMMAND.findall(text.replace("\\\n", " ")):
        if operation == "wait" or not (model := _service(service)):
            continue
        operations = {xform_name(each, "-"): each for each in model.operation_names}
        if operation not in operations:
            found.append(f"{service} {operation}")
            continue
        members = model.operation_model(operations[operation]).input_shape.members
        known = {xform_name(each, "-") for each in members} | _GLOBAL
        given = (option.removeprefix("no-") for option in _OPTION.findall(rest))
        found += [f"{service} {operation} --{option}" for option in given if option not in known]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_the_docs_have_the_options_that_are_given(page: Path) -> None:
    assert faults(page.read_text("utf-8")) == []


def test_an_invented_command_or_option_is_found() -> None:
    text = "`aws dynamodb recover-table --all`; `aws s3api delete-object --bucket b \\\n --versions 3 --output text`"
    assert faults(text) == ["dynamodb recover-table", "s3api delete-object --versions"]
