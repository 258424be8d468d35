"""Keys and values that mean viewers, in whatever spelling and wherever they stand."""

from __future__ import annotations

import json

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import REJECTED, names_access, refuse_misplaced_access_list, restricts
from cicada.ingest.access_lists import named_viewers
from cicada.ingest.model import SourceFile
from cicada.ingest.prose.front_matter import read_front_matter
from cicada.ingest.sidecar import parse_sidecar

SPELLINGS = [
    *(
        "readers",
        "Readers",
        "READER",
        "ｒｅａｄｅｒｓ",
        "read\u200bers",
        "read\u00aders",
        "rеаdеrs",
        "réaders",
        "- 'readers'",
    ),
    *("readrs", "raeders", "readerss", "accessControlList", "access_control-list", "_acl", "ACL", "permissions"),
    *("allowed_readers", "read by", "visible-to", "accesControlList"),
]
ORDINARY = ["leaders", "headers", "renders", "read", "reading", "department", "classification", "viewers", "", "作者"]


@pytest.mark.parametrize("key", SPELLINGS)
def test_a_key_that_means_viewers(key: str) -> None:
    assert names_access(key)


@pytest.mark.parametrize("key", ORDINARY)
def test_an_ordinary_key(key: str) -> None:
    assert not names_access(key)


@pytest.mark.parametrize(
    "value",
    ["group:hr", "group:hr, user:ann", ["group:hr"], {"value": {"stringListValue": ["USER:ann"]}}, "ｇroup：hr"],
)
def test_a_value_in_the_form_of_viewers_restricts_under_any_name(value: object) -> None:
    assert restricts("Leser", value)


@pytest.mark.parametrize("value", ["hr", "Group: results of 2024", "see user:ann for keys", 7, ["staff"]])
def test_a_value_of_another_form_does_not(value: object) -> None:
    assert not restricts("audience", value)


@pytest.mark.parametrize(
    "attributes",
    [
        {"readers": ["group:hr"]},
        {"readers": "hr"},
        {"accessControlList": ["group:hr"]},
        {"_acl": "group:hr"},
        {"permissions": "group:hr"},
        {"Leser": "group:hr"},
        {"ｒｅａｄｅｒｓ": "hr"},
        {"meta": {"value": {"type": "STRING_LIST", "stringListValue": ["group:hr"]}}},
    ],
)
def test_viewers_among_a_sidecars_attributes_reject_the_document(attributes: object) -> None:
    with pytest.raises(DocumentRejectedError, match="beside metadataAttributes") as caught:
        parse_sidecar(json.dumps({"metadataAttributes": attributes}).encode())
    assert caught.value.kind == "sidecar"


@pytest.mark.parametrize("key", [key for key in SPELLINGS if key.casefold() != "readers" and key[0] != "-"])
def test_front_matter_refuses_what_it_does_not_take_as_viewers(key: str) -> None:
    with pytest.raises(DocumentRejectedError) as caught:
        read_front_matter(f"---\n{key}: hr\n---\nText.\n")
    assert caught.value.kind == REJECTED


def test_front_matter_refuses_viewers_under_another_name() -> None:
    with pytest.raises(DocumentRejectedError, match="under 'Leser'"):
        read_front_matter("---\nLeser: [group:hr]\n---\nText.\n")


def source(name: str, text: str) -> SourceFile:
    return SourceFile(DocumentKey(KnowledgeBaseKey("acme", "rd"), name), name, text.encode(), "v")


@pytest.mark.parametrize("name", ["a.txt", "a.html", "a.htm", "a.md", "a.markdown"])
@pytest.mark.parametrize(
    "text",
    [
        "----\nreaders: hr\n----\nText.\n",
        "+++\ntitle = 'a'\nreaders = ['hr']\n+++\nText.\n",
        "---\x85readers: hr\x85---\x85Text.",
        "---\u2028readers: hr\u2028---\u2028Text.",
        "Text.\n\n**readers:** group:hr\n",
        "Text.\n\nReaders:\n- group:hr\n",
        "<p>readers: group:hr</p>\n",
        "<meta name='readers' content='group:hr'>\n",
        '<META property = "Access-Control-List" content="hr">\n',
        "<meta content=x name=&#114;eaders>\n",
    ],
)
def test_viewers_in_a_text_file_outside_of_front_matter_reject_it(name: str, text: str) -> None:
    with pytest.raises(DocumentRejectedError) as caught:
        named_viewers(source(name, text))
    assert caught.value.kind == REJECTED


@pytest.mark.parametrize("name", ["a.txt", "a.html"])
def test_front_matter_in_another_kind_of_file_is_refused_only_with_viewers(name: str) -> None:
    assert named_viewers(source(name, "---\ntitle: a\n---\nText.\n")) == ()
    with pytest.raises(DocumentRejectedError, match="sidecar"):
        named_viewers(source(name, "---\nreaders: hr\n---\nText.\n"))


@pytest.mark.parametrize(
    "text",
    [
        "----\nReport\n----\nPermissions: you may copy this.\n",
        "Our readers: people of all ages.\nWrite to user:ann.\n",
        "```\nreaders: group:hr\n```\n",
        "<meta name='author' content='readers'>\n",
    ],
)
def test_a_text_that_only_speaks_of_viewers_goes_in(text: str) -> None:
    refuse_misplaced_access_list(text)
