"""Script JSON, good, broken and hostile, and its passages."""

from __future__ import annotations

import codecs
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cicada.documents.model import Passage, ScriptLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest import script as script_module
from cicada.ingest.markup import plain_text
from cicada.ingest.model import ParsedDocument, Problem, ScriptMessage, Track
from cicada.ingest.script import Script, ScriptParser, parse_script
from tests.unit.ingest.documents import rejection
from tests.unit.ingest.scripts import play, script, shipped_episodes, source, speech

GOOD = speech(612, "The queen, my lord, is dead.")


def parse(content: bytes, **defaults: Any) -> Script:
    return parse_script(content, **{"own_chapter": "file"} | defaults)


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
    lie = {"NamesJPN": "レナ", "NamesENG": "Rena", "TextJPN": "嘘だ！", "TextENG": "Lie!"}
    records = [
        {"type": "SAVEINFO", "category": 1, "JPN": "一", "ENG": "One"},
        {"type": "MSGSET", "MessageID": 101, **lie},
        {"type": "MSGSET", "MessageID": 102, "TextJPN": "ひぐらしが鳴く。", "TextENG": ""},
        {"type": "SELECT", "count": 2},
    ]
    read = parse(json.dumps(records, ensure_ascii=False).encode(), own_chapter="onik_01")
    rena, cicadas = ("onik_01", "", 101, "レナ", "嘘だ！"), ("onik_01", "", 102, "", "ひぐらしが鳴く。")
    english = Track("en", (ScriptMessage("onik_01", "", 101, "Rena", "Lie!"),))
    assert (read.problems, read.tracks) == (
        (),
        (english, Track("ja", (ScriptMessage(*rena), ScriptMessage(*cicadas)))),
    )


def test_the_records_may_stand_under_main() -> None:
    assert parse(json.dumps({"Main": [GOOD]}).encode()).tracks


def test_a_language_without_names_uses_the_names_of_the_other() -> None:
    read = parse(script({"messageId": 1, "Speaker": "Rena", "textENG": "Lie!", "textJPN": "嘘だ！"}))
    assert [track.messages[0].speaker for track in read.tracks] == ["Rena", "Rena"]


def test_several_may_speak_together() -> None:
    read = parse(script({"messageId": "12", "namesENG": ["Rena", None, "Mion:"], "textENG": "Lie!"}))
    assert read.tracks[0].messages[0] == ScriptMessage("file", "", 12, "Rena, Mion", "Lie!")


def test_chapter_and_language_are_those_of_the_configuration() -> None:
    [track] = parse(script(GOOD), chapter="Chapter 7", language="de").tracks
    assert (track.messages[0].chapter_id, track.language) == ("Chapter 7", "de")


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
        assert "upload it again" in str(rejection(parse, content[:length]))


def parsed(content: bytes, name: str = "macbeth.json", sidecar: bytes | None = None) -> ParsedDocument:
    return ScriptParser(shipped_episodes()).parse(replace(source(name, content), sidecar=sidecar))


def passages(name: str) -> tuple[Passage, ...]:
    return parsed(play(name), f"{name}.json").passages


def locator(passage: Passage) -> ScriptLocator:
    assert isinstance(passage.locator, ScriptLocator)
    return passage.locator


def test_a_passage_says_what_it_is_and_where_it_stands() -> None:
    found = next(each for each in passages("macbeth") if "The queen, my lord, is dead." in each.text)
    assert "Seyton: The queen, my lord, is dead." in found.text.split("\n")
    assert found.title == "Macbeth"
    assert found.context.split("\n")[0] == "Macbeth · 5.5 Dunsinane. Within the castle. · Macbeth, Seyton"
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
    english, japanese = parsed(content).passages
    assert (english.language, english.text) == ("en", "Rena: Lie!\nCicadas cry.")
    assert (japanese.language, japanese.text) == ("ja", "レナ: 嘘だ！\nひぐらしが鳴く。")
    assert japanese.metadata["language"] == "ja"
    assert locator(japanese).speakers == ("レナ",)
    assert english.passage_id < japanese.passage_id


def test_the_configuration_decides_on_the_episode_and_not_the_file() -> None:
    content = json.dumps({"episodeId": "hamlet", "episodeName": "Hamlet", "messages": [speech(1, "Dead.")]}).encode()
    (found,) = parsed(content).passages
    assert found.metadata["episode_id"] == locator(found).episode_id == "macbeth"


def test_the_sidecar_gives_viewers_attributes_and_words_to_search_and_no_episode() -> None:
    genre = {"value": {"type": "STRING", "stringValue": "tragedy"}, "includeForEmbedding": True}
    attributes = {"genre": genre, "episode_id": "hamlet", "_title": "Hamlet", "_language_code": "de"}
    acl = [{"name": "ann", "type": "USER", "access": "ALLOW"}]
    sidecar = json.dumps({"metadataAttributes": attributes, "accessControlList": acl}).encode()
    (found,) = parsed(script(speech(1, "Silence.")), sidecar=sidecar).passages
    assert found.readers == ("user:ann",)
    assert found.metadata == {"genre": "tragedy", "episode_id": "macbeth", "chapter_id": "5.5", "language": "en"}
    assert (found.context, found.title, found.language) == ("Macbeth · 5.5 · Seyton · genre: tragedy", "Macbeth", "en")


def test_a_broken_sidecar_refuses_the_script() -> None:
    with pytest.raises(DocumentRejectedError, match="The sidecar is not JSON"):
        parsed(script(speech(1, "Silence.")), sidecar=b"{")


def test_numbers_that_go_back_still_give_a_range() -> None:
    content = script(speech(7, "First."), speech(3, "Second."))
    (found,) = parsed(content).passages
    assert (locator(found).first_message, locator(found).last_message) == (3, 7)


def test_without_a_chapter_the_file_name_stands_for_it() -> None:
    content = script({"messageId": 1, "textENG": "Silence."})
    (found,) = parsed(content, "macbeth_end.json").passages
    assert found.context == "Macbeth · macbeth_end"


def test_problems_are_passed_on_beside_the_passages() -> None:
    found = parsed(script(speech(1, "Dead."), None))
    assert (len(found.passages), [problem.place for problem in found.problems]) == (1, ["record 2"])


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
        parsed(content)


def test_too_many_passages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_module, "MAX_PASSAGES", 139)
    with pytest.raises(DocumentRejectedError, match="more than 139 passages"):
        passages("macbeth")


@pytest.mark.parametrize("content", [b'{"note": 1}', b'[{"title": "x"}]', b"[1, 2]", b'"text"', b"[]"])
def test_a_stray_json_is_told_apart_from_a_script(content: bytes) -> None:
    with pytest.raises(DocumentRejectedError, match=r"is JSON, but no script: .* Markdown") as caught:
        parsed(content, "notes.json")
    assert caught.value.kind == "wrong_type"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The queen, my lord, is dead.", "The queen, my lord, is dead."),
        ("one\\ntwo<br>three<BR />four\nfive\r\nsix", "one two three four five six"),
        ("an <i>old</i> <color=#ff0000>red</color> [b]word[/b]", "an old red word"),
        ("<ruby>雛見沢<rp>(</rp><rt>ひなみざわ</rt><rp>)</rp></ruby>村", "雛見沢村"),
        ("@bひなみざわ.@<雛見沢@>村", "雛見沢村"),
        ("@vS01/01/123400001.Hello.@k@vS01/01/123400002. Rena@w300.@|@y", "Hello. Rena"),
        ("``Uso da!``", '"Uso da!"'),
        ("a\x00b\x07c\u200bd\ufeff\u202ee", "a b cde"),
        ("Write to ann@kyoto.example or bob@w3.example", "Write to ann@kyoto.example or bob@w3.example"),
        ("if a < b and c > d", "if a < b and c > d"),
        ("<Enter Macbeth> [Exit]", "<Enter Macbeth> [Exit]"),
        ("cafe\u0301", "café"),
        ("<br><i></i>\u3000 ", ""),
    ],
)
def test_markup_goes_and_words_stay(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@given(st.text(alphabet=st.sampled_from("a <>@b.r[]=/\\n`vS1|\x00ルビ"), max_size=60))
def test_plain_text_is_one_line_without_control_characters(text: str) -> None:
    plain = plain_text(text)
    assert plain == " ".join(plain.split())
    assert plain.isprintable()
