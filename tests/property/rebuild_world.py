"""The real code of ingest and rebuild, run one port call at a time, on indexes as weak as an index may be.

A write to the live index during a rebuild is two writes with time between them, in either order, and neither keeps
another ingest's writes out. A document that is as it was before has the truth's revision of before. Listings of the
truth are made key by key, and see what changes behind the place where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from cicada.documents.aggregates import MOST_GROUPS, Aggregation
from cicada.documents.catalogue import Aggregate, DocumentRow, RowPage, Sort
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.errors import DocumentRejectedError, UnavailableError
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import (
    IngestReport,
    OversizedFile,
    ParsedDocument,
    RebuildRecord,
    RebuildState,
    SourceFile,
    StoredDocument,
    TruthEntry,
)
from cicada.ingest.rebuild import Rebuilder
from cicada.retrieval.model import CardHits, CardQuery, EmbeddedPassage, IndexHits, IndexQuery, Vector
from cicada.retrieval.ports import PassageIndex
from tests.fakes.document_store import InMemoryDocumentStore
from tests.fakes.ground_truth import InMemoryGroundTruth, InMemoryRebuildLog
from tests.property.baton import Actor, Died, pause
from tests.unit.ingest.passage_index import CountingEmbedder

DOCUMENTS = tuple(DocumentKey(KnowledgeBaseKey("t", "kb"), name) for name in ("a.txt", "b.txt", "c.txt"))
BAD = b"bad"
HOLD_SECONDS = 960.0


class SteppedStore(InMemoryDocumentStore):
    def read(self, document: DocumentKey) -> SourceFile | OversizedFile | None:
        pause("read the file")
        return super().read(document)

    def write_report(self, report: IngestReport) -> None:
        pause("report")
        super().write_report(report)


class SteppedTruth(InMemoryGroundTruth):
    def write(self, stored: StoredDocument) -> None:
        pause("write the truth")
        self.entries[stored.document] = TruthEntry(stored, stored.version)

    def read(self, document: DocumentKey) -> TruthEntry | None:
        pause("read the truth")
        return super().read(document)

    def delete(self, document: DocumentKey) -> None:
        pause("delete the truth")
        super().delete(document)

    def revision(self, document: DocumentKey) -> str | None:
        pause("look at the truth")
        return super().revision(document)

    def list(self) -> Iterator[tuple[DocumentKey, str]]:
        for document in DOCUMENTS:
            pause("list the truth")
            if document in self.entries:
                yield document, self.entries[document].revision


class SteppedLog(InMemoryRebuildLog):
    def read(self) -> tuple[RebuildRecord | None, str]:
        pause("read the record")
        return super().read()

    def write(self, record: RebuildRecord | None, revision: str) -> str | None:
        pause("write the record")
        return super().write(record, revision)


@dataclass(eq=False)
class Shelf:
    """One index. Whoever writes to it after it was dropped is told so."""

    documents: dict[DocumentKey, tuple[EmbeddedPassage, ...]] = field(default_factory=dict)
    rows: dict[DocumentKey, DocumentRow] = field(default_factory=dict)
    is_dropped: bool = False

    def put(self, document: DocumentKey, passages: Sequence[EmbeddedPassage], row: DocumentRow | None) -> None:
        if self.is_dropped:
            raise UnavailableError("The index is not there any more.")
        self.documents.pop(document, None)
        self.rows.pop(document, None)
        if passages and row:
            self.documents[document], self.rows[document] = tuple(passages), row


@dataclass
class Shelves:
    """The index that answers, and perhaps the one that is being built."""

    live: Shelf = field(default_factory=Shelf)
    building: Shelf | None = None
    new_first: bool = True

    def written(self) -> list[Shelf]:
        """The shelves that a write goes to, in its order."""
        shelves = [self.building, self.live] if self.new_first else [self.live, self.building]
        return [shelf for shelf in shelves if shelf]


@dataclass
class SteppedIndex:
    """A `PassageIndex` on one shelf, or with None on the one that answers and on the one that is being built."""

    shelves: Shelves
    shelf: Shelf | None = None

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        pause("look for the indexes")
        for shelf in [self.shelf] if self.shelf else self.shelves.written():
            pause("write an index")
            shelf.put(document, passages, row)

    def delete(self, document: DocumentKey) -> None:
        self.replace(document, ())

    def passages_of(self, document: DocumentKey, numbers: range | None = None) -> tuple[Passage, ...]:
        pause("look at the index")
        kept = (self.shelf or self.shelves.live).documents.get(document, ())
        return tuple(each.passage for each in kept)

    def copies_of(self, document: DocumentKey, content_hash: str) -> tuple[str, ...]:
        return ()

    def records(self, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        raise NotImplementedError

    def row(self, document: DocumentKey) -> DocumentRow | None:
        return (self.shelf or self.shelves.live).rows.get(document)

    def find_cards(self, query: CardQuery) -> CardHits:
        """None, so that a document's card is the same whenever it is ingested."""
        return CardHits(())

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        raise NotImplementedError

    def rows(self, filter: PassageFilter, sort: Sort, limit: int, offset: int = 0) -> RowPage:
        raise NotImplementedError

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        raise NotImplementedError

    def count_documents(self, filter: PassageFilter) -> int:
        raise NotImplementedError

    def vectors(self) -> Mapping[str, str]:
        raise NotImplementedError

    def aggregate(
        self,
        filter: PassageFilter,
        aggregates: Sequence[Aggregate],
        group: Sequence[str] = (),
        sort: Sort | None = None,
        limit: int = MOST_GROUPS,
    ) -> Aggregation:
        raise NotImplementedError

    def search(self, query: IndexQuery) -> IndexHits:
        raise NotImplementedError

    def count(self, filter: PassageFilter) -> int:
        return 0

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        raise NotImplementedError


@dataclass
class SteppedRebuild:
    """An `IndexRebuild`. It knows its shelf, so that it neither switches nor drops another one's."""

    shelves: Shelves
    mine: Shelf | None = None

    def begin(self) -> PassageIndex:
        pause("begin")
        self._drop(self.shelves.building)
        self.mine = self.shelves.building = Shelf()
        return SteppedIndex(self.shelves, self.mine)

    def building(self) -> PassageIndex | None:
        pause("look for the new index")
        self.mine = self.shelves.building
        return SteppedIndex(self.shelves, self.mine) if self.mine else None

    def switch(self) -> None:
        pause("switch")
        if self.mine is None or self.mine is not self.shelves.building:
            raise UnavailableError("The new index is not being built any more.")
        self._drop(self.shelves.live)
        self.shelves.live, self.shelves.building = self.mine, None

    def abandon(self) -> None:
        pause("abandon")
        if self.mine is self.shelves.building:
            self._drop(self.mine)
            self.shelves.building = None

    def _drop(self, shelf: Shelf | None) -> None:
        if shelf:
            shelf.is_dropped = True


class LineParser:
    """A passage for each line."""

    def parse(self, source: SourceFile) -> ParsedDocument:
        if source.content == BAD:
            raise DocumentRejectedError("The file is bad.")
        return ParsedDocument(
            tuple(
                Passage(f"#{number}", source.document, source.version, "", line, "", SectionLocator(()))
                for number, line in enumerate(source.content.decode().split("\n"))
            )
        )


@dataclass
class Delivery:
    """A message of the queue on one document; `again` if it has been delivered before."""

    document: DocumentKey
    again: bool = False


class World:
    """Everything at once. `allowed`: for each document, what may answer; None for nothing.

    What was answering when nothing was left to do, and whatever was uploaded since. A deletion counts as nothing.
    """

    def __init__(self, new_first: bool = True) -> None:
        self.store, self.truth, self.log = SteppedStore(), SteppedTruth(), SteppedLog()
        self.shelves = Shelves(new_first=new_first)
        self.queue: list[Delivery] = []
        self.ingests: dict[Actor, Delivery] = {}
        self.rebuilds: list[Actor] = []
        self.ended_rebuilds: list[Actor] = []
        self.allowed: dict[DocumentKey, set[bytes | None]] = {document: {None} for document in DOCUMENTS}
        self.now = 1_000.0
        self._uploads = 0

    @property
    def actors(self) -> list[Actor]:
        return [*self.ingests, *self.rebuilds]

    # ---- what people do ----

    def upload(self, document: DocumentKey, lines: int) -> None:
        self._uploads += 1
        content = "\n".join(f"{self._uploads}.{line} of {lines}" for line in range(lines)).encode()
        self._put(document, content)
        self.allowed[document].add(content)

    def upload_bad(self, document: DocumentKey) -> None:
        self._put(document, BAD)

    def upload_again(self, document: DocumentKey) -> None:
        """What was there at some time before."""
        earlier = sorted(content for content in self.allowed[document] if content)
        if earlier:
            self._put(document, earlier[0])

    def remove(self, document: DocumentKey) -> None:
        self.store.remove(document)
        self.allowed[document].add(None)
        self.queue.append(Delivery(document))

    def _put(self, document: DocumentKey, content: bytes) -> None:
        self.store.put(document, content)
        self.queue.append(Delivery(document))

    def deliver(self, which: int) -> Actor:
        delivery = self.queue.pop(which % len(self.queue))
        ingester = Ingester(
            self.store, self.truth, SteppedIndex(self.shelves), CountingEmbedder(), {".txt": LineParser()}
        )
        actor = Actor(f"ingest {delivery}", partial(ingester.ingest, delivery.document, delivery.again))
        self.ingests[actor] = delivery
        return actor

    def rebuild(self) -> Actor:
        runs = f"run {len(self.rebuilds) + len(self.ended_rebuilds)}"
        rebuilder = Rebuilder(
            self.truth,
            SteppedRebuild(self.shelves),
            self.log,
            CountingEmbedder.model_id,
            CountingEmbedder.dimension,
            lambda: self.now,
            lambda: runs,
            HOLD_SECONDS,
            threads=1,
        )
        actor = Actor(runs, partial(_in_slices, rebuilder))
        self.rebuilds.append(actor)
        return actor

    # ---- what becomes of it ----

    def step(self, actor: Actor, fail: BaseException | None = None) -> None:
        actor.step(fail)
        if actor.ended:
            self._end(actor)
        self.check()

    def run(self, actor: Actor) -> None:
        while not actor.ended:
            self.step(actor)

    def run_up_to(self, actor: Actor, place: str, times: int = 1) -> None:
        """Run the actor to where it is about to make this call for the nth time from now on."""
        for _ in range(times):
            self.step(actor)
            while actor.at != place:
                self.step(actor)

    def settle(self, *documents: DocumentKey) -> None:
        """Upload and ingest each."""
        for document in documents:
            self.upload(document, 2)
            self.run(self.deliver(0))

    def _end(self, actor: Actor) -> None:
        if not isinstance(actor.error, (type(None), Died, UnavailableError)):
            raise AssertionError(f"{actor} has failed") from actor.error
        if actor in self.ingests:
            delivery = self.ingests.pop(actor)
            if actor.error:
                self.queue.append(Delivery(delivery.document, again=True))
        else:
            self.rebuilds.remove(actor)
            self.ended_rebuilds.append(actor)

    def check(self) -> None:
        for document in DOCUMENTS:
            answering = self.answering(document)
            assert answering in self.allowed[document]
            if self._is_settled(document):
                assert answering == self._kept(document)
                content = self.store._files.get(document)
                assert content == BAD or answering == content
                self.allowed[document] = {answering}

    def answering(self, document: DocumentKey) -> bytes | None:
        """The file whose passages answer. They are all its passages, or this fails."""
        return _whole(each.passage for each in self.shelves.live.documents.get(document, ()))

    def _kept(self, document: DocumentKey) -> bytes | None:
        entry = self.truth.entries.get(document)
        return _whole(each.passage for each in entry.stored.passages) if entry else None

    def _is_settled(self, document: DocumentKey) -> bool:
        under_way = [*self.queue, *self.ingests.values()]
        return not any(delivery.document == document for delivery in under_way)

    def finish(self) -> None:
        """Everything comes to its end, and then a rebuild changes nothing."""
        while self.actors or self.queue:
            if not self.actors:
                self.deliver(0)
            self.run(self.actors[0])
        before = dict(self.shelves.live.documents)
        self.now += HOLD_SECONDS + 1
        last = self.rebuild()
        self.run(last)
        assert last.outcome is RebuildState.SWITCHED
        assert self.shelves.live.documents == before
        assert self.shelves.building is None


def _in_slices(rebuilder: Rebuilder) -> RebuildState:
    """Rebuild in slices as short as they can be."""
    progress = rebuilder.start(0.0)
    while progress.state is RebuildState.COPYING:
        progress = rebuilder.go_on(progress.run, 0.0)
    return progress.state


def _whole(passages: Iterator[Passage]) -> bytes | None:
    texts = [passage.text for passage in passages]
    if not texts:
        return None
    assert [text.partition(" of ")[2] for text in texts] == [str(len(texts))] * len(texts)
    assert len({text.partition(".")[0] for text in texts}) == 1
    return "\n".join(texts).encode()
