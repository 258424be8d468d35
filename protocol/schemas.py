"""JSON Schemas of the frames that the server sends and accepts, by their wire names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from protocol.frames import COMMANDS, EVENTS, REPLIES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


class _WireSchema(GenerateJsonSchema):
    """Uses only keywords with the same meaning in draft 07, which AsyncAPI's own schemas extend, and in 2020-12."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - a field's title only repeats its name
        return False

    def field_is_required(
        self, field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField, total: bool
    ) -> bool:
        """In sent frames every field is present, except those that are omitted when unset."""
        if self.mode == "serialization":
            return field.get("serialization_exclude_if") is None
        return super().field_is_required(field, total)

    def model_field_schema(self, schema: core_schema.ModelField) -> JsonSchemaValue:
        """A field that is omitted when unset is never null."""
        inner = schema["schema"]
        if schema.get("serialization_exclude_if") and inner["type"] == "default":
            inner = inner["schema"]
            inner = inner["schema"] if inner["type"] == "nullable" else inner
        return self.generate_inner(inner)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Sent frames need no defaults: a missing field means that it is unset."""
        return self.generate_inner(schema["schema"]) if self.mode == "serialization" else super().default_schema(schema)

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonSchemaValue:
        """A pair of one type, as an array of two."""
        found = super().tuple_schema(schema)
        each = found.pop("prefixItems", [])
        if each and any(item != each[0] for item in each):
            raise NotImplementedError("A tuple of several types is written differently in each draft.")
        return found | {"items": each[0]} if each else found

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Keys that do not match the pattern are refused."""
        found = super().dict_schema(schema)
        return found | {"additionalProperties": False} if "patternProperties" in found else found


def definitions(references: str = "#/$defs/{model}") -> Schema:
    """The schemas of all frames and of their parts, by name."""
    return _of(COMMANDS, "validation", references) | _of([*EVENTS, *REPLIES], "serialization", references)


def commands_schema() -> Schema:
    """Any frame that a client may send."""
    return _one_of("A frame that a client sends", COMMANDS, "validation")


def frames_schema() -> Schema:
    """Any frame that the server sends."""
    return _one_of("A frame that the server sends", [*EVENTS, *REPLIES], "serialization")


def _one_of(title: str, models: Iterable[type[BaseModel]], mode: JsonSchemaMode) -> Schema:
    models = list(models)
    return {
        "$schema": DIALECT,
        "title": title,
        "oneOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in models],
        "$defs": _of(models, mode, "#/$defs/{model}"),
    }


def _of(models: Iterable[type[BaseModel]], mode: JsonSchemaMode, references: str) -> Schema:
    _, schemas = models_json_schema(
        [(model, mode) for model in models], ref_template=references, schema_generator=_WireSchema
    )
    found: Schema = schemas["$defs"]
    return found
