"""Episodes by file pattern."""

from __future__ import annotations

import pytest

from cicada.errors import ConfigurationError, DocumentRejectedError
from cicada.ingest.episodes import Episode, parse_episodes
from tests.unit.ingest.scripts import shipped_episodes, source

ONIK = """
[[episode]]
pattern = "onik_*.json"
episode_id = "onikakushi"
episode_name = "Onikakushi"
chapter = "Chapter {1}"
"""


def entry(**fields: str) -> str:
    return "[[episode]]\n" + "\n".join(f"{key} = {value}" for key, value in fields.items())


@pytest.mark.parametrize("name", ["macbeth.json", "macbeth_act1.json", "Macbeth.JSON", "season/1/macbeth.json"])
def test_the_shipped_configuration_knows_the_samples(name: str) -> None:
    assert shipped_episodes().resolve(source(name)) == Episode("macbeth", "Macbeth", None, "en")


def test_a_file_that_matches_no_pattern_is_rejected_by_name_and_with_what_to_add() -> None:
    with pytest.raises(DocumentRejectedError, match=r"othello\.json.*\[\[episode\]\].*pattern.*episode_id"):
        shipped_episodes().resolve(source("othello.json"))


def test_a_chapter_may_come_from_the_file_name() -> None:
    assert parse_episodes(ONIK).resolve(source("onik_07.json")).chapter == "Chapter 07"


def test_a_pattern_with_a_slash_is_held_against_the_whole_path() -> None:
    episodes = parse_episodes(
        entry(pattern='"day ?/*.json"', episode_id='"a"', episode_name='"A"', chapter='"{1}-{2}"')
    )
    assert episodes.resolve(source("day 2/night.json")).chapter == "2-night"
    with pytest.raises(DocumentRejectedError):
        episodes.resolve(source("day 2/more/night.json"))


def test_the_first_pattern_that_matches_decides() -> None:
    special = entry(pattern='"onik_end.json"', episode_id='"end"', episode_name='"End"')
    assert parse_episodes(special + ONIK).resolve(source("onik_end.json")).episode_id == "end"


@pytest.mark.parametrize("pattern", ["a[b].json", "a+.json", "(a).json"])
def test_signs_other_than_wildcards_stand_for_themselves(pattern: str) -> None:
    episodes = parse_episodes(entry(pattern=f'"{pattern}"', episode_id='"a"', episode_name='"A"'))
    assert episodes.resolve(source(pattern)).episode_id == "a"
    with pytest.raises(DocumentRejectedError):
        episodes.resolve(source("ab.json"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[episode", "not valid TOML"),
        ("episode = 3", r"under \[\[episode\]\]"),
        ("episode = [3]", r"under \[\[episode\]\]"),
        (entry(pattern='"a"'), "Entry 1 .* lacks episode_id, episode_name"),
        (entry(pattern='"a"', episode_id="3", episode_name='"A"'), "Entry 1 .* episode_id is not text"),
        (entry(pattern='" "', episode_id='"a"', episode_name='"A"'), "pattern must be text that is not empty"),
        (entry(pattern='"a"', episode_id='"a"', episode_name='"A"', season='"1"'), "unknown key 'season'"),
        (entry(pattern='"a*"', episode_id='"a"', episode_name='"A"', chapter='"{2}"'), r"uses \{2\}.* 1 wildcards"),
        (entry(pattern='"a*"', episode_id='"a"', episode_name='"A"', chapter='"{0}"'), r"uses \{0\}"),
    ],
)
def test_a_mistake_in_the_configuration_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        parse_episodes(text)
