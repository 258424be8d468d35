"""What a document's first lines say of its being in force."""

from __future__ import annotations

import json

import pytest

from cicada.ingest.prose.sections import Heading, Paragraph
from cicada.ingest.prose.standing import said_standing
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from tests.unit.ingest.documents import parsed

REPLACED = b"# Rules 2019\n\nThese rules were replaced by those of 2025.\n\n## Dogs\n\nKeep them on a lead.\n"


@pytest.mark.parametrize(
    "text",
    [
        "These rules are no longer in force.",
        "NO LONGER VALID – see the rules of 2025",
        "This policy was superseded by POL-12 on 3 May 2024.",
        "Superseded by the 2025 edition.",
        "Note: this version has been withdrawn.",
        "This is the edition of 2022. It has been replaced by that of 2025 and is kept for the record.",
        "Diese Hausordnung wurde durch die Ordnung von 2025 ersetzt.",
        "Ce règlement n'est plus en vigueur.",
        "Este reglamento ha sido sustituido por el de 2025.",
    ],
)
def test_a_document_says_that_it_no_longer_holds(text: str) -> None:
    assert said_standing([Heading(1, "Rules"), Paragraph(text)]) == "outdated"


@pytest.mark.parametrize(
    "text",
    [
        "In force since 1 May 2025. They replace the rules of 2019.",
        "These house rules apply from 1 May 2025 and replace those of 2021.",
        "Gültig seit 1. Mai 2025.",
    ],
)
def test_a_document_says_that_it_holds(text: str) -> None:
    assert said_standing([Paragraph(text)]) == "in force"


@pytest.mark.parametrize(
    "text",
    [
        "This plan will be replaced in 2027.",
        "These rules take effect on 1 May 2027 and replace those of 2021.",
        "They replaced the pump on Monday.",
        "These filters were replaced on 3 May by Tom.",
        "The new rules were adopted. They replace the rules of 2019.",
        "Dogs. " * 5,
    ],
)
def test_what_is_to_come_and_what_is_said_of_other_things_says_nothing(text: str) -> None:
    assert said_standing([Paragraph(text)]) == ""


def test_what_stands_further_down_says_nothing_of_the_document() -> None:
    lines = [Paragraph("Minutes.")] * 4
    assert said_standing([*lines, Paragraph("These rules are no longer in force.")]) == ""


def test_it_is_metadata_of_the_document_unless_a_field_or_a_schema_says_it() -> None:
    def standing(schema: Schema | None = None, **attributes: str) -> object:
        sidecar = json.dumps({"metadataAttributes": attributes}).encode()
        return parsed("rules.md", REPLACED, sidecar, schema).passages[0].metadata.get("standing")

    assert standing() == "outdated"
    assert standing(Status="valid") is None
    assert standing(Schema({"owner": SchemaField("owner", FieldType.PERSON)})) is None
