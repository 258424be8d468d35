"""Passages of scripts, on the real plays."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from msgspec.structs import replace

from cicada.documents.model import Passage, ScriptLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest import script as script_module
from cicada.ingest.chunks import Chunking
from cicada.ingest.script import ScriptParser
from tests.unit.ingest.scripts import play, script, shipped_episodes, source, speech


def passages(name: str, chunking: Chunking | None = None) -> tuple[Passage, ...]:
    parser = ScriptParser(shipped_episodes(), chunking or Chunking())
    return parser.parse(source(f"{name}.json", play(name))).passages


def locator(passage: Passage) -> ScriptLocator:
    assert isinstance(passage.locator, ScriptLocator)
    return passage.locator


def test_a_passage_says_what_it_is_and_where_it_stands() -> None:
    found = next(each for each in passages("macbeth") if "The queen, my lord, is dead." in each.text)
    assert "Seyton: The queen, my lord, is dead." in found.text.split("\n")
    assert found.title == "Macbeth"
    assert found.context == "Macbeth · 5.5 Dunsinane. Within the castle. · Macbeth, Seyton"
    assert found.metadata == {"episode_id": "macbeth", "chapter_id": "5.5", "language": "en"}
    assert (found.version, found.language) == ("v1", "en")
    place = locator(found)
    assert (place.episode_id, place.chapter_id, place.speakers) == ("macbeth", "5.5", ("Macbeth", "Seyton"))
    assert place.first_message <= 628 <= place.last_message


@pytest.mark.parametrize("name", ["macbeth", "hamlet"])
def test_a_play_is_whole_in_its_passages(name: str) -> None:
    """Each message stands in the passages that claim it, and in no other chapter's."""
    found = passages(name)
    for record in json.loads(play(name))["messages"]:
        number, chapter = record["messageId"], record["chapterId"]
        claiming = [each for each in found if locator(each).first_message <= number <= locator(each).last_message]
        assert {locator(each).chapter_id for each in claiming} == {chapter}
        words = Counter(" ".join(each.text for each in claiming).split())
        assert not Counter(record["textENG"].split()[1:-1]) - words


def test_ids_are_unique_in_order_and_the_same_every_time() -> None:
    ids = [each.passage_id for each in passages("hamlet")]
    assert ids == sorted(set(ids)) == [each.passage_id for each in passages("hamlet")]
    assert ids[0] == "hamlet.json#000000"


def test_english_passages_come_first_and_japanese_ones_after_them() -> None:
    content = script(
        speech(1, "Lie!", "Rena", textJPN="嘘だ！", namesJPN="レナ"),
        speech(2, "Cicadas cry.", "", textJPN="ひぐらしが鳴く。"),
    )
    english, japanese = ScriptParser(shipped_episodes()).parse(source("macbeth.json", content)).passages
    assert (english.language, english.text) == ("en", "Rena: Lie!\nCicadas cry.")
    assert (japanese.language, japanese.text) == ("ja", "レナ: 嘘だ！\nひぐらしが鳴く。")
    assert japanese.metadata["language"] == "ja"
    assert locator(japanese).speakers == ("レナ",)
    assert english.passage_id < japanese.passage_id


def test_the_configuration_decides_on_the_episode_and_not_the_file() -> None:
    content = json.dumps({"episodeId": "hamlet", "episodeName": "Hamlet", "messages": [speech(1, "Dead.")]}).encode()
    (found,) = ScriptParser(shipped_episodes()).parse(source("macbeth.json", content)).passages
    assert found.metadata["episode_id"] == locator(found).episode_id == "macbeth"


def test_the_sidecar_gives_viewers_attributes_and_words_to_search_and_no_episode() -> None:
    sidecar = json.dumps(
        {
            "metadataAttributes": {
                "genre": {"value": {"type": "STRING", "stringValue": "tragedy"}, "includeForEmbedding": True},
                "episode_id": "hamlet",
                "_title": "Hamlet",
                "_language_code": "de",
            },
            "accessControlList": [{"name": "ann", "type": "USER", "access": "ALLOW"}],
        }
    ).encode()
    described = replace(source("macbeth.json", script(speech(1, "Dead."))), sidecar=sidecar)
    (found,) = ScriptParser(shipped_episodes()).parse(described).passages
    assert found.readers == ("user:ann",)
    assert found.metadata == {"genre": "tragedy", "episode_id": "macbeth", "chapter_id": "5.5", "language": "en"}
    assert found.context == "Macbeth · 5.5 · Seyton · genre: tragedy"
    assert (found.title, found.language) == ("Macbeth", "en")


def test_a_broken_sidecar_refuses_the_script() -> None:
    described = replace(source("macbeth.json", script(speech(1, "Dead."))), sidecar=b"{")
    with pytest.raises(DocumentRejectedError, match="The sidecar is not JSON"):
        ScriptParser(shipped_episodes()).parse(described)


def test_numbers_that_go_back_still_give_a_range() -> None:
    content = script(speech(7, "First."), speech(3, "Second."))
    (found,) = ScriptParser(shipped_episodes()).parse(source("macbeth.json", content)).passages
    assert (locator(found).first_message, locator(found).last_message) == (3, 7)


def test_without_a_chapter_the_file_name_stands_for_it() -> None:
    content = script({"messageId": 1, "textENG": "Dead."})
    (found,) = ScriptParser(shipped_episodes()).parse(source("macbeth_end.json", content)).passages
    assert found.context == "Macbeth · macbeth_end"


def test_problems_are_passed_on_beside_the_passages() -> None:
    parsed = ScriptParser(shipped_episodes()).parse(source("macbeth.json", script(speech(1, "Dead."), None)))
    assert len(parsed.passages) == 1
    assert [problem.place for problem in parsed.problems] == ["record 2"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (script(), "no record of the type MSGSET or STAGE"),
        (script({"type": "GRAPHIC", "file": "x.png"}), "no record of the type MSGSET or STAGE"),
        (script(3, speech(2, "")), "No record of the script can be read; the first: record 1: A record must be"),
    ],
)
def test_a_script_without_a_message_is_rejected(content: bytes, complaint: str) -> None:
    with pytest.raises(DocumentRejectedError, match=complaint):
        ScriptParser(shipped_episodes()).parse(source("macbeth.json", content))


def test_too_many_passages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_module, "MAX_PASSAGES", 139)
    with pytest.raises(DocumentRejectedError, match="more than 139 passages"):
        passages("macbeth")


@pytest.mark.parametrize("content", [b'{"note": 1}', b'[{"title": "x"}]', b"[1, 2]", b'"text"', b"[]"])
def test_a_stray_json_is_told_apart_from_a_script(content: bytes) -> None:
    with pytest.raises(DocumentRejectedError, match=r"is JSON, but no script: .* Markdown") as caught:
        ScriptParser(shipped_episodes()).parse(source("notes.json", content))
    assert caught.value.kind == "wrong_type"


def test_a_script_without_an_episode_is_told_to_name_one() -> None:
    with pytest.raises(DocumentRejectedError, match="No pattern in the episode configuration"):
        ScriptParser(shipped_episodes()).parse(source("othello.json", play("macbeth")))
