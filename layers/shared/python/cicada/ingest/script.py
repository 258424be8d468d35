"""Parses a script's records into messages.

Records of the types MSGSET (a speech) and STAGE (a stage direction) are read; other types carry no text and are
passed over. A record may hold English and Japanese side by side: each language is a track of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from cicada.errors import DocumentRejectedError
from cicada.ingest.markup import is_whole, plain_text
from cicada.ingest.model import Problem, ScriptMessage, Track
from cicada.ingest.script_json import JsonObject, read_records

MAX_TEXT = 20_000
MAX_PROBLEMS = 100

_SPEECH, _DIRECTION = "MSGSET", "STAGE"


class Script(Struct, frozen=True):
    """A script's tracks, that of the main language first, and the records that could not be read."""

    tracks: tuple[Track, ...]
    problems: tuple[Problem, ...]


class ScriptDefaults(Struct, frozen=True):
    """Defaults for records. `chapter` is used for all records, `own_chapter` for those that name none."""

    language: str
    chapter: str | None
    own_chapter: str


def parse_script(content: bytes, defaults: ScriptDefaults) -> Script:
    """The script's tracks and problems. `DocumentRejectedError` if the file is not a list of records in JSON."""
    main: list[ScriptMessage] = []
    japanese: list[ScriptMessage] = []
    problems: list[Problem] = []
    for number, value in enumerate(read_records(content), start=1):
        try:
            record = _record(value)
        except DocumentRejectedError as error:
            problems.append(Problem(_place(number, value), str(error)))
            continue
        if record is None:
            continue
        if record.text:
            main.append(record.message(record.text, record.speaker or record.japanese_speaker, defaults))
        if record.japanese_text:
            japanese.append(record.message(record.japanese_text, record.japanese_speaker or record.speaker, defaults))
    tracks = [Track(defaults.language, tuple(main)), Track("ja", tuple(japanese))]
    return Script(tuple(track for track in tracks if track.messages), _bounded(problems))


def _plain(value: object) -> object:
    """Plain text; other types are left for validation to refuse."""
    if not isinstance(value, str):
        return "" if value is None else value
    if len(value) > MAX_TEXT:
        raise ValueError(f"longer than {MAX_TEXT:,} characters")
    if not is_whole(value):
        raise ValueError("holds half of a surrogate pair")
    return plain_text(value)


def _name(value: object) -> object:
    """A name, or several that speak together."""
    names = [name for name in (value if isinstance(value, list) else [value]) if name is not None]
    spoken = [name for name in names if isinstance(name, str)]
    return str(_plain(", ".join(spoken))).rstrip(": ") if spoken == names else value


def _label(value: object) -> object:
    return str(value) if type(value) is int else _plain(value)


def _digits(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else value


_Text = Annotated[str, BeforeValidator(_plain)]
_Name = Annotated[str, Field(max_length=100), BeforeValidator(_name)]
_Label = Annotated[str, Field(max_length=200), BeforeValidator(_label)]
_MessageId = Annotated[int, Field(ge=0, le=999_999_999), BeforeValidator(_digits)]


class _Record(BaseModel):
    """A record with text, under the names that plays and game scripts use."""

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    type: str = _SPEECH
    message_id: _MessageId = Field(validation_alias=AliasChoices("messageId", "MessageID"))
    text: _Text = Field("", validation_alias=AliasChoices("textENG", "TextENG"))
    japanese_text: _Text = Field("", validation_alias=AliasChoices("textJPN", "TextJPN"))
    speaker: _Name = Field("", validation_alias=AliasChoices("speaker", "Speaker", "namesENG", "NamesENG"))
    japanese_speaker: _Name = Field("", validation_alias=AliasChoices("namesJPN", "NamesJPN"))
    chapter_id: _Label = Field("", validation_alias=AliasChoices("chapterId", "ChapterID"))
    chapter_title: _Label = Field("", validation_alias=AliasChoices("chapterTitle", "ChapterTitle"))

    def message(self, text: str, speaker: str, defaults: ScriptDefaults) -> ScriptMessage:
        chapter = defaults.chapter or self.chapter_id or defaults.own_chapter
        direction = self.type == _DIRECTION
        return ScriptMessage(
            chapter, self.chapter_title, self.message_id, "" if direction else speaker, text, direction
        )


def _record(value: object) -> _Record | None:
    """None for a record of a type that carries no text. `DocumentRejectedError` for one that is broken."""
    if not isinstance(value, JsonObject):
        raise DocumentRejectedError("A record must be an object.")
    if value.repeated:
        raise DocumentRejectedError(f"The key '{value.repeated[:40]}' stands there twice.")
    kind = value.get("type", _SPEECH)
    if isinstance(kind, str) and kind not in (_SPEECH, _DIRECTION):
        return None
    try:
        record = _Record.model_validate(value)
    except ValidationError as error:
        raise DocumentRejectedError(_what_is_wrong(error)) from error
    if not record.text and not record.japanese_text:
        raise DocumentRejectedError("The record has no text: fill textENG or textJPN.")
    return record


def _what_is_wrong(error: ValidationError) -> str:
    """The fields and reasons without the values, which are the script's text."""
    return "; ".join(f"{each['loc'][0]}: {_in_short(each['msg'])}" for each in error.errors()) + "."


def _in_short(message: str) -> str:
    return message.removeprefix("Value error, ").removeprefix("Input ")


def _place(number: int, value: object) -> str:
    found: Mapping[str, Any] = value if isinstance(value, JsonObject) else {}
    message_id = found.get("messageId", found.get("MessageID"))
    known = type(message_id) is int and 0 <= message_id <= 999_999_999
    return f"record {number} (messageId {message_id})" if known else f"record {number}"


def _bounded(problems: list[Problem]) -> tuple[Problem, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    rest = Problem("", f"{len(problems) - MAX_PROBLEMS:,} more records could not be read.")
    return (*problems[:MAX_PROBLEMS], rest)
