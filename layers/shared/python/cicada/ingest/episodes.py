"""Maps a script file to its episode by the file's name and a configuration file."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Struct

from cicada.errors import ConfigurationError, DocumentRejectedError
from cicada.ingest.model import SourceFile
from cicada.validation import Check, Form, checked, parse_toml

_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_WILDCARDS = {"*": "([^/]*)", "?": "([^/])"}


class Episode(Struct, frozen=True):
    """The episode of one file. `chapter` is None where the records name their chapters themselves."""

    episode_id: str
    episode_name: str
    chapter: str | None
    language: str


def _blank(text: str) -> str:
    return "" if text.strip() else "must be text that is not empty"


_Text = Annotated[str, Check(_blank)]


class EpisodePattern(Form, frozen=True):
    """One entry of the configuration. `chapter` may hold {1}, {2} …: what the pattern's wildcards matched."""

    pattern: _Text
    episode_id: _Text
    episode_name: _Text
    chapter: _Text | None = None
    language: _Text = "en"

    def match(self, source: SourceFile) -> Episode | None:
        """A pattern with a slash is matched with the path in the knowledge base, any other with the file name."""
        name = source.document.document_id if "/" in self.pattern else source.name
        found = _expression(self.pattern).fullmatch(name)
        if found is None:
            return None
        chapter = self.chapter and _PLACEHOLDER.sub(lambda group: found[int(group[1])], self.chapter)
        return Episode(self.episode_id, self.episode_name, chapter, self.language)


class Episodes(Struct, frozen=True):
    """The patterns in the order of the configuration; the first that matches decides."""

    patterns: tuple[EpisodePattern, ...]

    def resolve(self, source: SourceFile) -> Episode:
        """The file's episode. The file's content is ignored."""
        for pattern in self.patterns:
            if episode := pattern.match(source):
                return episode
        raise DocumentRejectedError(
            f"No pattern in the episode configuration matches '{source.name}'. Add an [[episode]] with pattern = "
            f"'{source.name}', an episode_id and an episode_name to episodes.toml, deploy, and upload the file again."
        )


def parse_episodes(text: str) -> Episodes:
    """Episodes from TOML; `episodes.toml` explains the form. Raises `ConfigurationError`, which says what to fix."""
    data = parse_toml(text, "The episode configuration is not valid TOML")
    entries = data.get("episode", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigurationError("Each entry of the episode configuration must stand under [[episode]].")
    return Episodes(tuple(_pattern(entry, number) for number, entry in enumerate(entries, start=1)))


def _pattern(entry: object, number: int) -> EpisodePattern:
    place = f"Entry {number} of the episode configuration"
    pattern = checked(EpisodePattern, entry, place)
    wildcards = _expression(pattern.pattern).groups
    if beyond := [group for group in _PLACEHOLDER.findall(pattern.chapter or "") if not 1 <= int(group) <= wildcards]:
        raise ConfigurationError(f"{place}: chapter uses {{{beyond[0]}}}, but the pattern has {wildcards} wildcards.")
    return pattern


def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(_WILDCARDS.get(letter) or re.escape(letter) for letter in pattern), re.IGNORECASE)
