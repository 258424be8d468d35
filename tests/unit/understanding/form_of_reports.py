"""A base of reports with a field of each type, and requests to it."""

from __future__ import annotations

from msgspec.structs import replace

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.plan import PlanRequest
from tests.fakes.planners import plan_request

SCHEMA = Schema(
    {
        each.name: each
        for each in (
            SchemaField(
                "status",
                FieldType.KEYWORD,
                ("draft", "released"),
                {"released": ("approved", "in use")},
                display="Status",
            ),
            SchemaField("site", FieldType.KEYWORD, words=("plant",)),
            SchemaField("topics", FieldType.KEYWORDS, ("heat", "noise")),
            SchemaField("author", FieldType.KEYWORD, is_owner=True),
            SchemaField("auditor", FieldType.PERSON, ("Ann Lee", "Bo Ek")),
            SchemaField("issued", FieldType.DATE),
            SchemaField("pages", FieldType.NUMBER),
            SchemaField("signed", FieldType.BOOLEAN),
            # A name that pydantic's models use themselves.
            SchemaField("copy", FieldType.BOOLEAN),
        )
    }
)


def request_on_reports(message: str = "which reports are approved?") -> PlanRequest:
    bases = {"reports": "Reports of measurements.", "plays": "Scripts of plays."}
    return replace(plan_request(message, "reports"), schema=SCHEMA, bases=bases, asker="Ann Lee")
