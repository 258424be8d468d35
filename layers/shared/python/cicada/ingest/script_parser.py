"""Script files as passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePosixPath

from msgspec import Struct, field

from cicada.documents.model import MetadataValue, Passage, ScriptLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest.chunks import Chunk, Chunking, chunks
from cicada.ingest.episodes import Episode, Episodes
from cicada.ingest.metadata import Declared, described
from cicada.ingest.model import ParsedDocument, Problem, SourceFile
from cicada.ingest.script import Script, ScriptDefaults, parse_script
from cicada.ingest.script_json import no_script
from cicada.ingest.sidecar import Sidecar, parse_sidecar
from cicada.knowledge_bases.schema import SchemaOf, no_schema

MAX_PASSAGES = 20_000


class ScriptParser(Struct, frozen=True):
    """A `DocumentParser` of script JSON. Passages of the main language come first, Japanese ones after them.

    Each language has passages of its own, so that a question finds the script in the language that it is asked in.
    Of a sidecar the readers and the attributes count,
    typed by the schema of the knowledge base (`schema_of`); the episode configuration decides on title and language.
    """

    episodes: Episodes
    chunking: Chunking = field(default_factory=Chunking)
    schema_of: SchemaOf = no_schema

    def parse(self, source: SourceFile) -> ParsedDocument:
        sidecar = parse_sidecar(source.sidecar)
        episode = self._episode(source)
        script = parse_script(source.content, ScriptDefaults(episode.language, episode.chapter, _stem(source)))
        if not script.tracks:
            raise DocumentRejectedError(_nothing_readable(script.problems))
        schema = self.schema_of(source.document.base_key.knowledge_base)
        metadata, faults = described(schema, (Declared("sidecar", sidecar.metadata),))
        passages = tuple(islice(self._passages(source, episode, script, sidecar, metadata), MAX_PASSAGES + 1))
        if len(passages) > MAX_PASSAGES:
            raise DocumentRejectedError(f"The script gives more than {MAX_PASSAGES:,} passages; split it by chapter.")
        return ParsedDocument(passages, (*sidecar.problems, *faults, *script.problems))

    def _episode(self, source: SourceFile) -> Episode:
        try:
            return self.episodes.resolve(source)
        except DocumentRejectedError:
            # Only a script misses its episode.
            if parse_script(source.content, ScriptDefaults("en", None, "")).tracks:
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
        found = ((track.language, chunk) for track in script.tracks for chunk in chunks(track, self.chunking))
        for index, (language, chunk) in enumerate(found):
            locator = _locator(episode, chunk)
            yield Passage(
                passage_id=f"{source.document.document_id}#{index:06d}",
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


def _stem(source: SourceFile) -> str:
    return PurePosixPath(source.name).stem


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
