"""Script JSON, good, broken and hostile."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest

from cicada.errors import DocumentRejectedError
from cicada.ingest.model import Problem, ScriptMessage, Track
from cicada.ingest.script import Script, ScriptDefaults, parse_script
from tests.unit.ingest.scripts import play, script, speech

GOOD = speech(612, "The queen, my lord, is dead.")


def parse(content: bytes, **defaults: Any) -> Script:
    return parse_script(
        content, ScriptDefaults(**{"language": "en", "chapter": None, "own_chapter": "file"} | defaults)
    )


def rejection(content: bytes) -> str:
    with pytest.raises(DocumentRejectedError) as caught:
        parse(content)
    return str(caught.value)


def the_problem(record: object) -> Problem:
    """The one problem of a script whose other records are good, and are all read."""
    read = parse(script(speech(1, "Before."), record, speech(3, "After.")))
    assert [message.message_id for track in read.tracks for message in track.messages] == [1, 3]
    (problem,) = read.problems
    return problem


def test_a_play_is_read_whole() -> None:
    read = parse(play("macbeth"))
    (track,) = read.tracks
    assert (track.language, len(track.messages), read.problems) == ("en", 677, ())
    assert track.messages[0] == ScriptMessage(
        "1.1", "A desert place.", 1, "", "Thunder and lightning. Enter three Witches", is_direction=True
    )
    assert track.messages[1].speaker == "First Witch"


def test_a_game_script_gives_a_track_for_each_language() -> None:
    records = [
        {"type": "SAVEINFO", "category": 1, "JPN": "一", "ENG": "One"},
        {
            "type": "MSGSET",
            "MessageID": 101,
            "NamesJPN": "レナ",
            "NamesENG": "Rena",
            "TextJPN": "嘘だ！",
            "TextENG": "Lie!",
        },
        {"type": "MSGSET", "MessageID": 102, "TextJPN": "ひぐらしが鳴く。", "TextENG": ""},
        {"type": "SELECT", "count": 2},
    ]
    read = parse(json.dumps(records, ensure_ascii=False).encode(), own_chapter="onik_01")
    assert read.problems == ()
    assert read.tracks == (
        Track("en", (ScriptMessage("onik_01", "", 101, "Rena", "Lie!"),)),
        Track(
            "ja",
            (
                ScriptMessage("onik_01", "", 101, "レナ", "嘘だ！"),
                ScriptMessage("onik_01", "", 102, "", "ひぐらしが鳴く。"),
            ),
        ),
    )


def test_the_records_may_stand_under_main() -> None:
    assert parse(json.dumps({"Main": [GOOD]}).encode()).tracks


def test_a_language_without_names_uses_the_names_of_the_other() -> None:
    read = parse(script({"messageId": 1, "Speaker": "Rena", "textENG": "Lie!", "textJPN": "嘘だ！"}))
    assert [track.messages[0].speaker for track in read.tracks] == ["Rena", "Rena"]


def test_several_may_speak_together() -> None:
    read = parse(script({"messageId": "12", "namesENG": ["Rena", None, "Mion:"], "textENG": "Lie!"}))
    assert read.tracks[0].messages[0] == ScriptMessage("file", "", 12, "Rena, Mion", "Lie!")


def test_a_chapter_of_the_configuration_wins_over_the_records() -> None:
    assert parse(script(GOOD), chapter="Chapter 7").tracks[0].messages[0].chapter_id == "Chapter 7"


def test_the_main_language_is_that_of_the_configuration() -> None:
    assert parse(script(GOOD), language="de").tracks[0].language == "de"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_unicode_is_read_with_or_without_its_mark(encoding: str) -> None:
    content = json.dumps([speech(1, "Où est “Seyton”?")], ensure_ascii=False).encode(encoding)
    assert parse(content).tracks[0].messages[0].text == "Où est “Seyton”?"


@pytest.mark.parametrize(
    ("record", "place", "reason"),
    [
        (None, "record 2", "must be an object"),
        (["MSGSET"], "record 2", "must be an object"),
        ("text", "record 2", "must be an object"),
        ({"type": "MSGSET", "textENG": "No id."}, "record 2", "messageId: Field required"),
        (speech(2, "x", messageId=True), "record 2", "messageId: should be a valid integer"),
        (speech(2, "x", messageId=2.5), "record 2", "messageId: should be a valid integer"),
        (speech(2, "x", messageId="two"), "record 2", "messageId: should be a valid integer"),
        (speech(2, "x", messageId=10**300), "record 2", "messageId: should be less than"),
        (speech(2, "x", messageId=-1), "record 2", "messageId: should be greater than"),
        (speech(2, ""), "record 2 (messageId 2)", "has no text"),
        (speech(2, "<br>\u200b"), "record 2 (messageId 2)", "has no text"),
        ({"type": "MSGSET", "messageId": 2}, "record 2 (messageId 2)", "has no text"),
        ({"type": "MSGSET", "MessageID": 2, "TextENG": 7}, "record 2 (messageId 2)", "should be a valid string"),
        (speech(2, "x", speaker={"name": "x"}), "record 2 (messageId 2)", "should be a valid string"),
        (
            speech(2, "x", speaker="S" * 101),
            "record 2 (messageId 2)",
            "speaker: String should have at most 100 characters",
        ),
        (speech(2, "x", chapterId=["5.5"]), "record 2 (messageId 2)", "chapterId: should be a valid string"),
        (speech(2, "x", type=5), "record 2 (messageId 2)", "type: should be a valid string"),
        (speech(2, "half a \ud83d pair"), "record 2 (messageId 2)", "textENG: holds half of a surrogate pair"),
        (speech(2, "a" * 1_000_000), "record 2 (messageId 2)", "textENG: longer than 20,000 characters"),
    ],
)
def test_a_broken_record_is_reported_and_the_rest_goes_in(record: object, place: str, reason: str) -> None:
    problem = the_problem(record)
    assert problem.place == place
    assert reason in problem.reason


def test_a_key_that_stands_twice_in_a_record_is_a_problem_of_that_record() -> None:
    content = script(GOOD)[:-2] + b', {"messageId": 2, "textENG": "One.", "textENG": "Two."}]}'
    read = parse(content)
    assert len(read.tracks[0].messages) == 1
    assert read.problems == (Problem("record 2 (messageId 2)", "The key 'textENG' stands there twice."),)


def test_a_problem_does_not_repeat_the_text() -> None:
    assert "secret" not in the_problem(speech(2, "secret", speaker=["secret", 3])).reason


def test_problems_are_counted_beyond_a_hundred() -> None:
    problems = parse(script(GOOD, *[None] * 105)).problems
    assert len(problems) == 101
    assert problems[-1] == Problem("", "5 more records could not be read.")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b" \r\n\t", "is empty"),
        (codecs.BOM_UTF8, "ends in the middle"),
        (script(GOOD)[:-30], "ends in the middle"),
        (script(GOOD)[:-1], "ends in the middle"),
        (b"Seyton: The queen, my lord, is dead.", "not JSON at line 1, column 1"),
        (script(GOOD) + b"}", "not JSON at line 1"),
        (b'{"messages": [{"textENG": "a\nb"}]}', "not JSON at line 1"),
        (
            json.dumps([GOOD | {"speaker": "Où"}], ensure_ascii=False).encode("latin-1"),
            "not in UTF-8 .*save it as UTF-8",
        ),
        (json.dumps([GOOD | {"speaker": "魅音"}], ensure_ascii=False).encode("shift_jis"), "not in UTF-8"),
        (codecs.BOM_UTF16_LE + b"[\x00]", "not in UTF-8"),
        (b"\x00" * 64, "not JSON"),
        (bytes(range(255, 0, -1)), "not in UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[" * 500_000, "more than 200,000 records"),
        (b"[" + b"{}," * 500_000 + b"{}]", "more than 200,000 records"),
        (b"[" + b"0," * 300_000 + b"0]", "more than 200,000 records"),
        (b'[{"messageId": ' + b"9" * 5000 + b"}]", "thousands of digits"),
        (b'[{"messageId": NaN}]', "NaN"),
        (b'[{"messageId": -Infinity}]', "Infinity"),
        (b" " * 16_000_001 + b"[]", "larger than 16 MB"),
        (b"null", "list of records"),
        (b"3", "list of records"),
        (b'{"messages": {"1": {}}}', "list of records"),
        (b'{"episodeId": "macbeth"}', "list of records"),
        (b'{"messages": [], "messages": []}', "key 'messages' twice"),
    ],
)
def test_a_file_that_cannot_be_used_is_rejected_with_what_is_wrong(content: bytes, complaint: str) -> None:
    with pytest.raises(DocumentRejectedError, match=complaint):
        parse(content)


def test_a_truncated_play_is_rejected_wherever_it_ends() -> None:
    content = play("hamlet")
    for length in range(1, len(content) - 2, 9_973):
        assert "upload it again" in rejection(content[:length])
