"""Scripts of plays: their file, its episodes, and their messages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Annotated, Any, NoReturn

from msgspec import Struct
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from cicada.documents.model import MetadataValue, Passage, ScriptLocator, passage_id_at
from cicada.errors import DocumentRejectedError
from cicada.ingest.chunks import Chunk, Chunking, chunks
from cicada.ingest.episodes import Episode, Episodes
from cicada.ingest.markup import is_whole, plain_text
from cicada.ingest.metadata import Declared, described
from cicada.ingest.model import ParsedDocument, Problem, ScriptMessage, SourceFile, Track
from cicada.ingest.sidecar import Sidecar, parse_sidecar
from cicada.ingest.stage import with_stage_facts

# Reads the JSON of a script file within limits.
#
# A script is a list of records, or an object that holds one under `messages` or `Main`.

MAX_BYTES = 16_000_000
MAX_RECORDS = 200_000

_LIST_KEYS = ("messages", "Main")


class JsonObject(dict[str, Any]):
    """A JSON object that records its duplicate keys, because their values are ambiguous."""

    repeated: str | None = None


def read_records(content: bytes) -> list[Any]:
    """The list of records, in UTF-8 or in UTF-16 with its byte order mark, objects as `JsonObject`s.

    `DocumentRejectedError` for a file that is empty, cut off, in another encoding, no JSON, or made to exhaust memory.
    """
    document = found = _json(content)
    if isinstance(document, JsonObject):
        if document.repeated:
            raise DocumentRejectedError(f"The file has its key '{document.repeated[:40]}' twice.")
        found = next((document[key] for key in _LIST_KEYS if key in document), None)
    if not isinstance(found, list):
        raise no_script()
    if len(found) > MAX_RECORDS:
        raise _too_many()
    return found


def no_script() -> DocumentRejectedError:
    """The refusal of JSON that somebody keeps among documents."""
    return DocumentRejectedError(
        "The file is JSON, but no script: a script is a list of records with messageId, speaker and textENG or "
        "textJPN, or an object with such a list under 'messages'. Other JSON is not read; upload what is to be found "
        "as Markdown or text.",
        "wrong_type",
    )


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        made.repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
    return made


def _no_number(name: str) -> NoReturn:
    raise DocumentRejectedError(f"The file holds {name}, which is not JSON; replace it by a number or by null.")


def _json(content: bytes) -> object:
    _check_size(content)
    try:
        return json.loads(content, object_pairs_hook=_object, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise DocumentRejectedError(
            f"The file is not in UTF-8 (byte {error.start + 1}); save it as UTF-8 and upload it again."
        ) from error
    except json.JSONDecodeError as error:
        raise DocumentRejectedError(_where_json_breaks(error)) from error
    except RecursionError as error:
        raise DocumentRejectedError("The file's lists and objects are nested too deeply for a script.") from error
    except ValueError as error:
        raise DocumentRejectedError("The file holds a number of thousands of digits.") from error


def _check_size(content: bytes) -> None:
    if not content.strip():
        raise DocumentRejectedError("The file is empty; upload it again.")
    if len(content) > MAX_BYTES:
        raise DocumentRejectedError(f"The script is larger than {MAX_BYTES // 1_000_000} MB; split it by chapter.")
    # The size is checked before parsing, since objects take many times the memory of their text.
    if content.count(b"{") + content.count(b"[") > 2 * MAX_RECORDS:
        raise _too_many()


def _too_many() -> DocumentRejectedError:
    return DocumentRejectedError(f"The script has more than {MAX_RECORDS:,} records; split it by chapter.")


def _where_json_breaks(error: json.JSONDecodeError) -> str:
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"The file ends in the middle, at line {error.lineno}; upload it again, whole."
    return f"The file is not JSON at line {error.lineno}, column {error.colno}: {error.msg}."


# Parses a script's records into messages.
#
# Records of the types MSGSET (a speech) and STAGE (a stage direction) are read; other types carry no text and are
# passed over. A record may hold English and Japanese side by side: each language is a track of its own.

MAX_TEXT = 20_000
MAX_PROBLEMS = 100

_SPEECH, _DIRECTION = "MSGSET", "STAGE"


class Script(Struct, frozen=True):
    """A script's tracks, that of the main language first, and the records that could not be read."""

    tracks: tuple[Track, ...]
    problems: tuple[Problem, ...]


def parse_script(content: bytes, language: str = "en", chapter: str | None = None, own_chapter: str = "") -> Script:
    """The script's tracks and problems. `DocumentRejectedError` if the file is not a list of records in JSON.

    `language`: that of the main track. `chapter` is used for all records, `own_chapter` for those that name none.
    """
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
        place = chapter or record.chapter_id or own_chapter
        if record.text:
            main.append(record.message(record.text, record.speaker or record.japanese_speaker, place))
        if record.japanese_text:
            japanese.append(record.message(record.japanese_text, record.japanese_speaker or record.speaker, place))
    tracks = [Track(language, tuple(main)), Track("ja", tuple(japanese))]
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

    def message(self, text: str, speaker: str, chapter: str) -> ScriptMessage:
        direction = self.type == _DIRECTION
        return ScriptMessage(
            chapter, self.chapter_title, self.message_id, "" if direction else speaker, text, direction
        )


def _record(value: object) -> _Record | None:
    """The record; None if its type carries no text. `DocumentRejectedError` for one that is broken."""
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


MAX_PASSAGES = 20_000


class ScriptParser(Struct, frozen=True):
    """A `DocumentParser` of script JSON. Passages of the main language come first, Japanese ones after them.

    Each language has passages of its own, so that a question finds the script in the language that it is asked in.
    Of a sidecar the viewers and the attributes count, typed by the source's schema; the episode configuration decides
    on title and language.
    """

    episodes: Episodes

    def parse(self, source: SourceFile) -> ParsedDocument:
        sidecar = parse_sidecar(source.sidecar)
        episode = self._episode(source)
        script = parse_script(source.content, episode.language, episode.chapter, PurePosixPath(source.name).stem)
        if not script.tracks:
            raise DocumentRejectedError(_nothing_readable(script.problems))
        metadata, faults = described(source.schema, (Declared("sidecar", sidecar.metadata),))
        passages = tuple(islice(self._passages(source, episode, script, sidecar, metadata), MAX_PASSAGES + 1))
        if len(passages) > MAX_PASSAGES:
            raise DocumentRejectedError(f"The script gives more than {MAX_PASSAGES:,} passages; split it by chapter.")
        return ParsedDocument(with_stage_facts(passages), (*sidecar.problems, *faults, *script.problems))

    def _episode(self, source: SourceFile) -> Episode:
        try:
            return self.episodes.resolve(source)
        except DocumentRejectedError:
            # Only a script misses its episode.
            if parse_script(source.content).tracks:
                raise
            raise no_script() from None

    def _passages(
        self,
        source: SourceFile,
        episode: Episode,
        script: Script,
        sidecar: Sidecar,
        metadata: Mapping[str, MetadataValue],
    ) -> Iterator[Passage]:
        found = ((track.language, chunk) for track in script.tracks for chunk in chunks(track, Chunking()))
        for index, (language, chunk) in enumerate(found):
            locator = _locator(episode, chunk)
            yield Passage(
                passage_id=passage_id_at(source.document.document_id, index),
                document=source.document,
                version=source.version,
                title=episode.episode_name,
                text=chunk.text,
                context=" · ".join((_context(locator), *sidecar.embedded)),
                locator=locator,
                language=language,
                metadata={
                    **metadata,
                    "episode_id": episode.episode_id,
                    "chapter_id": locator.chapter_id,
                    "language": language,
                },
                readers=sidecar.readers,
            )


def _locator(episode: Episode, chunk: Chunk) -> ScriptLocator:
    ids = [message.message_id for message in chunk.messages]
    return ScriptLocator(
        episode_id=episode.episode_id,
        episode_name=episode.episode_name,
        chapter_id=chunk.messages[0].chapter_id,
        chapter_title=next((message.chapter_title for message in chunk.messages if message.chapter_title), ""),
        first_message=min(ids),
        last_message=max(ids),
        speakers=chunk.speakers,
    )


def _context(locator: ScriptLocator) -> str:
    place = f"{locator.chapter_id} {locator.chapter_title}".strip()
    return " · ".join(part for part in (locator.episode_name, place, ", ".join(locator.speakers)) if part)


def _nothing_readable(problems: tuple[Problem, ...]) -> str:
    if problems:
        return f"No record of the script can be read; the first: {problems[0].place}: {problems[0].reason}"
    return "The script has no record of the type MSGSET or STAGE."
