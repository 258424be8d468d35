"""Chunks: what they hold, where they end, how large they are."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cicada.ingest.chunks import Chunk, Chunking, chunks, repeated, size_of, split_text
from cicada.ingest.model import ScriptMessage, Track

LETTERS = st.sampled_from("abcdefgh .,!?;:”)(。、」嘘é ")
# Repeated, for long texts are what is cut.
TEXTS = (
    st.builds(lambda text, times: " ".join((text * times).split()), st.text(LETTERS, min_size=1), st.integers(1, 12))
).filter(bool)
SPEAKERS = st.sampled_from(["", "Macbeth", "Lady Macbeth", "魅音"])
CHAPTERS = st.lists(st.integers(1, 9), max_size=5)


@st.composite
def tracks(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS) -> Track:
    """Chapters of different names, whose messages are numbered through."""
    messages: list[ScriptMessage] = []
    for chapter, length in enumerate(draw(CHAPTERS)):
        for _ in range(length):
            text, speaker, direction = draw(texts), draw(SPEAKERS), draw(st.booleans())
            number = len(messages) + 1
            messages.append(ScriptMessage(str(chapter), "", number, "" if direction else speaker, text, direction))
    return Track("en", tuple(messages))


CHUNKINGS = st.builds(Chunking, limit=st.integers(60, 300), overlap=st.integers(0, 3))


def words_of(chunk: Chunk, message: ScriptMessage) -> str:
    """What a chunk has of a message, without spaces, which a cut between two chunks may take."""
    before, after = ("(", ")") if message.is_direction else (f"{message.speaker}: " if message.speaker else "", "")
    lines = [text for text, each in zip(chunk.text.split("\n"), chunk.messages, strict=True) if each == message]
    return "".join(line.removeprefix(before).removesuffix(after) for line in lines).replace(" ", "")


@given(tracks(), CHUNKINGS)
def test_no_chunk_is_larger_than_the_limit_or_crosses_a_chapter(track: Track, chunking: Chunking) -> None:
    for chunk in chunks(track, chunking):
        assert size_of(chunk.text) <= chunking.limit
        assert len({message.chapter_id for message in chunk.messages}) == 1


@given(tracks(), CHUNKINGS)
def test_every_text_is_whole_in_the_chunks_of_its_chapter(track: Track, chunking: Chunking) -> None:
    found = list(chunks(track, chunking))
    for message in track.messages:
        words = "".join(words_of(chunk, message) for chunk in found if message in chunk.messages)
        assert message.text.replace(" ", "") in words


@given(tracks(), CHUNKINGS)
def test_messages_stay_in_order_and_none_is_skipped(track: Track, chunking: Chunking) -> None:
    seen = 0
    for chunk in chunks(track, chunking):
        numbers = [message.message_id for message in chunk.messages]
        assert numbers == sorted(numbers)
        assert numbers[-1] >= seen >= numbers[0] - 1
        seen = numbers[-1]
    assert seen == len(track.messages)


@given(tracks(), st.integers(60, 300))
def test_chunks_without_what_they_repeat_have_every_line_once(track: Track, limit: int) -> None:
    found = list(chunks(track, Chunking(limit)))
    lines: list[str] = []
    for before, chunk in zip([None, *found], found, strict=False):
        same = before is not None and before.messages[0].chapter_id == chunk.messages[0].chapter_id
        again = repeated(before.text, chunk.text, Chunking(limit)) if before and same else ""
        lines += chunk.text.split("\n")[again.count("\n") + 1 if again else 0 :]
    assert lines == [line for chunk in chunks(track, Chunking(limit, overlap=0)) for line in chunk.text.split("\n")]


@given(tracks(TEXTS.map(lambda text: text[:30].strip()).filter(bool)), st.integers(100, 200), st.integers(0, 3))
def test_a_chunk_starts_with_at_most_the_overlap_and_that_is_short(track: Track, limit: int, overlap: int) -> None:
    chunking = Chunking(limit, overlap)
    for before, after in pairwise(chunks(track, chunking)):
        repeated = [message for message in after.messages if message in before.messages]
        assert len(repeated) <= overlap
        assert (
            tuple(repeated)
            == after.messages[: len(repeated)]
            == before.messages[len(before.messages) - len(repeated) :]
        )
        assert all(size_of(line) <= chunking.short for line in after.text.split("\n")[: len(repeated)])


@given(TEXTS, st.integers(2, 80))
def test_the_pieces_of_a_text_add_up_to_it(text: str, limit: int) -> None:
    pieces = split_text(text, limit)
    assert all(0 < size_of(piece) <= limit for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


def line(number: int, text: str, speaker: str = "Seyton") -> ScriptMessage:
    return ScriptMessage("5.5", "Dunsinane.", number, speaker, text)


def packed(*messages: ScriptMessage, limit: int = 60, overlap: int = 0) -> list[str]:
    return [chunk.text for chunk in chunks(Track("en", messages), Chunking(limit, overlap))]


def test_lines_name_the_speaker_and_bracket_the_directions() -> None:
    direction = ScriptMessage("5.5", "", 1, "", "Enter SEYTON", is_direction=True)
    assert packed(direction, line(2, "The queen is dead."), line(3, "Cicadas cry.", "")) == [
        "(Enter SEYTON)\nSeyton: The queen is dead.\nCicadas cry."
    ]


def test_a_long_message_is_cut_after_a_sentence_and_keeps_its_speaker() -> None:
    text = "She should have died hereafter. There would have been a time for such a word."
    assert packed(line(1, text, "Macbeth"), limit=60) == [
        "Macbeth: She should have died hereafter.",
        "Macbeth: There would have been a time for such a word.",
    ]


def test_a_cut_keeps_the_closing_quotation_mark_with_its_sentence() -> None:
    assert split_text('He cried, "Sleep no more!" And then again.', 28) == [
        'He cried, "Sleep no more!"',
        "And then again.",
    ]
    assert split_text("「嘘だ！」ひぐらしが鳴く。", 16) == ["「嘘だ！」", "ひぐらしが鳴く。"]


def test_without_sentences_the_cut_is_at_clauses_then_words_then_anywhere() -> None:
    assert split_text("tomorrow, and tomorrow, and so on", 15) == ["tomorrow,", "and tomorrow,", "and so on"]
    assert split_text("to the last syllable of recorded time", 15) == ["to the last", "syllable of", "recorded time"]
    assert split_text("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


def test_east_asian_text_counts_twice() -> None:
    assert size_of("嘘だ!") == 5
    assert [len(piece) for piece in split_text("嘘" * 25, 20)] == [10, 10, 5]


def test_the_next_chunk_starts_with_the_last_short_message() -> None:
    messages = [line(1, "The queen, " * 6), line(2, "Dead?"), line(3, "The queen, my lord, is dead.")]
    assert packed(*messages, limit=100, overlap=1)[1] == "Seyton: Dead?\nSeyton: The queen, my lord, is dead."
    assert packed(*messages, limit=100, overlap=0)[1] == "Seyton: The queen, my lord, is dead."


def test_speakers_are_listed_once_in_order_of_appearance() -> None:
    messages = (line(1, "Dead.", "Seyton"), line(2, "Hereafter.", "Macbeth"), line(3, "My lord.", "Seyton"))
    (chunk,) = chunks(Track("en", messages), Chunking())
    assert chunk.speakers == ("Seyton", "Macbeth")
