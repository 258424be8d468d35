"""The files that tell a planning model about a base."""

from __future__ import annotations

from pathlib import Path

import pytest

from cicada.errors import ConfigurationError
from cicada.knowledge_bases.plan_guide import load_plan_guide, parse_plan_guide

EXAMPLE = '[[example]]\nmessage = "{}"\nplan = {{ query = "x" }}\n'


def test_a_bases_own_file_is_added_to_the_default_one(tmp_path: Path) -> None:
    (tmp_path / "default.toml").write_text('boundaries = "All."\n' + EXAMPLE.format("hello"))
    (tmp_path / "law.toml").write_text('boundaries = "Law."\n' + EXAMPLE.format("which act?"))
    law, other = load_plan_guide("law", tmp_path), load_plan_guide("../law", tmp_path)
    assert law.boundaries == "All.\n\nLaw."
    assert {place: each.message for place, each in law.examples.items()} == {
        "default.toml, example 1": "hello",
        "law.toml, example 1": "which act?",
    }
    assert (other.boundaries, len(other.examples)) == ("All.", 1)
    assert len(load_plan_guide("default", tmp_path).examples) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("boundaries = ", r"law\.toml is not TOML: .* correct that line"),
        ('bounds = "x"', r"law\.toml has the unknown key 'bounds'"),
        (EXAMPLE.format("a") + '[[example]]\nmessage = "b"', r"law\.toml, example 2 lacks plan; add it"),
        (EXAMPLE.format("a") + 'intent = "x"', r"law\.toml, example 1 has the unknown key 'intent'"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        parse_plan_guide(text, "law.toml")
