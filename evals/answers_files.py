"""The files of the answers' evaluation: conversations with what must come of each turn, and the documents asked about.

Conversations are one JSON object a line; docs/command-line.md describes the keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from cicada.text import one_line
from cicada_client.events import Source
from evals.lines import DatasetError, problem_of, read_text

_QUOTATION_MARKS = str.maketrans("’‘“”", "''\"\"")


def _listed(value: object) -> object:
    """A value that stands alone, as a list of one."""
    return tuple(value) if isinstance(value, list) else (value,)


def _regex(text: str) -> str:
    try:
        re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression ({error})") from error
    return text


Text = Annotated[str, Field(min_length=1)]
Regex = Annotated[Text, AfterValidator(_regex)]
Regexes = Annotated[tuple[Regex, ...], Field(min_length=1)]
DocumentIds = Annotated[tuple[Text, ...], Field(min_length=1)]


class _Form(BaseModel):
    """An object of the file. A key that it may not have is refused: mistyped, it would count for nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Kept(_Form):
    """A profile or a theory that must be found after the turn, with a text; or that must be `gone`."""

    kind: Literal["profile", "theory"]
    name: Text
    text: Annotated[tuple[Regex, ...], BeforeValidator(_listed)] = ()
    gone: bool = False


class Expectation(_Form):
    """What must come of a turn: all that is given must hold. `about` and `chat` judge nothing."""

    text_any: Regexes | None = None
    text_all: Regexes | None = None
    text_none: Regexes | None = None
    evidence_any: Regexes | None = None
    documents_any: DocumentIds | None = None
    documents_all: DocumentIds | None = None
    documents_none: DocumentIds | None = None
    documents_first: Text | None = None
    listed_exact: tuple[Text, ...] | None = None
    total: Annotated[int, Field(ge=0)] | None = None
    asks_back: bool | None = None
    names_any: Regexes | None = None
    answered: bool | None = None
    kept: Annotated[tuple[Kept, ...], BeforeValidator(_listed)] = ()
    about: DocumentIds | None = None
    chat: bool | None = None

    @property
    def documents(self) -> frozenset[str]:
        """The documents that hold the answer, as far as the file names them."""
        first = (self.documents_first,) if self.documents_first else ()
        named = (self.about, self.documents_any, self.documents_all, self.listed_exact, first)
        return frozenset(each for group in named for each in group or ())

    @property
    def needs_whole_list(self) -> bool:
        """Whether all pages of a list are needed to judge it."""
        return any(
            each is not None
            for each in (self.listed_exact, self.documents_any, self.documents_all, self.documents_none)
        )


class Turn(_Form):
    """A message, and what must come of it; None where that is not judged."""

    message: Text
    expect: Expectation | None = None


class Conversation(_Form):
    """Turns that are asked in one session, in order. `user` is None for whoever runs the command."""

    id: Text
    group: Text
    knowledge_base: Text = Field(alias="knowledgeBase")
    user: Text | None = None
    turns: Annotated[tuple[Turn, ...], Field(min_length=1)]

    @field_validator("group")
    @classmethod
    def _is_not_the_sum(cls, group: str) -> str:
        if group == "all":
            raise ValueError("the report calls the sum of the groups 'all'; choose another name")
        return group


def load_conversations(path: Path) -> list[Conversation]:
    """The conversations of a JSONL file; blank lines are skipped. Raises DatasetError."""
    found: dict[str, Conversation] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        conversation = _conversation(line, path, number)
        if conversation.id in found:
            raise DatasetError(f"{path}, line {number}: there is a conversation {conversation.id} above.")
        found[conversation.id] = conversation
    if not found:
        raise DatasetError(f"{path} holds no conversations; write one JSON object on each line.")
    return list(found.values())


def _conversation(line: str, path: Path, number: int) -> Conversation:
    try:
        return Conversation.model_validate_json(line)
    except ValidationError as error:
        where, what = problem_of(error)
        raise DatasetError(f"{path}, line {number}: {where}: {what.removeprefix('Value error, ')}.") from error


def folded(text: str) -> str:
    """The text on one line, with plain quotation marks: what regular expressions are looked for in."""
    return one_line(text.translate(_QUOTATION_MARKS))


class Documents:
    """The texts of documents, to look a passage up of which a source has only the beginning.

    `folders` have the files as they were ingested: the id of a document is its path below its folder.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._read: dict[str, str] = {}

    def text(self, source: Source) -> str:
        """The source's excerpt, and the document that it is of; of a script the messages of the passage."""
        return folded(f"{source.excerpt} {self._whole(source)}")

    def _whole(self, source: Source) -> str:
        content = self._content(source.document_id)
        if source.locator.messages and source.document_id.endswith(".json"):
            return _messages(content, *source.locator.messages)
        return content

    def _content(self, document_id: str) -> str:
        if document_id not in self._read:
            self._read[document_id] = self._found(document_id)
        return self._read[document_id]

    def _found(self, document_id: str) -> str:
        """The file's text; empty without a file, and for one that is not text."""
        for folder in self._folders:
            path = folder / document_id
            if document_id and path.resolve().is_relative_to(folder.resolve()) and path.is_file():
                try:
                    return path.read_text("utf-8")
                except (OSError, UnicodeDecodeError):
                    continue
        return ""


def _messages(script: str, first: int, last: int) -> str:
    """What is said in the messages of a script with these numbers; empty if the file is not a script."""
    try:
        content = json.loads(script)
    except ValueError:
        return ""
    records: Any = content.get("messages") if isinstance(content, dict) else content
    said = [
        f"{each.get('speaker') or ''}: {each.get('textENG') or ''} {each.get('textJPN') or ''}"
        for each in (records if isinstance(records, list) else ())
        if isinstance(each, dict) and isinstance(each.get("messageId"), int) and first <= each["messageId"] <= last
    ]
    return " ".join(said)
