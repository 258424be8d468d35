"""A document is opened a page at a time, at the place of a passage, by those who may read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.answering.open_document import PAGE_PASSAGES, DocumentOpener
from cicada.answering.ports import Originals
from cicada.conversation.model import Connection
from cicada.conversation.protocol import FRAME_LIMIT_BYTES, DocumentPage, OpenDocument, SourceLocator, frame
from cicada.documents.catalogue import Card, CardSection, DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, ScriptLocator, SectionLocator, passage_id_at
from cicada.errors import CicadaError, InvalidFrameError, UnavailableError
from cicada.identity import Principal
from cicada.ingest.chunks import Chunking
from cicada.ingest.prose.chunks import prose_chunks
from cicada.ingest.prose.sections import Block, Heading, Paragraph
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.audit import DocumentsShown, ShownDocument
from tests.fakes.access import OpenAccess, withholding
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import make_searchable

ANN = Principal("acme", "ann", frozenset({"legal"}))
REQUEST = "7e57d004-2b97-4e7a-b45f-5387367791cd"
HANDBOOK = DocumentKey(KnowledgeBaseKey("acme", "manuals"), "handbook.md")
# The longest passages that a parser makes, in letters of three bytes and of two characters in JSON.
LONGEST = ("क" * 900, '"' * 900, "語" * 450)


@dataclass
class Shelf:
    """An index, the record of access lists, and what Ann is shown of them."""

    index: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("fixed", 1))
    access: OpenAccess = field(default_factory=OpenAccess)
    audited: list[DocumentsShown] = field(default_factory=list)
    originals: Originals | None = None

    def put(self, texts: Sequence[str], *, sections: Sequence[CardSection] = (), **fields: Any) -> None:
        """The handbook; each text is a passage of one section, unless `fields` say otherwise."""
        passages = [_passage(number, text, **fields) for number, text in enumerate(texts)]
        make_searchable(self.index, *passages, card=Card("Handbook", sections=tuple(sections)))

    def open(self, principal: Principal = ANN, **fields: Any) -> DocumentPage:
        opener = DocumentOpener(self.index, withholding(self.access), self.audited.append, lambda: 7.0, self.originals)
        named = {"knowledge_base": "manuals", "document_id": "handbook.md"} | fields
        return opener.open(OpenDocument(REQUEST, **named), Connection("c1", principal, 600, 0))

    def refusal(self, **fields: Any) -> str:
        """What is said of a document that cannot be shown."""
        with pytest.raises(CicadaError) as refused:
            self.open(**fields)
        return f"{refused.value.code}: {refused.value}"


def _passage(number: int, text: str, path: tuple[str, ...] = ("Handbook", "Travel"), **fields: Any) -> Passage:
    known: dict[str, Any] = {"version": "v1", "title": "Handbook", "context": "", "locator": SectionLocator(path)}
    return Passage(passage_id_at("handbook.md", number), HANDBOOK, text=text, **known | fields)


class Signed:
    """Signs an address of every document, or of none."""

    def __init__(self, address: str | None) -> None:
        self.found, self.asked = address, 0

    def address(self, row: DocumentRow) -> str | None:
        self.asked += 1
        return self.found and f"{self.found}/{row.document.document_id}"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def test_a_document_opens_in_pages_that_have_all_of_its_text_once(shelf: Shelf) -> None:
    shelf.put([f"Sentence {number}." for number in range(19)])
    pages = [shelf.open(page=number) for number in (1, 2, 3)]
    assert [(each.page, each.pages, len(each.blocks)) for each in pages] == [(1, 3, 8), (2, 3, 8), (3, 3, 3)]
    blocks = [block for each in pages for block in each.blocks]
    assert [(each.number, each.text) for each in blocks] == [(n, f"Sentence {n}.") for n in range(19)]
    with pytest.raises(InvalidFrameError, match="has 3 pages; there is no 4"):
        shelf.open(page=4)


def test_what_two_passages_share_is_shown_once_and_marked_with_the_second(shelf: Shelf) -> None:
    shelf.put(["First.\nShort.", "Short.\nSecond.", "Third."])
    blocks = shelf.open(passage="1").blocks
    assert [(each.text, each.marked) for each in blocks] == [
        ("First.\nShort.", (7, 13)),
        ("Second.", (0, 7)),
        ("Third.", None),
    ]


def test_passages_share_text_across_pages(shelf: Shelf) -> None:
    shelf.put([f"Line {n}.\nLine {n + 1}." for n in range(9)])
    first, second = shelf.open(page=1, passage="8"), shelf.open(page=2)
    assert first.blocks[-1].marked == (0, len("Line 8."))
    assert [each.text for each in second.blocks] == ["Line 9."]


@given(st.lists(st.text("ab. ", min_size=1, max_size=300).map(str.strip).filter(bool), min_size=1, max_size=60))
def test_the_pages_of_whatever_text_add_up_to_it(paragraphs: list[str]) -> None:
    blocks: list[Block] = [Heading(1, "Handbook"), *map(Paragraph, paragraphs)]
    shelf = Shelf()
    shelf.put([each.text for each in prose_chunks(blocks, Chunking())])
    pages = shelf.open().pages
    shown = [block.text for number in range(pages) for block in shelf.open(page=number + 1).blocks]
    assert "\n".join(shown) == "\n".join(each.text for each in prose_chunks(blocks, Chunking(overlap=0)))


def test_the_page_of_the_passage_is_opened_with_the_outline(shelf: Shelf) -> None:
    shelf.put(["text"] * 20, sections=[CardSection("Travel", 0, 8, ("trains",)), CardSection("Pay", 9, 19)])
    page = shelf.open(passage="17@v1")
    assert (page.page, [each.number for each in page.blocks if each.marked]) == (3, [17])
    assert [(each.heading, each.page, each.number) for each in page.outline or ()] == [("Travel", 1, 0), ("Pay", 2, 9)]
    assert shelf.open(page=3).outline is None


@pytest.mark.parametrize("passage", ["20", "99999999@v1", "17@v0"], ids=["too far", "far too far", "stale"])
def test_a_passage_that_the_document_does_not_have_marks_nothing(shelf: Shelf, passage: str) -> None:
    shelf.put(["text"] * 20)
    assert shelf.open(passage=passage) == shelf.open()


def test_places_are_chapters_and_messages_or_headings(shelf: Shelf) -> None:
    script = ScriptLocator("macbeth", "Macbeth", "5.5", "Dunsinane", 12, 15, ("SEYTON",))
    shelf.put(["SEYTON: The queen, my lord, is dead."], locator=script)
    assert shelf.open().blocks[0].locator == SourceLocator(chapter="5.5 Dunsinane", messages=(12, 15))
    shelf.put(["To and fro."], path=("Travel", "page 3"))
    assert shelf.open().blocks[0].locator == SourceLocator(section=("Travel", "page 3"))


def test_whoever_may_not_read_a_document_is_told_what_is_said_of_one_that_does_not_exist(shelf: Shelf) -> None:
    shelf.put(["text"])
    shelf.access.unknown.add("nothing.md")
    said = {shelf.refusal(document_id=name) for name in ("nothing.md", "x" * 1023 + "é")}
    shelf.access.readers["handbook.md"] = ("user:bob",)
    said.add(shelf.refusal())
    shelf.access.readers.clear()
    shelf.put(["text"], readers=("user:bob",))
    said.add(shelf.refusal())
    shelf.access.bases = KnowledgeBases(named={"manuals": KnowledgeBase("manuals", groups=("board",))})
    said.add(shelf.refusal())
    assert said == {"document_not_found: There is no such document: it was removed, or you may not read it."}
    assert shelf.audited == []


def test_a_document_that_is_closed_while_it_is_read_is_not_shown(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put(["text"])
    read = shelf.index.passages_of

    def closing(*asked: Any) -> list[Passage]:
        shelf.access.readers["handbook.md"] = ("user:bob",)
        return list(read(*asked))

    monkeypatch.setattr(shelf.index, "passages_of", closing)
    assert shelf.refusal().startswith("document_not_found")
    assert shelf.audited == []


def test_only_the_users_own_tenant_is_looked_at(shelf: Shelf) -> None:
    shelf.put(["text"])
    with pytest.raises(UnavailableError):
        shelf.open(Principal("other", "ann", frozenset({"legal"})))
    assert {base.tenant for base, _ in shelf.access.asked} == {"other"}


def test_a_document_for_a_group_opens_for_its_members(shelf: Shelf) -> None:
    shelf.put(["text"], readers=("group:legal",))
    shelf.access.readers["handbook.md"] = ("group:legal",)
    assert shelf.open().blocks


def test_a_document_that_the_index_lacks_is_not_said_to_be_removed(shelf: Shelf) -> None:
    with pytest.raises(UnavailableError, match="does not show this document now"):
        shelf.open()
    shelf.access.failure = UnavailableError("The database is away.")
    with pytest.raises(UnavailableError, match="away"):
        shelf.open()


def test_every_page_is_recorded_with_who_was_shown_it(shelf: Shelf) -> None:
    shelf.put(["text"] * 20)
    shelf.open(page=2)
    [record] = shelf.audited
    assert (record.outcome, record.path, record.documents) == (
        "opened",
        ("page:2/3",),
        (ShownDocument("manuals", "handbook.md", "v1"),),
    )
    assert (record.at, record.tenant, record.user, record.request_id, record.connection_id) == (
        *(7.0, "acme", "ann"),
        *(REQUEST, "c1"),
    )


@pytest.mark.parametrize("text", LONGEST, ids=["three bytes", "escaped", "wide"])
def test_the_largest_page_fits_into_a_frame_with_all_of_its_text(shelf: Shelf, text: str) -> None:
    path = tuple("語" * 200 for _ in range(6))
    sections = [CardSection("h" * 22, number, number) for number in range(200)]
    shelf.put([text] * 200, sections=sections, path=path)
    page = shelf.open()
    assert len(frame(page, request_id=REQUEST).encode()) <= FRAME_LIMIT_BYTES
    assert [each.text for each in page.blocks] == [text] * PAGE_PASSAGES
    assert page.outline


def test_whoever_asks_gets_the_address_of_the_file_which_is_recorded_as_an_act_of_its_own(shelf: Shelf) -> None:
    shelf.put(["text"])
    pages = [shelf.open(original=True)]
    shelf.originals = Signed("https://files")
    pages += shelf.open(), shelf.open(original=True)
    assert [(each.originals, each.original) for each in pages] == [
        (None, None),
        (True, None),
        (True, "https://files/handbook.md"),
    ]
    assert [each.outcome for each in shelf.audited] == ["opened", "opened", "opened", "original"]


def test_nothing_is_signed_for_a_user_who_may_not_read_the_document_or_recorded_without_a_file(shelf: Shelf) -> None:
    shelf.put(["text"])
    shelf.originals = signed = Signed(None)
    assert shelf.open(original=True).original is None
    assert [each.outcome for each in shelf.audited] == ["opened"]
    shelf.access.readers["handbook.md"] = ("user:bob",)
    assert shelf.refusal().startswith("document_not_found")
    assert signed.asked == 1
