from __future__ import annotations

from pathlib import Path

import pytest

from cicada.documents.catalogue import Sort
from cicada.errors import ConfigurationError
from cicada.knowledge_bases.file import parse_schema, read_knowledge_bases
from cicada.knowledge_bases.schema import FieldType, SchemaField, Standing, StandingRule
from tests.unit.knowledge_bases.schemas import PROCEDURES

FIELD = '[fields.status]\ntype = "keyword"\n'
STATUS = FIELD + "shown = true\nvalues = ['draft', 'approved', 'retired']\n"
IN_FORCE = STATUS + "[in_force]\nfield = 'status'\n"


def test_a_file_says_fields_order_date_and_logins() -> None:
    schema = parse_schema(PROCEDURES, "sops.toml")
    assert schema.fields["status"] == SchemaField(
        "status",
        FieldType.KEYWORD,
        values=("draft", "approved", "retired"),
        synonyms={"approved": ("in force", "valid"), "retired": ("withdrawn",)},
        words=("state",),
        display="Status",
        shown=True,
    )
    assert (schema.sort, schema.date) == (Sort("effective", descending=True), "effective")
    assert schema.logins == {"ann@example.org": "Ann Lee"}
    assert [name for name, field in schema.fields.items() if field.is_owner] == ["owner"]


def test_a_file_says_which_values_are_in_force_and_which_field_names_what_is_replaced() -> None:
    more = "values = ['approved']\nnot_yet = ['draft']\nno_longer = ['retired']\nreplaces = 'old'\n"
    rule = parse_schema(IN_FORCE + more + "[fields.old]\ntype = 'keywords'", "s.toml").in_force
    assert rule == StandingRule("status", ("approved",), ("draft",), ("retired",), "old")
    said = [rule.standing({"status": value}, "") for value in ("approved", "draft", "retired", "lost")]
    assert said == [Standing.IN_FORCE, Standing.NOT_YET, Standing.NO_LONGER, None]
    assert rule.standing({}, "") is None
    assert parse_schema(PROCEDURES, "sops.toml").in_force is None


def test_a_base_has_the_schema_of_the_file_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "knowledge_bases.toml").write_text("[defaults]\nlimit = 7\n[bases.sops]\nlimit = 9\n")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "sops.toml").write_text(FIELD)
    (tmp_path / "schemas" / "contracts.toml").write_text(FIELD)
    bases = read_knowledge_bases(tmp_path)
    made = [bases.deployed(name) for name in ("sops", "contracts", "x")]
    found = {base.name: (base.limit, list(base.schema.fields)) for base in made}
    assert found == {"sops": (9, ["status"]), "contracts": (7, ["status"]), "x": (7, [])}


def test_a_schema_that_is_wrong_is_refused_under_its_files_name(tmp_path: Path) -> None:
    (tmp_path / "knowledge_bases.toml").write_text("")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "sops.toml").write_text("sort = 'age'\n")
    with pytest.raises(ConfigurationError, match=r"schemas/sops.toml, line 1, sort: there is no field 'age'"):
        read_knowledge_bases(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n[fields.status\ntype = 'date'", "s.toml is not TOML: .*line 2"),
        (FIELD + FIELD, "s.toml is not TOML: .*line 3"),
        ("[field.status]\ntype = 'keyword'", "line 1: The schema has the unknown key 'field'; use one of .*fields"),
        ("\n[fields.status]\ntype = 'word'", r"line 3: \[fields.status\] type is 'word'; use one of keyword, "),
        ("[fields.status]\nshown = true", r"line 1: \[fields.status\] lacks type"),
        (FIELD + "[fields.kind]\ntype = 'words'", r"line 4: \[fields.kind\] type is 'words'"),
        (
            FIELD + "[fields.kind.synonyms]\na = 'b'\n[fields.kind]\ntype = 'date'",
            r"line 3: \[fields.kind\] synonyms.a",
        ),
        (FIELD + "[fields.kind]\nshown = true", r"line 3: \[fields.kind\] lacks type"),
        (FIELD + "[fields]\nkind = {type = 'words'}", r"line 4: \[fields.kind\] type is 'words'"),
        (FIELD + "value = ['a']", r"line 3: \[fields.status\] has the unknown key 'value'"),
        (FIELD + "shown = 'yes'", r"line 3: \[fields.status\] shown"),
        (FIELD + "values = ['a', 3]", r"line 3: \[fields.status\] values.1 is not text"),
        (FIELD + "values = ['']", r"line 3: \[fields.status\] values.0 is empty"),
        ("fields = 3", "line 1: The schema: fields is not a table"),
        ("[fields]\nstatus = 3", r"line 2: \[fields.status\] is not a table"),
        ("[fields.'a b']\ntype = 'keyword'", "line 1: The schema: fields"),
        (FIELD + "values = ['a', 'A']", "line 3, field 'status': 'A' stands there twice"),
        (
            FIELD + "values = ['a', 'b']\n[fields.status.synonyms]\na = ['x']\nb = ['y', 'X']",
            "line 6, field 'status': the synonym 'X' means both 'a' and 'b'",
        ),
        (
            FIELD + "values = ['a', 'b']\nsynonyms.b = ['a']",
            "line 4, field 'status': the synonym 'a' means both 'a' and 'b'",
        ),
        (FIELD + "values = ['a']\nsynonyms.c = ['d']", "line 4, field 'status': 'c' has synonyms and is none of"),
        ("[fields.n]\ntype = 'number'\nvalues = ['1']", "line 3, field 'n': a field of type number has no values"),
        ("[fields.d]\ntype = 'date'\nsynonyms.a = ['b']", "line 3, field 'd': a field of type date has no synonyms"),
        (FIELD + "is_owner = true", "line 3, field 'status': an owner is a person, and the type is keyword"),
        (
            "[fields.a]\ntype = 'person'\nis_owner = true\n[fields.b]\ntype = 'person'\nis_owner = true",
            "line 6, field 'b': 'a' is the owner already",
        ),
        ("[logins]\nann = 'Ann'\n" + FIELD, "line 1, logins: no field has is_owner"),
        ("sort = '-age'\n" + FIELD, "line 1, sort: there is no field 'age'; use title or one of status"),
        ("date = 'age'\n" + FIELD, "line 1, date: there is no field 'age'; use one of status"),
        ("date = 'status'\n" + FIELD, "line 1, date: the field 'status' is of type keyword"),
        (
            FIELD + "[fields.Status]\ntype = 'date'",
            "line 3, field 'Status': the name 'Status' means the field 'status'",
        ),
        (
            FIELD + "display = 'State'\n[fields.kind]\ntype = 'keyword'\ndisplay = 'state'",
            "line 6, field 'kind': the name 'state' means the field 'status' too",
        ),
        ("[fields.title]\ntype = 'keyword'", "line 1, field 'title': 'title' is no metadata"),
        (IN_FORCE, "line 5, in_force: no value means that a document is in force"),
        (IN_FORCE + "values = 'approved'", r"line 7: \[in_force\] values should be a list"),
        (IN_FORCE + "values = ['approved']\ngone = ['retired']", r"line 8: \[in_force\] has the unknown key 'gone'"),
        (IN_FORCE + "values = []", "line 7, in_force: no value means that a document is in force"),
        (
            IN_FORCE + "values = ['valid']",
            "line 7, in_force: 'valid' is none of the values of 'status'; use one of draft",
        ),
        (
            IN_FORCE + "values = ['approved']\nno_longer = ['retired', 'approved']",
            "line 8, in_force: 'approved' stands in values too",
        ),
        (
            IN_FORCE + "values = ['approved']\nreplaces = 'after'",
            "line 8, in_force: there is no field 'after'; use one of status",
        ),
        (
            "[in_force]\nfield = 'state'\nvalues = ['a']\n" + FIELD,
            "line 2, in_force: there is no field 'state'; use one",
        ),
        (
            "[in_force]\nfield = 'status'\nvalues = ['a']\n" + FIELD + "values = ['a']",
            "line 2, in_force: the field 'status' must be a keyword that is shown",
        ),
    ],
)
def test_a_contradiction_is_refused_with_file_line_and_field(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as caught:
        parse_schema(text, "s.toml")
    assert str(caught.value).startswith("s.toml")


def test_a_synonym_may_be_a_word_of_another_field_and_its_own_value_in_another_case() -> None:
    text = "[fields.a]\ntype = 'keyword'\nvalues = ['QA']\nsynonyms.QA = ['qa', 'b']\n[fields.b]\ntype = 'keyword'"
    assert parse_schema(text, "s.toml").fields["a"].synonyms == {"QA": ("qa", "b")}
