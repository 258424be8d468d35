"""Sidecars: what they say, and that nothing in them is passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.errors import DocumentRejectedError
from cicada.ingest.metadata import REJECTED
from cicada.ingest.sidecar import Sidecar, parse_sidecar


def sidecar(attributes: object = None, **fields: object) -> bytes:
    return json.dumps({"metadataAttributes": {} if attributes is None else attributes} | fields).encode()


def read(attributes: object = None, **fields: object) -> Sidecar:
    return parse_sidecar(sidecar(attributes, **fields))


def rejection(content: bytes) -> str:
    with pytest.raises(DocumentRejectedError) as caught:
        parse_sidecar(content)
    assert caught.value.kind == REJECTED
    return str(caught.value)


def typed(kind: str, key: str, value: object, embed: object = False) -> dict[str, Any]:
    return {"value": {"type": kind, key: value}, "includeForEmbedding": embed}


def entry(name: object = "ann", kind: object = "USER", access: object = "ALLOW") -> dict[str, object]:
    return {"name": name, "type": kind, "access": access}


def test_a_file_without_a_sidecar_is_for_everybody_and_has_no_attributes() -> None:
    assert parse_sidecar(None) == Sidecar() == parse_sidecar(b"{}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("legal", "legal"),
        ("", ""),
        ("  two\nlines ", "  two\nlines "),
        (2024, "2024"),
        (2024.0, "2024"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e22, "10000000000000000000000"),
        (True, "true"),
        (False, "false"),
        (["returns", "refunds, fast"], ("returns", "refunds, fast")),
        (["Rückgabe"], ("Rückgabe",)),
        (typed("STRING", "stringValue", "legal"), "legal"),
        (typed("NUMBER", "numberValue", 7e0), "7"),
        (typed("BOOLEAN", "booleanValue", True), "true"),
        (typed("STRING_LIST", "stringListValue", ["a", "b"]), ("a", "b")),
        ({"value": {"type": "STRING", "stringValue": "legal"}}, "legal"),
    ],
)
def test_an_attribute_becomes_texts_to_filter_by(value: object, text: str | tuple[str, ...]) -> None:
    assert read({"key": value}).metadata == {"key": text}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_equal_numbers_are_equal_texts_and_read_back_the_same(number: float) -> None:
    text = read({"n": number}).metadata["n"]
    assert isinstance(text, str)
    assert float(text) == number
    if number == int(number):
        assert text == read({"n": int(number)}).metadata["n"]


def test_attributes_for_embedding_are_searched_with_the_text() -> None:
    found = read(
        {
            "product": typed("STRING", "stringValue", "Atlas\n2", embed=True),
            "year": typed("NUMBER", "numberValue", 2024, embed=True),
            "topics": typed("STRING_LIST", "stringListValue", ["returns", "refunds"], embed=True),
            "owner": typed("STRING", "stringValue", "ann"),
            "plain": "x",
        }
    )
    assert found.embedded == ("product: Atlas 2", "year: 2024", "topics: returns, refunds")
    assert found.metadata.keys() == {"product", "year", "topics", "owner", "plain"}


def test_attributes_too_long_for_embedding_are_filters_only_and_a_problem() -> None:
    long = typed("STRING", "stringValue", "x" * 300, embed=True)
    found = read({"summary": long, "product": typed("STRING", "stringValue", "Atlas", embed=True)})
    assert found.embedded == ("product: Atlas",)
    assert found.metadata["summary"] == "x" * 300
    [problem] = found.problems
    assert "longer than 300 characters" in problem.reason
    assert problem.reason.endswith("filters: summary.")


def test_the_room_for_embedding_is_shared() -> None:
    long = typed("STRING", "stringValue", "x" * 200, embed=True)
    found = read({"first": long, "second": long})
    assert [text[:5] for text in found.embedded] == ["first"]
    assert found.problems[0].reason.endswith("filters: second.")


def test_title_and_language_are_reserved_names() -> None:
    found = read({"_title": " Returns\tpolicy ", "_language_code": "de", "_category": "policy"})
    assert (found.title, found.language) == ("Returns policy", "de")
    assert found.metadata == {"_category": "policy"}


@pytest.mark.parametrize(
    ("code", "document", "language", "problems"),
    [
        ("de", "", "de", 0),
        ("pt-BR", "fr", "pt", 0),
        ("EN_us", "", "en", 0),
        ("", "fr-CA", "fr", 0),
        ("", "", "en", 0),
        ("", "x-klingon", "en", 0),
        ("tlh", "de", "en", 1),
    ],
)
def test_an_unknown_language_is_read_as_english_and_told(
    code: str, document: str, language: str, problems: int
) -> None:
    found = read({"_language_code": code} if code else {}).language_or(document)
    assert (found[0], len(found[1])) == (language, problems)
    assert all("'tlh' is not known" in problem.reason for problem in found[1])


def test_viewers_are_named_by_what_they_are() -> None:
    acl = [entry("staff", "GROUP"), entry("ann"), entry("ann"), entry("bob@example.com")]
    assert read(accessControlList=acl).readers == ("group:staff", "user:ann", "user:bob@example.com")


@pytest.mark.parametrize("name", ["", "Human Resources", " staff", "staff\n", "a" * 129, "st\u200baff", "st\u00a0aff"])
def test_a_name_that_nobody_can_have_refuses_the_document(name: str) -> None:
    said = rejection(sidecar(accessControlList=[entry("ann"), entry(name, "GROUP")]))
    assert "entry 2 of its accessControlList a name that no user and no group can have: at most 128 letters" in said


def test_the_longest_name_with_every_kind_of_character_is_a_viewer() -> None:
    name = "Ü-é₤9ª́".ljust(128, "x")
    assert read(accessControlList=[entry(name, "GROUP")]).readers == (f"group:{name}",)


def test_kendras_spelling_is_read_too() -> None:
    acl = [{"Name": "ann", "Type": "USER", "Access": "ALLOW"}]
    assert read(accessControlList=acl) == read(AccessControlList=acl) == Sidecar(readers=("user:ann",))


def test_a_denied_viewer_refuses_the_document() -> None:
    said = rejection(sidecar(accessControlList=[entry("staff", "GROUP"), entry("ann", access="DENY")]))
    assert "denies access in entry 2" in said
    assert "name those who may read" in said
    assert "ann" not in said


@pytest.mark.parametrize(
    "acl",
    [
        [],
        {},
        None,
        "ann",
        ["ann"],
        [None],
        [{}],
        [entry("")],
        [entry(" ann")],
        [entry("an\nn")],
        [entry("\ud800")],
        [entry(7)],
        [entry(kind="ROLE")],
        [entry(kind=["USER"])],
        [entry(access="allow")],
        [entry(access=True)],
        [entry() | {"unless": "monday"}],
        [entry() | {"Name": "bob"}],
        [{"name": "ann", "type": "USER"}],
    ],
)
def test_viewers_that_are_not_understood_refuse_the_document(acl: object) -> None:
    assert "accessControlList" in rejection(sidecar(accessControlList=acl))


def test_viewers_that_are_there_twice_refuse_the_document() -> None:
    assert "there twice" in rejection(sidecar(accessControlList=[entry()], AccessControlList=[entry()]))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not JSON at line 1, column 1"),
        (b"{", "not JSON at line 1"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (sidecar([]), "must be a JSON object"),
        (sidecar(acessControlList=[entry()]), "unknown key 'acessControlList'"),
        (sidecar(acessControlList=[entry()], accessControlList=[]), "unknown key 'acessControlList'"),
        (b'{"accessControlList": [], "accessControlList": []}', "has a key twice"),
        (b'{"metadataAttributes": {"a": 1, "a": 2}}', "has a key twice"),
        (b'{"metadataAttributes": {"a": NaN}}', "holds NaN"),
        (b'{"metadataAttributes": {"a": 1e999}}', "'a' that is no text, number"),
        (b'{"metadataAttributes": {"a": ' + b"9" * 5000 + b"}}", "thousands of digits"),
        (sidecar({"a": None}), "'a' that is no text, number"),
        (sidecar({"a": []}), "'a' that is no text, number"),
        (sidecar({"a": [1]}), "'a' that is no text, number"),
        (sidecar({"a": "\ud800"}), "'a' that is no text, number"),
        (sidecar({"a": ["\ud800"]}), "'a' that is no text, number"),
        (sidecar({"": 1}), "attribute name"),
        (sidecar({"a\n": 1}), "attribute name"),
        (sidecar({"\ud800": 1}), "attribute name"),
        (sidecar({"a" * 201: 1}), "attribute name"),
        (sidecar({f"a{number}": 1 for number in range(51)}), "more than 50 attributes"),
        (sidecar({"a": {}}), "not of the form value, includeForEmbedding"),
        (sidecar({"a": typed("STRING", "stringValue", "x", embed="yes")}), "not of the form value"),
        (sidecar({"a": typed("STRING", "stringValue", "x") | {"also": 1}}), "not of the form value"),
        (sidecar({"a": typed("STRING", "numberValue", 1)}), "'a' whose value is none of"),
        (sidecar({"a": typed("STRING", "stringValue", 1)}), "'a' whose value is none of"),
        (sidecar({"a": typed("NUMBER", "numberValue", True)}), "'a' whose value is none of"),
        (sidecar({"a": typed("BOOLEAN", "booleanValue", "true")}), "'a' whose value is none of"),
        (sidecar({"a": typed("DATE", "dateValue", "2024")}), "'a' whose value is none of"),
        (sidecar({"a": {"value": {"type": [], "stringValue": "x"}}}), "'a' whose value is none of"),
        (b"[" * 10_000, "nested too deeply"),
        (sidecar({"a": "x" * 10_240}), "larger than 10 KB"),
        ('{"metadataAttributes": {"a": "é"}}'.encode("latin-1"), "not in UTF-8"),
        (b"\x00" * 64, "not JSON"),
    ],
)
def test_a_sidecar_that_is_not_understood_refuses_the_document(content: bytes, complaint: str) -> None:
    assert complaint in rejection(content)


def test_fifty_attributes_are_not_too_many() -> None:
    assert len(read({f"a{number}": 1 for number in range(50)}).metadata) == 50


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse_sidecar(b"\xef\xbb\xbf" + sidecar({"a": "x"})).metadata == {"a": "x"}


@given(st.data())
def test_a_damaged_sidecar_is_understood_or_refused(data: st.DataObject) -> None:
    content = bytearray(sidecar({"a": typed("STRING", "stringValue", "x", embed=True)}, accessControlList=[entry()]))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = parse_sidecar(bytes(content))
    except DocumentRejectedError as error:
        assert error.kind == REJECTED
    else:
        assert found.readers


@pytest.mark.parametrize("key", ["accessControlList", "AccessControlList"])
def test_everyone_and_an_access_control_list_contradict_each_other(key: str) -> None:
    both = f'{{"readers": "everyone", "{key}": [{{"name": "ann", "type": "USER", "access": "ALLOW"}}]}}'
    with pytest.raises(DocumentRejectedError, match="there twice"):
        parse_sidecar(both.encode())


@pytest.mark.parametrize("value", ['"all"', '"Everyone"', '["everyone"]', "true", "null", '""'])
def test_viewers_of_a_sidecar_are_everyone_or_refused(value: str) -> None:
    with pytest.raises(DocumentRejectedError, match='must have "everyone" as its readers'):
        parse_sidecar(f'{{"readers": {value}}}'.encode())
