"""What a planning model is told about a knowledge base beside its schema: boundaries and examples, from files.

A message that was planned wrongly becomes an example in the base's file, not a change of the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from cicada.validation import Form, checked, parse_toml

_FOLDER = Path(__file__).with_name("plan_guides")
_DEFAULT = "default"


class ExampleTurn(Form, frozen=True):
    """An earlier turn of an example."""

    question: str
    answer: str


class PlanExample(Form, frozen=True):
    """A message and its plan, in the form of the plan tool's input. `today` is ISO; `asker` the user's name."""

    message: str
    plan: dict[str, Any]
    turns: list[ExampleTurn] = field(default_factory=list)
    today: str = "2026-03-04"
    asker: str = ""


class _File(Form, frozen=True):
    boundaries: str = ""
    example: list[dict[str, Any]] = field(default_factory=list)


class PlanGuide(Struct, frozen=True):
    """`boundaries`: where one intent or strategy ends and the next begins. `examples` by their place in a file."""

    boundaries: str
    examples: Mapping[str, PlanExample]


def load_plan_guide(knowledge_base: str, folder: Path = _FOLDER) -> PlanGuide:
    """The default guide, and then that of the base if it has a file `<base>.toml`. Raises `ConfigurationError`."""
    names = [_DEFAULT, *(path.stem for path in folder.glob("*.toml") if path.stem == knowledge_base != _DEFAULT)]
    guides = [parse_plan_guide((folder / f"{name}.toml").read_text("utf-8"), f"{name}.toml") for name in names]
    return PlanGuide(
        "\n\n".join(guide.boundaries for guide in guides if guide.boundaries),
        {place: example for guide in guides for place, example in guide.examples.items()},
    )


def parse_plan_guide(text: str, file: str) -> PlanGuide:
    """A guide from TOML like `plan_guides/default.toml`. Raises `ConfigurationError`, which says what to correct."""
    data = parse_toml(text, f"The plan guide {file} is not TOML")
    read = checked(_File, data, f"The plan guide {file}")
    places = {f"{file}, example {number}": entry for number, entry in enumerate(read.example, start=1)}
    return PlanGuide(
        read.boundaries.strip(), {place: checked(PlanExample, entry, place) for place, entry in places.items()}
    )
