from __future__ import annotations

import pytest

from cicada.agents.theories import profile_toolbox
from cicada.agents.tools import Toolbox
from tests.unit.agents.keeping import ANN, BOB, profile_tools


@pytest.fixture
def toolbox() -> Toolbox:
    return profile_toolbox(profile_tools())


def test_a_tool_is_called_by_its_name_with_its_arguments(toolbox: Toolbox) -> None:
    arguments = {"kind": "character", "name": "Ross", "description": "A thane."}
    assert toolbox.call(ANN, "save_profile", arguments) == "Saved the character profile “Ross”."


def test_arguments_that_are_not_declared_are_dropped(toolbox: Toolbox) -> None:
    toolbox.call(BOB, "save_profile", {"kind": "character", "name": "Ross", "description": "Bob's."})
    arguments = {"kind": "character", "name": "Ross", "session": BOB, "user": "bob", "self": None}
    assert toolbox.call(ANN, "get_profile", arguments).startswith("There is no character profile “Ross”.")


def test_missing_null_and_odd_arguments_are_told_to_the_model(toolbox: Toolbox) -> None:
    assert toolbox.call(ANN, "get_profile", {"kind": "character"}) == "The name is missing. Nothing was done."
    assert toolbox.call(ANN, "list_profiles", {"kind": None}) == "You have no profiles."
    assert toolbox.call(ANN, "get_profile", {"kind": ["character"], "name": 7}).startswith("The kind must be one of")
    assert toolbox.call(ANN, "get_profile", {"kind": "episode", "name": 7}).startswith(
        "There is no episode profile “7”"
    )


@pytest.mark.parametrize("name", ["", "__init__", "store", "drop_table"])
def test_only_described_tools_exist(toolbox: Toolbox, name: str) -> None:
    assert toolbox.call(ANN, name, {}) == (
        "There is no such tool. The tools are: list_profiles, list_theories, get_profile, save_profile, "
        "append_to_profile, amend_profile, rename_profile, delete_profile, restore_profile."
    )
