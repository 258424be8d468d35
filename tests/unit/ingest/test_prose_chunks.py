"""Chunks of prose: where they end, how large they are, and that nothing is lost."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from cicada.ingest.chunks import Chunking, size_of
from cicada.ingest.prose.chunks import ProseChunk, prose_chunks
from cicada.ingest.prose.sections import (
    Block,
    Code,
    Heading,
    ListItem,
    Paragraph,
    Record,
    Table,
    first_heading,
    sections,
)

WORDS = st.text(st.sampled_from("abc. ,嘘é。"), min_size=1, max_size=400).map(lambda text: " ".join(text.split()))
TEXTS = WORDS.filter(bool)
CELLS = st.lists(WORDS.map(lambda text: text[:60].strip()), min_size=1, max_size=4).map(tuple)
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(Heading, st.integers(1, 6), TEXTS),
    st.builds(Paragraph, TEXTS),
    st.builds(ListItem, TEXTS, st.integers(0, 9), st.sampled_from(["-", "3.", "(b)"])),
    st.builds(Code, st.lists(TEXTS, min_size=1, max_size=6).map(tuple)),
    st.builds(Table, CELLS, st.lists(CELLS, max_size=12).map(tuple)),
)
DOCUMENTS = st.lists(BLOCKS, max_size=12)
CHUNKINGS = st.builds(Chunking, limit=st.integers(60, 300), overlap=st.integers(0, 2))


def chunked(*blocks: Block, limit: int = 60, overlap: int = 0) -> list[ProseChunk]:
    return list(prose_chunks(blocks, Chunking(limit, overlap)))


def texts(*blocks: Block, limit: int = 60, overlap: int = 0) -> list[str]:
    return [chunk.text for chunk in chunked(*blocks, limit=limit, overlap=overlap)]


def letters(text: str) -> str:
    return "".join(text.replace("|", "").split())


def texts_of(block: Block) -> list[str]:
    match block:
        case Code(lines=lines):
            return list(lines)
        case Table(header=header, rows=rows):
            return [cell for row in (header, *rows) for cell in row]
        case Record(values=values):
            return [text for value in values for text in value]
        case _:
            return [block.text]


@given(DOCUMENTS, CHUNKINGS)
def test_no_chunk_is_empty_or_larger_than_the_limit(blocks: list[Block], chunking: Chunking) -> None:
    for chunk in prose_chunks(blocks, chunking):
        assert 0 < size_of(chunk.text) <= chunking.limit
        assert chunk.text.strip()


@given(DOCUMENTS, CHUNKINGS)
def test_no_text_is_lost(blocks: list[Block], chunking: Chunking) -> None:
    found = list(prose_chunks(blocks, Chunking(chunking.limit, overlap=0)))
    everything = letters("".join(chunk.text for chunk in found))
    paths = {letters(heading) for chunk in found for heading in chunk.path}
    for block in blocks:
        if isinstance(block, Heading):
            assert letters(block.text) in everything or letters(block.text) in paths
        elif not isinstance(block, Table):
            assert letters("".join(texts_of(block))) in everything
    # Between the parts of a cell that is cut stands the header.
    tables = [letters(text) for block in blocks if isinstance(block, Table) for text in texts_of(block)]
    assert not Counter("".join(tables)) - Counter(everything)


@given(DOCUMENTS, CHUNKINGS)
def test_each_chunk_lies_in_one_section_of_the_document_in_order(blocks: list[Block], chunking: Chunking) -> None:
    found = [path for path, _ in groupby(chunk.path for chunk in prose_chunks(blocks, chunking))]
    assert found == [path for path, _ in groupby(section.path for section in sections(blocks))]


def test_a_section_is_what_stands_below_its_headings() -> None:
    blocks: list[Block] = [
        *(Paragraph("Before all."), Heading(1, "One"), Heading(2, "One A"), Paragraph("a"), Heading(3, "Deeper")),
        *(Paragraph("d"), Heading(2, "One B"), Paragraph("b"), Heading(1, "Two"), Paragraph("2")),
    ]
    assert [(section.path, *map(texts_of, section.blocks)) for section in sections(blocks)] == [
        ((), ["Before all."]),
        (("One", "One A"), ["a"]),
        (("One", "One A", "Deeper"), ["d"]),
        (("One", "One B"), ["b"]),
        (("Two",), ["2"]),
    ]


def test_a_heading_with_nothing_below_it_is_the_text_of_its_section() -> None:
    found = list(sections([Heading(1, "One"), Heading(2, "Empty"), Heading(2, "Last")]))
    assert [(section.path, section.blocks) for section in found] == [
        (("One", "Empty"), (Paragraph("Empty"),)),
        (("One", "Last"), (Paragraph("Last"),)),
    ]


def test_a_heading_as_long_as_a_paragraph_is_both() -> None:
    [found] = sections([Heading(1, "word " * 60), Paragraph("below")])
    assert len(found.path[0]) <= 200
    assert found.path[0].endswith("word…")
    assert found.blocks == (Paragraph("word " * 60), Paragraph("below"))


def test_a_chunk_begins_with_the_short_paragraph_before_it_in_its_section() -> None:
    blocks = (Paragraph("x" * 95), Paragraph("Then:"), Paragraph("y" * 90), Heading(1, "B"), Paragraph("z"))
    assert texts(*blocks, limit=100, overlap=1) == ["x" * 95, "Then:\n" + "y" * 90, "z"]


def test_list_items_and_code_keep_their_form() -> None:
    blocks = (ListItem("One"), ListItem("Inner", 1, "2."), Code(("if x:", "    y()")))
    assert texts(*blocks) == ["- One\n  2. Inner\nif x:\n    y()"]


def test_a_long_list_item_has_its_mark_once() -> None:
    assert texts(ListItem("word " * 20, marker="3.")) == ["3. " + "word " * 10 + "word", ("word " * 9).strip()]


def test_code_is_cut_between_its_lines() -> None:
    lines = tuple(f"    line_{number}()" for number in range(8))
    assert texts(Code(lines)) == ["\n".join(lines[:4]), "\n".join(lines[4:])]


def test_a_table_that_fits_is_whole_and_starts_a_new_chunk_if_it_must() -> None:
    table = Table(("Kind", "Days"), (("Holiday", "28"), ("Parental", "60")))
    assert texts(Paragraph("x" * 40), table) == ["x" * 40, "Kind | Days\nHoliday | 28\nParental | 60"]


def test_a_large_table_is_cut_between_rows_and_its_header_repeated() -> None:
    table = Table(("Kind", "Days"), tuple((f"Leave {number}", "28") for number in range(6)))
    assert texts(table, limit=50) == [
        "Kind | Days\nLeave 0 | 28\nLeave 1 | 28\nLeave 2 | 28",
        "Kind | Days\nLeave 3 | 28\nLeave 4 | 28\nLeave 5 | 28",
    ]


def test_a_row_larger_than_a_chunk_is_cut_and_keeps_the_header() -> None:
    table = Table(("Kind", "Text"), (("Holiday", "word " * 20),))
    found = texts(table)
    assert len(found) > 1
    assert all(text.startswith("Kind | Text\n") for text in found)


def test_a_header_of_more_than_half_a_chunk_is_not_repeated() -> None:
    table = Table(("h" * 40,), (("one",), ("two " * 12,)))
    assert texts(table) == ["h" * 40 + "\none", ("two " * 12).strip()]


def test_a_table_of_a_header_alone_is_kept_and_one_of_empty_cells_is_not() -> None:
    assert texts(Table(("Kind", "Days"), ())) == ["Kind | Days"]
    assert texts(Table(("", ""), (("", ""),))) == []
    assert texts(Table((), (("a", "", "b", ""),))) == ["a |  | b"]


def test_the_first_heading_is_that_of_level_one_or_the_beginning() -> None:
    assert first_heading([Heading(2, "Two"), Heading(1, "One")]) == "One"
    assert first_heading([Heading(2, "Two"), Paragraph("x")]) == "Two"
    assert first_heading([Paragraph("x"), Heading(2, "Two")]) == ""
    assert first_heading([]) == ""
