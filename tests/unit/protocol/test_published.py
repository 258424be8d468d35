"""The files of docs/protocol/: whole, up to date, and what they say they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from msgspec import Struct, to_builtins

from cicada.conversation import protocol
from infra.routes import ROUTES
from tests.published.validation import schema
from tools.protocol.frames import ALL
from tools.protocol.published import FOLDER, published

# The AsyncAPI Initiative's own schema of documents.
OFFICIAL = Path(__file__).parents[3] / "node_modules/@asyncapi/specs/schemas/3.0.0.json"


def document() -> dict[str, Any]:
    return schema("asyncapi.json")


def test_the_files_are_those_that_the_models_make() -> None:
    """Otherwise `make protocol` writes them anew."""
    found = {file.name: file.read_text("utf-8") for file in FOLDER.iterdir()}
    assert found == published()


def test_the_document_is_what_asyncapi_asks_for() -> None:
    validator = Draft7Validator(json.loads(OFFICIAL.read_text("utf-8")))
    assert [error.message for error in validator.iter_errors(document())] == []


@pytest.mark.parametrize("name", ["commands.schema.json", "frames.schema.json"])
def test_the_schemas_are_json_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_every_reference_leads_somewhere() -> None:
    for name in published():
        root = schema(name)
        for reference in references(root):
            part = root
            for step in reference.removeprefix("#/").split("/"):
                part = part[step]


@pytest.mark.parametrize(
    ("sent", "defaults"),
    [
        (protocol.PlanSummary("NoMatch", "b", "q", "rules"), {"filters": (), "withheld": 0}),
        (protocol.ListedDocument("d", "T"), {"fields": {}, "relevance": None}),
        (protocol.Listing(1, ()), {"offset": 0, "nextOffset": None}),
    ],
)
def test_what_a_client_may_rely_on_is_never_absent(sent: Struct, defaults: dict[str, object]) -> None:
    content = to_builtins(sent)
    assert defaults.items() <= content.items()


def test_a_command_says_which_action_it_is() -> None:
    assert {protocol.Ping().action, protocol.SignOutEverywhere().action} == {"ping", "signOutEverywhere"}


def references(part: object) -> list[str]:
    if isinstance(part, list):
        return [found for each in part for found in references(each)]
    if not isinstance(part, dict):
        return []
    own = [part["$ref"]] if "$ref" in part else []
    return own + [found for each in part.values() for found in references(each)]


def test_every_frame_of_the_protocol_is_published() -> None:
    known = {model.__name__ for model in ALL}
    for model in vars(protocol).values():
        if (
            isinstance(model, type)
            and issubclass(model, Struct)
            and model.__struct_config__.tag
            and model.__name__[0] != "_"
        ):
            assert model.__name__ in known
    assert set(document()["channels"]["conversation"]["messages"]) == known


def test_each_command_has_the_route_of_its_action() -> None:
    operations = document()["operations"].values()
    assert {operation["x-route-key"] for operation in operations if "x-route-key" in operation} == set(ROUTES)
    for operation in operations:
        if operation["action"] == "receive":
            [message] = operation["messages"]
            body = document()["components"]["schemas"][message["$ref"].rpartition("/")[2]]
            assert body["properties"]["action"]["const"] == operation["x-route-key"]
