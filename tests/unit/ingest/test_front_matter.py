"""YAML front matter: what is read of it, and what is refused."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import REJECTED
from cicada.ingest.prose.front_matter import MAX_FIELDS, FrontMatter, Value, read_front_matter


def front(text: str) -> FrontMatter:
    """The front matter of a file in which `text` stands between the lines of dashes."""
    return read_front_matter(f"---\n{text}\n---\nText.\n")


def reason(text: str) -> str:
    """Why the front matter is not used; only title and language may be."""
    found = front(text)
    assert (found.metadata, found.readers) == ({}, None)
    assert found.length == len(f"---\n{text}\n---\n")
    (problem,) = found.problems
    assert (problem.place, problem.kind) == ("front matter", "metadata")
    return problem.reason


def refusal(text: str) -> str:
    with pytest.raises(DocumentRejectedError) as caught:
        read_front_matter(text)
    assert caught.value.kind == REJECTED
    assert str(caught.value).endswith("The document stays out, for who may read it is unknown.")
    return str(caught.value)


def test_title_language_and_viewers_are_apart_from_the_metadata() -> None:
    found = front("title: Returns  policy\nlang: de\nreaders: [group:staff, 'user:ann.lee']\nstatus: approved")
    assert (found.title, found.language) == ("Returns policy", "de")
    assert found.readers == ("group:staff", "user:ann.lee")
    assert (found.metadata, found.problems) == ({"status": "approved"}, ())


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("tags: [a, 'b, c']", {"tags": ("a", "b, c")}),
        ("tags:\n- a\n- b", {"tags": ("a", "b")}),
        (
            "n: 012\nyes: no\nat: 12:30:00\nday: 2026-01-31",
            {"n": "012", "yes": "no", "at": "12:30:00", "day": "2026-01-31"},
        ),
        ("a: |\n  two\n  lines\nb: >\n  folded", {"a": "two lines", "b": "folded"}),
        ("a:\nb: ~\nc: null\nd: ''\ne: 'null'\nf: []\ng: [~]", {"e": "null"}),
        ("# only a note", {}),
        ("", {}),
        ("über: ä", {"über": "ä"}),
        ("a: &x 1", {"a": "1"}),
        ("a: ! 1", {"a": "1"}),
    ],
)
def test_values_are_read_as_texts(text: str, values: dict[str, Value]) -> None:
    found = front(text)
    assert (found.metadata, found.problems) == (values, ())


@pytest.mark.parametrize(
    "text",
    [
        "Text.\n",
        "---\nText.\n",
        "---\nText.\n---\n",
        "---\n- a\n- b\n---\n",
        "a\n---\nb: c\n---\n",
        "--- a\nb: c\n---\n",
    ],
)
def test_what_is_no_table_between_dashes_is_text(text: str) -> None:
    assert read_front_matter(text) == FrontMatter()


def test_front_matter_begins_below_empty_lines_and_ends_at_dots_too() -> None:
    text = "\n \n---\na: b\n...\nText."
    found = read_front_matter(text)
    assert (text[found.length :], found.metadata) == ("Text.", {"a": "b"})


@pytest.mark.parametrize(
    "above",
    [
        "\n" * 30,
        "\ufeff",
        "\u200b\n",
        "\u00a0\n\u3000\n",
        "\f\n",
        "<!-- Licence: CC BY 4.0 -->\n",
        "<!--\n  Licence\n\n  CC BY 4.0\n-->\n\n",
        "<!-- a --><!-- b -->\n\n<!-- c -->\n",
        "\n<!-- markdownlint-disable -->\n\ufeff\n",
        "<!-->\n",
        "<!-- a -->",
    ],
)
def test_front_matter_begins_below_comments_and_what_nobody_sees(above: str) -> None:
    text = f"{above}---\nreaders: [group:qa]\nstatus: draft\n---\nText."
    found = read_front_matter(text)
    assert (found.readers, found.metadata, text[found.length :]) == (("group:qa",), {"status": "draft"}, "Text.")


@pytest.mark.parametrize(
    "text",
    [
        "<!-- no end\n---\nreaders: [group:qa]\n---\n",
        "<!--\n---\nreaders: [group:qa]\n---\n-->\nText.\n",
        "<!-- readers: [user:ann] -->\nText.\n",
        " ---\n readers: [group:qa]\n ---\nText.\n",
        "----\nreaders: [group:qa]\n----\nText.\n",
        "--- # about\nreaders:\n  - group:qa\n---\nText.\n",
        '+++\nreaders = ["group:qa"]\n+++\nText.\n',
        '+++\n\nreaders = ["group:qa"]\n+++\nText.\n',
        "Readers: group:qa\n\nText.\n",
        "---\n---\n\nreaders: [group:qa]\n---\nText.\n",
        "---\nstatus: draft\n---\nreaders: [group:qa]\n---\nText.\n",
        "# Guide\n\nText.\n\n---\nstatus: draft\nreaders: [group:qa]\n---\n",
        "---\n- readers: [group:qa]\n---\nText.\n",
    ],
)
def test_viewers_elsewhere_than_in_the_front_matter_reject_the_document(text: str) -> None:
    refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "# Readers\n\nWrite this at the top:\n\n```yaml\n---\nreaders: [group:qa]\n---\n```\n",
        "# Guide\n\nAudience\n---\nReaders: everybody in the company.\n",
        "# Guide\n\n---\n\nName each as group:qa.\n",
        "<!-- for readers: see below -->\nText for user:ann.\n",
    ],
)
def test_text_that_only_speaks_of_viewers_goes_in(text: str) -> None:
    assert read_front_matter(text) == FrontMatter()


def test_front_matter_with_viewers_may_be_followed_by_an_example() -> None:
    text = "---\nreaders: [group:qa]\n---\n"
    assert read_front_matter(f"{text}An example:\n{text}").readers == ("group:qa",)


@pytest.mark.parametrize("piece", ["<!-- a --> ", "<!--", " \n", "-->", "---\n", "---\nreaders: group:", "```\n"])
def test_much_above_and_below_takes_one_pass(piece: str) -> None:
    # Tried from each of its signs anew, this would be 10¹¹ steps.
    text = f"{piece * 300_000}x\nreader group:a\n"
    try:
        assert read_front_matter(text).readers is None
    except DocumentRejectedError as refused:
        assert refused.kind == REJECTED


@pytest.mark.parametrize("name", ["Human Resources", "a" * 129, "st\\u200baff", "st\\xa0aff"])
def test_a_viewer_that_nobody_can_be_rejects_the_document(name: str) -> None:
    said = refusal(f'---\nreaders: [group:qa, "user:{name}"]\n---\nText.')
    assert "a name that no user and no group can have: at most 128 letters" in said


@pytest.mark.parametrize(
    "readers", ["group:qa", "[group:qa]", "\n- group:qa\n- group:qa", "{0}group:qa{0}".format("'")]
)
@pytest.mark.parametrize("key", ["readers", "Readers", "'readers'"])
def test_viewers_are_a_list_or_one(readers: str, key: str) -> None:
    assert front(f"{key}: {readers}").readers == ("group:qa",)


@pytest.mark.parametrize(
    "text",
    [
        "readers:",
        "readers: []",
        "readers: all",
        "readers: [ann]",
        "readers: ['group:']",
        "readers: ['group: ']",
        "readers: ['Group:a']",
        "readers: ['group:a ']",
        'readers: ["group:a\\u200b"]',
        "readers: [group:a, ~]",
        "readers: [[group:a]]",
        "readers: {group: a}",
        "readers: group:a\nReaders: group:b",
        "reader: group:a",
        "accessControlList: [group:a]",
        "readers: *everybody",
        "readers: !!python/tuple [group:a]",
        "readers: group:a\nreaders: group:b",
        "title: One: two\nreaders: group:a",
        "title: One: two\nread\u200bers: hr",
        "readers: [group:a",
        "access_control_list: [group:a]",
        "Access-Control-List: [group:a]",
        "title: One: two\naccessControlList: [group:a]",
        "meta: {readers: [group:a]}",
    ],
)
def test_viewers_that_are_not_understood_reject_the_document(text: str) -> None:
    assert "The front matter" in refusal(f"---\n{text}\n---\nText.\n")


@pytest.mark.parametrize(
    "text",
    [
        "---\nreaders: group:a\n",
        "---\nstatus: draft\nreaders: group:a\n\nText.\n",
        "---\nstatus: draft\naccess_control_list: group:a\n\nText.\n",
        f"---\nreaders: group:a\nnote: {'x' * 20_000}\n---\n",
        "---\nSome text\nreaders: group:a\n---\n",
    ],
)
def test_viewers_in_front_matter_without_an_end_or_form_reject_the_document(text: str) -> None:
    refusal(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1", "is no YAML at line 2"),
        ("title: The: guide", "is no YAML at line 1"),
        ('a: "\\UFFFFFFFF"', "is no YAML"),
        ("a: \x07", "is no YAML"),
        ("a: 1\nb: 2\na: 3", "has the key 'a' twice"),
        ("a: &x [1]\nb: *x", r"refers to another value by \*x"),
        ("a: !!python/object/apply:os.system ['true']", "names the type of a value by !"),
        ("a: !!str 1", "names the type"),
        ("!local\na: 1", "names the type"),
        ("? [a]\n: 1", "a key that is no text"),
        ("~: 1", "a key that is no text"),
        ("a: [[[[[1]]]]]", "nested deeper than 4"),
        ("a: [" + "1," * 1_000 + "]", "more than 1,000 values"),
        ("a: b\n--- c", "three dashes"),
    ],
)
def test_yaml_that_is_not_used_is_reported_and_the_text_goes_in(text: str, said: str) -> None:
    assert re.search(said, reason(text))


def test_title_and_language_are_read_even_where_they_are_no_yaml() -> None:
    found = front("title: The: guide\nlang: 'de'")
    assert (found.title, found.language) == ("The: guide", "de")


@pytest.mark.parametrize("text", ["a: {b: c}", "a: [[b]]", 'a: "\\ud800"', "a" * 201 + ": b", '"a\\tb": c', "'': b"])
def test_a_field_without_a_usable_name_or_value_is_reported_and_left_out(text: str) -> None:
    found = front(f"{text}\nkept: x")
    assert found.metadata == {"kept": "x"}
    (problem,) = found.problems
    assert "left out" in problem.reason


def test_only_so_many_fields_are_kept() -> None:
    found = front("\n".join(f"a{number}: x" for number in range(MAX_FIELDS + 1)))
    assert (len(found.metadata), len(found.problems)) == (MAX_FIELDS, 1)


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]" for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        "[" * 19_000,
        "a: " + "{" * 19_000,
        "- " * 9_000,
        "? " * 9_000,
        "a: " * 6_000,
        "*a " * 6_000,
        "!a " * 6_000,
        "a: '" + "''" * 9_000,
        '"\\' * 9_000,
        "a: |\n" + " \n" * 9_000,
        "%YAML 1.1\n" * 1_500,
        "a:" + " " * 19_000 + "b",
    ],
)
def test_hostile_yaml_takes_little_memory(text: str) -> None:
    tracemalloc.start()
    try:
        read_front_matter(f"---\n{text}\n---\n")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20_000_000


@given(st.text(alphabet=st.sampled_from("ab:-[]{}'\"!&*|>?,#% \n\t\\~\u0007é"), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = front(text)
    assert found.readers is None
    assert all(isinstance(value, str | tuple) and value for value in found.metadata.values())


@pytest.mark.parametrize("value", ["everyone", "[everyone]", "'everyone'"])
def test_front_matter_may_name_everyone(value: str) -> None:
    assert front(f"readers: {value}").readers == ("everyone",)


@pytest.mark.parametrize("value", ["Everyone", "[everyone, group:qa]", "[everyone, everyone]"])
def test_everyone_stands_alone(value: str) -> None:
    with pytest.raises(DocumentRejectedError, match="readers: everyone"):
        front(f"readers: {value}")
