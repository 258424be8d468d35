"""The YAML front matter of a Markdown file: title, language, viewers and metadata.

    ---
    title: Returns policy
    lang: en
    status: approved
    tags: [returns, refunds]
    readers: ["group:staff", "user:ann"]
    ---

All values are read as texts; the schema of the knowledge base types them. Aliases, type tags and duplicate keys are
not used: they would let a short text become a large one, or leave open which value was meant. Where viewers are named
in a way that is not understood, the document is rejected, as it is for a sidecar.

Empty lines, invisible characters and HTML comments may stand above it, such as the note of a licence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import REJECTED, may_name_viewers, names_access, refuse_misplaced_access_list, restricts
from cicada.ingest.markup import INVISIBLE, is_whole, plain_line
from cicada.ingest.model import EVERYONE, Problem
from cicada.permissions import NAME_RULE, can_be_named
from cicada.text import skeleton

PLACE = "front matter"
MAX_CHARACTERS = 20_000
MAX_VALUES = 1_000
MAX_DEPTH = 4
MAX_FIELDS = 50
MAX_NAME = 200

_BLANK = re.compile(rf"(?:\s|{INVISIBLE.pattern})*")
_BEGIN = re.compile(r"---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_LINE = re.compile(r"(title|lang|language):(.*)", re.IGNORECASE)
_ACCESS_KEYS = ("reader", "accesscontrollist")
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_NULLS = ("", "~", "null", "Null", "NULL")

Value = str | tuple[str, ...]


class FrontMatter(Struct, frozen=True):
    """`length`: the characters of the file that belong to it; 0 for a file without one. `readers`: None if not said."""

    length: int = 0
    title: str = ""
    language: str = ""
    readers: tuple[str, ...] | None = None
    metadata: Mapping[str, Value] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """The front matter at the beginning of the text. `DocumentRejectedError` if it may name viewers and is unclear."""
    top = _top(text)
    front = _at(text, top)
    if front.readers is None:
        # They may be named elsewhere.
        refuse_misplaced_access_list(text[:top])
        refuse_misplaced_access_list(text[max(top, front.length) :])
    return front


def _top(text: str) -> int:
    """The offset at which the text begins, below comments and what nobody sees."""
    at = 0
    while True:
        blank = _BLANK.match(text, at)
        at = blank.end() if blank else at
        # A comment such as `<!-->` is a whole one.
        end = text.find("-->", at + 2) if text.startswith("<!--", at) else -1
        if end < 0:
            return at
        at = end + 3


def _at(text: str, top: int) -> FrontMatter:
    begin = _BEGIN.match(text, top)
    if not begin or _is_indented(text, top):
        return FrontMatter()
    end = _END.search(text, begin.end())
    if not end or end.start() - begin.end() > MAX_CHARACTERS:
        # The lines below, up to the first empty one.
        if may_name_viewers(text[begin.end() :].partition("\n\n")[0]):
            raise _unclear(f"has no end within {MAX_CHARACTERS:,} characters; end it by a line of three dashes")
        return FrontMatter()
    inner = text[begin.end() : end.start()]
    try:
        values = _values(inner)
    except _NotUsableError as error:
        return _unusable(inner, end.end(), str(error))
    return _read(values, end.end()) if values is not None else _no_table(inner)


def _is_indented(text: str, at: int) -> bool:
    return text[text.rfind("\n", 0, at) + 1 : at].isspace()


class _NotUsableError(Exception):
    """Why the YAML cannot be used, as a part of a sentence."""


def _unusable(inner: str, length: int, reason: str) -> FrontMatter:
    letters = _BETWEEN_WORDS.sub("", skeleton(inner))
    if may_name_viewers(inner) or any(key in letters for key in _ACCESS_KEYS):
        raise _unclear(reason)
    # People write `title: One: two`, which is no YAML.
    lines = (_LINE.fullmatch(line) for line in inner.split("\n"))
    said: dict[str, str] = {}
    for line in filter(None, lines):
        if value := plain_line(_unquoted(line[2].strip())):
            said.setdefault(line[1].lower(), value)
    problem = Problem(PLACE, f"The front matter {reason}; only its title and language are used.", "metadata")
    return FrontMatter(length, said.get("title", ""), said.get("lang", said.get("language", "")), problems=(problem,))


def _no_table(inner: str) -> FrontMatter:
    """Text between two lines of dashes is text."""
    if may_name_viewers(inner):
        raise _unclear("is no list of names with values")
    return FrontMatter()


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text


def _read(values: Mapping[str, Any], length: int) -> FrontMatter:
    readers: tuple[str, ...] | None = None
    texts: dict[str, Value] = {}
    problems: list[Problem] = []
    for name, value in values.items():
        if names_access(name):
            readers = _viewers(name, value, readers)
        elif restricts(name, value):
            raise _unclear(f"has readers under '{plain_line(name)[:40]}'; name them at the top, under readers")
        elif isinstance(found := _field(name, value), Problem):
            problems.append(found)
        elif found is not None:
            texts[name] = found
    title, language = _one(texts, "title"), _one(texts, "lang", "language")
    kept = dict(list(texts.items())[:MAX_FIELDS])
    if len(texts) > len(kept):
        problems.append(Problem(PLACE, f"Only the first {MAX_FIELDS} fields are kept.", "metadata"))
    return FrontMatter(length, title, language, readers, kept, tuple(problems))


def _one(texts: dict[str, Value], *names: str) -> str:
    """The text of the first name that has one; all of the names are taken out.

    Where a name is not written so, a text under it in another case counts.
    """
    for name in names:
        others = [each for each in texts if each.casefold() == name and isinstance(texts[each], str)]
        if name not in texts and others:
            texts[name] = texts.pop(others[0])
    found = [texts.pop(name, "") for name in names]
    return next((each for each in found if isinstance(each, str) and each), "")


def _viewers(name: str, value: object, before: tuple[str, ...] | None) -> tuple[str, ...]:
    if name.strip().casefold() != "readers" or before is not None:
        raise _unclear(f"has the key '{name[:40]}'; name the readers once, under readers")
    entries = value if isinstance(value, list) else [value]
    if tuple(entries) == EVERYONE:
        return EVERYONE
    for entry in entries:
        kind, _, viewer = entry.partition(":") if isinstance(entry, str) else ("", "", "")
        if kind not in ("user", "group"):
            raise _unclear(
                'has readers that are not understood; name each as "group:<name>" or "user:<id>", or write '
                "readers: everyone"
            )
        if not can_be_named(viewer):
            raise _unclear(f"has a reader with a name that no user and no group can have: {NAME_RULE}")
    if not entries:
        raise _unclear("has an empty list of readers; name them, or leave readers out")
    return tuple(sorted(set(entries)))


def _field(name: str, value: object) -> Value | Problem | None:
    """The value as text or texts; None for one that is empty."""
    if not 0 < len(name) <= MAX_NAME or name != plain_line(name):
        return Problem(PLACE, f"'{plain_line(name)[:40]}' is no name of a field, and it is left out.", "metadata")
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, list | dict) or (isinstance(part, str) and not is_whole(part)) for part in parts):
        reason = f"The field '{name[:40]}' is no text, number, date or list of them, and it is left out."
        return Problem(PLACE, reason, "metadata")
    texts = tuple(text for part in parts if isinstance(part, str) and (text := plain_line(part)))
    if not isinstance(value, list):
        return texts[0] if texts else None
    return texts or None


def _values(inner: str) -> dict[str, Any] | None:
    """The names and their values: None, texts, lists and tables of them. None if it is no table."""
    import yaml

    try:
        value = _Builder(yaml).built(yaml.parse(inner, Loader=yaml.BaseLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise _NotUsableError(f"is no YAML{f' at line {mark.line + 1}' if mark else ''}; correct it") from error
    except (OverflowError, ValueError) as error:
        # An escape such as "\UFFFFFFFF" is no letter, and PyYAML does not say so in an error of its own.
        raise _NotUsableError("is no YAML: an escape in it is no letter; correct it") from error
    return {} if value is None else value if isinstance(value, dict) else None


class _Builder:
    """Builds values from the events of PyYAML, within bounds. Nothing of the library's own constructors is used."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self._left = MAX_VALUES

    def built(self, events: Iterator[Any]) -> Any:
        """The value of the only document."""
        value: Any = None
        documents = 0
        for event in events:
            if isinstance(event, self._yaml.DocumentStartEvent):
                documents += 1
            elif isinstance(event, self._yaml.NodeEvent):
                value = self._value(event, events, 1)
            if documents > 1:
                raise _NotUsableError("has a line that begins with three dashes; remove it")
        return value

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        self._check(event, depth)
        if isinstance(event, self._yaml.ScalarEvent):
            return None if event.style is None and event.value in _NULLS else event.value
        if isinstance(event, self._yaml.SequenceStartEvent):
            return [self._value(each, events, depth + 1) for each in self._until_end(events)]
        return self._table(events, depth)

    def _table(self, events: Iterator[Any], depth: int) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for each in self._until_end(events):
            name = self._value(each, events, depth + 1)
            if not isinstance(name, str):
                raise _NotUsableError("has a key that is no text; write a name")
            if name in table:
                raise _NotUsableError(f"has the key '{plain_line(name)[:40]}' twice; keep one")
            table[name] = self._value(next(events), events, depth + 1)
        return table

    def _until_end(self, events: Iterator[Any]) -> Iterator[Any]:
        for event in events:
            if isinstance(event, self._yaml.CollectionEndEvent):
                return
            yield event

    def _check(self, event: Any, depth: int) -> None:
        self._left -= 1
        if isinstance(event, self._yaml.AliasEvent):
            raise _NotUsableError(f"refers to another value by *{event.anchor[:40]}; write the value itself")
        if event.tag is not None and event.tag != "!":
            raise _NotUsableError("names the type of a value by !; leave it out")
        if depth > MAX_DEPTH or self._left < 0:
            raise _NotUsableError(f"has more than {MAX_VALUES:,} values, or is nested deeper than {MAX_DEPTH}")


def _unclear(what: str) -> DocumentRejectedError:
    return DocumentRejectedError(
        f"The front matter {what}. The document stays out, for who may read it is unknown.", REJECTED
    )
