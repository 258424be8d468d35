"""Editors upload, describe and remove what they may read, and see what became of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.adapters.s3.keys import named_document
from cicada.answering.edit_documents import FORM_SECONDS, DocumentEditing
from cicada.answering.list_documents import PAGE_DOCUMENTS, DocumentLister
from cicada.conversation.model import Connection
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    DescribeDocument,
    DocumentDescription,
    DocumentsPage,
    DocumentSummary,
    DocumentVersion,
    Filter,
    ListDocuments,
    RemoveDocument,
    UploadDocument,
    UploadForm,
    frame,
)
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator, passage_id_at
from cicada.errors import CicadaError
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.audit import DocumentEdited, DocumentsShown
from tests.fakes.access import RecordedAccessLists, withholding
from tests.fakes.document_files import InMemoryDocumentFiles
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import make_searchable

ANN = Principal("acme", "ann", frozenset({"editors", "legal", "tenant:acme"}), "ann@acme")
BOB = Principal("acme", "bob", frozenset({"editors"}))
EVE = Principal("acme", "eve")
STORE = KnowledgeBaseKey("acme", "store")
REQUEST = "7e57d004-2b97-4e7a-b45f-5387367791cd"
LEASE = DocumentKey(STORE, "lease.md")


@dataclass
class Desk:
    """A bucket, an index and the record of access lists, as editors see them."""

    now: float = 1_800_000_000.0
    index: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("fixed", 1))
    access: RecordedAccessLists = field(default_factory=RecordedAccessLists)
    charged: list[str] = field(default_factory=list)
    audited: list[DocumentEdited | DocumentsShown] = field(default_factory=list)

    def __post_init__(self) -> None:
        shown = {"status": SchemaField("status", FieldType.KEYWORD, display="Status", shown=True)}
        self.files = InMemoryDocumentFiles(lambda: self.now)
        self.access.bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=Schema(shown))})

    def know(self, schema: Schema) -> None:
        """What the base says of its fields."""
        self.access.bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=schema)})

    @property
    def editing(self) -> DocumentEditing:
        gate = withholding(self.access)
        return DocumentEditing(self.files, gate, "editors", named_document, self.audited.append, lambda: self.now)

    def list(self, principal: Principal = ANN, **fields: Any) -> DocumentsPage:
        editing = self.editing
        lister = DocumentLister(
            self.index, editing.withholding, self.audited.append, lambda: self.now, editing, (".md",)
        )
        lister = replace(lister, charge=lambda principal: self.charged.append(principal.user))
        return lister.list(ListDocuments(REQUEST, "store", **fields), self._on(principal))

    def upload(self, name: str, size: int = 5, principal: Principal = ANN, **fields: Any) -> UploadForm:
        return self.editing.upload(UploadDocument(REQUEST, "store", name, size, **fields), self._on(principal))

    def describe(self, name: str = "lease.md", principal: Principal = ANN, **fields: Any) -> DocumentDescription:
        return self.editing.describe(DescribeDocument(REQUEST, "store", name, **fields), self._on(principal))

    def remove(self, name: str = "lease.md", principal: Principal = ANN) -> bool:
        return self.editing.remove(RemoveDocument(REQUEST, "store", name), self._on(principal)).gone

    def _on(self, principal: Principal) -> Connection:
        return Connection("c1", principal, 600, 0)

    def put(
        self, document: DocumentKey = LEASE, sidecar: object = None, *, indexed: bool = True, **fields: Any
    ) -> None:
        """A file; if it is `indexed`, it is searchable, and its passage has the `fields`."""
        if sidecar is not None:
            self.files.write_sidecar(document, json.dumps(sidecar).encode(), "")
        self.files.put(document)
        if indexed:
            known: dict[str, Any] = {"title": document.document_id, "text": "Text.", "context": "", "version": "v1"}
            passage_id = passage_id_at(document.document_id, 0)
            passage = Passage(passage_id, document, locator=SectionLocator(()), **known | fields)
            make_searchable(self.index, passage, indexed_at=self.now + 60)
            self.access.record(document, passage.readers)

    def sidecar(self, document: DocumentKey = LEASE) -> Any:
        return json.loads(self.files.sidecars[document].content)

    def refusal(self, act: Any, *arguments: Any, **fields: Any) -> str:
        with pytest.raises(CicadaError) as refused:
            act(*arguments, **fields)
        return refused.value.code


@pytest.fixture
def desk() -> Desk:
    return Desk()


def names(page: DocumentsPage) -> list[str]:
    return [each.document_id for each in page.documents]


def readers(*names: str) -> dict[str, Any]:
    """A sidecar with these readers."""
    entries = [{"name": name.partition(":")[2], "type": name.partition(":")[0].upper()} for name in names]
    return {"accessControlList": [each | {"access": "ALLOW"} for each in entries]}


# ---- the list ----


def test_a_list_has_what_the_user_may_read_and_is_recorded(desk: Desk) -> None:
    desk.put(metadata={"status": "approved"})
    desk.put(DocumentKey(STORE, "pay.md"), readers=("group:hr",))
    desk.put(DocumentKey(KnowledgeBaseKey("other", "store"), "theirs.md"))
    page = desk.list(EVE)
    [lease] = page.documents
    assert (lease.document_id, lease.passages, lease.fields, lease.state) == (
        "lease.md",
        1,
        {"Status": "approved"},
        None,
    )
    assert (page.total, page.columns, page.you, page.types) == (1, ("Status",), None, None)
    [record] = desk.audited
    assert isinstance(record, DocumentsShown)
    assert (record.outcome, record.user, [each.document_id for each in record.documents]) == (
        "listed",
        "eve",
        ["lease.md"],
    )


def test_a_list_is_searched_and_put_in_order(desk: Desk) -> None:
    for name, status in (("a.md", "draft"), ("b.md", "approved"), ("c.md", "draft")):
        desk.put(DocumentKey(STORE, name), title=f"Rules {name}", metadata={"status": status})
    assert names(desk.list(sort="-title")) == ["c.md", "b.md", "a.md"]
    assert names(desk.list(sort="Status")) == ["b.md", "a.md", "c.md"]
    assert names(desk.list(search="RULES draft")) == ["a.md", "c.md"]
    assert names(desk.list(document_id="b.md")) == ["b.md"]
    assert desk.refusal(desk.list, sort="colour") == "invalid_filter"


def test_a_list_has_the_documents_that_meet_its_filters_and_says_what_values_there_are(desk: Desk) -> None:
    status = SchemaField("status", FieldType.KEYWORD, ("draft", "approved"), display="Status", shown=True)
    desk.know(Schema({"status": status, "due": SchemaField("due", FieldType.DATE)}))
    for name, value, due in (
        ("a.md", "draft", "2026-02-01"),
        ("b.md", "approved", "2026-03-01"),
        ("c.md", "draft", ""),
    ):
        metadata = {"status": value, **({"due": due} if due else {})}
        desk.put(DocumentKey(STORE, name), metadata=metadata)
    desk.put(DocumentKey(STORE, "mine.md"), readers("user:ann"), indexed=False)
    drafts = Filter("Status", "eq", "Draft")
    assert names(desk.list(filters=[drafts])) == ["a.md", "c.md"]
    assert names(desk.list(filters=[drafts, Filter("due", "lt", "2026-02-15")])) == ["a.md"]
    assert desk.list(filters=[drafts], search="nothing").total == 0
    assert desk.list().values == {"Status": ("draft", "approved")}
    assert desk.refusal(desk.list, filters=[Filter("colour", "eq", "red")]) == "invalid_filter"
    assert desk.refusal(desk.list, filters=[Filter("status", "eq", "lost")]) == "invalid_filter"


def test_the_first_page_says_of_which_shown_fields_a_range_can_be_asked(desk: Desk) -> None:
    kinds = {"status": FieldType.KEYWORD, "due": FieldType.DATE, "value": FieldType.NUMBER}
    desk.know(Schema({name: SchemaField(name, kind, display=name.title(), shown=True) for name, kind in kinds.items()}))
    for number, name in enumerate(("a.md", "b.md", "c.md"), 1):
        desk.put(DocumentKey(STORE, name), metadata={"due": f"2026-0{number}-01", "value": 10.0 * number})
    assert desk.list().ranges == {"Due": "date", "Value": "number"}
    assert desk.list(offset=1).ranges is None
    between = [Filter("Due", "gte", "2026-02-01"), Filter("Value", "lte", 20)]
    assert names(desk.list(filters=between)) == ["b.md"]


IN_FORCE = StandingRule("status", ("approved",), ("draft",), ("retired",), number="no", version="version")


def versions(desk: Desk, *of: tuple[str, str, str], rule: StandingRule = IN_FORCE) -> None:
    """Documents of number 7: their names, versions and statuses."""
    kinds = {name: SchemaField(name, FieldType.KEYWORD) for name in ("status", "no", "version")}
    desk.know(Schema(kinds, in_force=rule))
    for name, version, status in of:
        desk.put(DocumentKey(STORE, name), metadata={"status": status, "no": "7", "version": version})


def test_a_document_is_listed_with_its_versions_and_what_is_in_force(desk: Desk) -> None:
    versions(desk, ("a.md", "1.0", "approved"), ("b.md", "2.0", "approved"), ("c.md", "3.0", "draft"))
    desk.put(DocumentKey(STORE, "d.md"), metadata={"no": "8"})
    first, second, draft, other = desk.list(EVE).documents
    assert (first.standing, second.standing, draft.standing, other.standing) == ("noLonger", "inForce", "notYet", None)
    assert other.versions is None
    assert first.versions == (
        DocumentVersion("b.md", "b.md", "2.0", "inForce"),
        DocumentVersion("c.md", "c.md", "3.0", "notYet"),
    )
    [found] = desk.list(EVE, search="a.md").documents
    assert found == first
    record = desk.audited[-1]
    shown = {each.document_id for each in record.documents} if isinstance(record, DocumentsShown) else set()
    assert shown == {"a.md", "b.md", "c.md"}


def test_a_version_that_was_closed_since_replaces_nothing_that_the_user_sees(desk: Desk) -> None:
    versions(desk, ("a.md", "1.0", "approved"), ("b.md", "2.0", "approved"))
    desk.access.record(DocumentKey(STORE, "b.md"), ("group:hr",))
    [first] = desk.list(EVE, search="a.md").documents
    assert (first.standing, first.versions) == ("inForce", None)


def test_versions_that_name_each_other_one_after_the_other_are_all_found(desk: Desk) -> None:
    desk.know(
        Schema({"replaces": SchemaField("replaces", FieldType.KEYWORDS)}, in_force=StandingRule(replaces="replaces"))
    )
    for name, before in (("a.md", ()), ("b.md", ("a.md",)), ("c.md", ("b.md",))):
        desk.put(DocumentKey(STORE, name), metadata={"replaces": before})
    last = desk.list(EVE).documents[-1]
    assert (last.standing, [each.document_id for each in last.versions or ()]) == ("inForce", ["b.md", "a.md"])


def test_of_many_versions_the_one_in_force_and_the_highest_are_listed(desk: Desk) -> None:
    versions(desk, *((f"{n:02}.md", str(n), "approved") for n in range(30)))
    others = desk.list(EVE, search="07.md").documents[0].versions or ()
    assert [(each.version, each.standing) for each in others[:2]] == [("29", "inForce"), ("28", "noLonger")]
    assert len(others) == 20


def test_a_page_ends_where_its_documents_have_too_many_versions_to_look_at(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cicada.answering.list_documents._MOST_OF_A_PAGE", 10)
    versions(desk)
    for n in range(20):
        desk.put(DocumentKey(STORE, f"{n:02}.md"), metadata={"no": f"{n % 5}", "version": f"{n // 5}"})
    found = desk.list(EVE, sort="id")
    assert (found.total, found.next_offset, names(found)) == (20, 2, ["00.md", "01.md"])
    assert names(desk.list(EVE, sort="id", offset=2)) == ["02.md", "03.md"]


def test_a_document_whose_versions_have_no_room_in_a_frame_is_listed_with_fewer(desk: Desk) -> None:
    versions(desk, *((f"{n:02}{'x' * 900}{chr(1) * 100}.md", f"{n}", "approved") for n in range(30)))
    found = desk.list(EVE)
    assert (len(found.documents), found.next_offset, len(found.documents[0].versions or ())) == (1, 1, 10)


def test_values_whose_signs_are_long_in_a_frame_leave_room_for_documents(desk: Desk) -> None:
    values = tuple(f"{chr(1) * 9}{n}" for n in range(50))
    names = [f"{chr(2) * 50}{n}" for n in range(10)]
    desk.know(Schema({each: SchemaField(each, FieldType.KEYWORD, values, shown=True) for each in names}))
    desk.put(LEASE)
    assert [each.document_id for each in desk.list().documents] == ["lease.md"]


def test_a_list_of_a_base_is_charged_and_a_look_at_one_document_is_not(desk: Desk) -> None:
    desk.list(document_id="lease.md")
    assert desk.charged == []
    desk.list(EVE)
    assert desk.charged == ["eve"]


def test_a_list_comes_in_pages_that_fit_into_frames(desk: Desk) -> None:
    for number in range(PAGE_DOCUMENTS + 10):
        desk.put(DocumentKey(STORE, f"{number:02}.md"), title="語" * 300)
    found: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = desk.list(offset=offset)
        assert len(frame(page, request_id=REQUEST).encode()) <= FRAME_LIMIT_BYTES
        found += names(page)
        offset = page.next_offset
    assert found == [f"{number:02}.md" for number in range(PAGE_DOCUMENTS + 10)]


def test_what_was_closed_since_it_was_indexed_is_not_listed(desk: Desk) -> None:
    desk.put()
    desk.access.record(LEASE, ("group:hr",))
    page = desk.list()
    assert (page.documents, page.total) == ((), 0)


def test_an_editor_sees_what_became_of_uploads_that_name_the_editor(desk: Desk) -> None:
    mine, theirs, plain = (DocumentKey(STORE, name) for name in ("mine.md", "theirs.md", "plain.md"))
    desk.put(mine, readers("group:legal"), indexed=False)
    desk.put(theirs, readers("user:bob"), indexed=False)
    desk.put(plain, indexed=False)
    desk.put(DocumentKey(STORE, "hidden.md"), readers("user:bob"), readers=("user:bob",))
    # To be opened to Ann, which is not ingested yet.
    desk.put(DocumentKey(STORE, "opening.md"), readers("user:ann"), readers=("user:bob",))
    desk.files.report(
        mine, outcome="rejected", problems=[{"place": "page 2", "reason": "It is empty.", "kind": "empty"}]
    )
    [summary] = desk.list().documents
    assert summary == DocumentSummary("mine.md", "mine.md", state="rejected", said="page 2: It is empty.")
    assert desk.list(document_id="mine.md").documents == (summary,)
    assert desk.list(document_id="theirs.md").documents == ()
    assert names(desk.list(EVE)) == []
    assert desk.list().you == ("group:editors", "group:legal", "user:ann")


def test_a_document_is_waiting_until_it_is_reported_and_leaving_once_its_file_is_gone(desk: Desk) -> None:
    desk.put()
    assert [each.state for each in desk.list(document_id="lease.md").documents] == ["waiting"]
    desk.files.report(LEASE, outcome="indexed")
    assert [(each.state, each.readers) for each in desk.list().documents] == [("searchable", ())]
    desk.files.remove_file(LEASE)
    assert [each.state for each in desk.list().documents] == ["leaving"]


# ---- uploads ----


def test_a_new_document_is_for_its_uploader_before_its_file_is_sent(desk: Desk) -> None:
    form = desk.upload("new.md")
    assert desk.sidecar(DocumentKey(STORE, "new.md")) == {"metadataAttributes": {}, **readers("user:ann")}
    assert form.fields == {"key": "documents/acme/store/new.md", "size": "5", "seconds": str(FORM_SECONDS)}
    [record] = desk.audited
    assert isinstance(record, DocumentEdited)
    assert (record.act, record.user, record.document_id, record.readers) == ("upload", "ann", "new.md", ("user:ann",))


@pytest.mark.parametrize(
    ("name", "size", "fields", "code"),
    [
        ("new.exe", 5, {}, "document_refused"),
        ("new.md", 50_000_001, {}, "document_refused"),
        ("new.md", 0, {}, "document_refused"),
        ("../other/new.md", 5, {}, "document_refused"),
        ("new.md.metadata.json", 5, {}, "document_refused"),
        ("new.md", 5, {"readers": ["everyone", "user:ann"]}, "document_refused"),
        ("new.md", 5, {"readers": ["group:two words"]}, "document_refused"),
        ("new.md", 5, {"principal": EVE}, "no_editor"),
    ],
)
def test_what_cannot_be_uploaded_is_refused_and_nothing_is_written(
    desk: Desk, name: str, size: int, fields: dict[str, Any], code: str
) -> None:
    assert desk.refusal(desk.upload, name, size, **fields) == code
    assert desk.files.sidecars == {}
    assert desk.audited == []


def test_a_document_is_replaced_when_that_is_asked_for_and_keeps_its_sidecar(desk: Desk) -> None:
    desk.put(sidecar=readers("group:legal"), readers=("group:legal",))
    assert desk.refusal(desk.upload, "lease.md") == "document_exists"
    desk.upload("lease.md", replace=True, readers=["everyone"])
    assert desk.sidecar() == readers("group:legal")
    assert desk.refusal(desk.upload, "lease.md", principal=BOB, replace=True) == "document_refused"


def test_of_two_uploads_of_a_name_the_second_does_not_choose_its_readers(desk: Desk) -> None:
    desk.upload("new.md")
    desk.upload("new.md")
    assert desk.refusal(desk.upload, "new.md", principal=BOB, readers=["everyone"]) == "document_changed"
    desk.now += FORM_SECONDS + 1
    desk.upload("new.md", principal=BOB, readers=["everyone"])
    assert desk.sidecar(DocumentKey(STORE, "new.md"))["readers"] == "everyone"


def test_a_document_that_is_leaving_gets_no_successor_with_other_readers(desk: Desk) -> None:
    desk.put(readers=("group:legal",))
    desk.remove()
    assert desk.refusal(desk.upload, "lease.md", readers=["everyone"]) == "document_changed"


# ---- descriptions ----


def test_a_description_is_written_over_the_one_that_was_shown_alone(desk: Desk) -> None:
    desk.put(sidecar={"metadataAttributes": {"year": 2024, "tags": ["a", "b"]}})
    shown = desk.describe()
    assert shown.fields == {"year": ("2024",), "tags": ("a", "b")}
    first = desk.describe(
        fields={"year": ["2024"], "status": ["draft"]}, readers=["group:legal"], version=shown.version
    )
    assert desk.sidecar() == {"metadataAttributes": {"year": 2024, "status": "draft"}, **readers("group:legal")}
    assert desk.refusal(desk.describe, fields={}, version=shown.version) == "document_changed"
    assert desk.describe().version == first.version
    assert [each.act for each in desk.audited if isinstance(each, DocumentEdited)] == ["describe"]


def test_the_first_description_is_not_written_over_another_first_one(desk: Desk) -> None:
    desk.put()
    desk.describe(fields={"status": ["draft"]})
    assert desk.refusal(desk.describe, fields={"status": ["approved"]}) == "document_changed"
    assert desk.sidecar() == {"metadataAttributes": {"status": "draft"}}


def test_what_is_searched_with_the_text_still_is(desk: Desk) -> None:
    value = {"value": {"type": "STRING", "stringValue": "Atlas"}, "includeForEmbedding": True}
    desk.put(sidecar={"metadataAttributes": {"product": value}})
    desk.describe(fields={"product": ["Borealis"]}, version=desk.describe().version)
    changed = desk.sidecar()["metadataAttributes"]["product"]
    assert changed == {"value": {"type": "STRING", "stringValue": "Borealis"}, "includeForEmbedding": True}


@pytest.mark.parametrize("fields", [{"readers": ["group:hr"]}, {"a\u2028b": ["x"]}, {"long": ["x" * 5000] * 3}])
def test_a_description_that_no_sidecar_can_have_is_refused(desk: Desk, fields: dict[str, list[str]]) -> None:
    desk.put()
    with pytest.raises(CicadaError, match=r"^The sidecar [^.]*\.?[^.]*\.$") as refused:
        desk.describe(fields=fields)
    assert "stays out" not in str(refused.value)
    assert refused.value.code == "document_refused"


# ---- who may ----


@pytest.mark.parametrize("act", ["describe", "remove"])
@pytest.mark.parametrize("name", ["pay.md", "theirs.md", "closing.md", "broken.md", "plain.md", "none.md"])
def test_what_an_editor_may_not_read_looks_like_what_does_not_exist(desk: Desk, act: str, name: str) -> None:
    """By the record, by the sidecar of what is not searchable yet, by one that is not ingested yet, or without any."""
    desk.put(DocumentKey(STORE, "pay.md"), readers=("group:hr",))
    desk.put(DocumentKey(STORE, "theirs.md"), readers("user:bob"), indexed=False)
    desk.put(DocumentKey(STORE, "closing.md"), readers("group:hr"))
    desk.put(DocumentKey(STORE, "broken.md"), {"acl": ["group:hr"]})
    desk.put(DocumentKey(STORE, "plain.md"), indexed=False)
    assert desk.refusal(getattr(desk, act), name) == "document_not_found"
    assert desk.refusal(getattr(desk, act), name, EVE) == "no_editor"


def test_a_base_of_another_group_is_not_known(desk: Desk) -> None:
    status = Schema({"status": SchemaField("status", FieldType.KEYWORD)})
    desk.access.bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=status, groups=("hr",))})
    desk.put()
    for act in (desk.list, desk.describe, desk.remove):
        assert desk.refusal(act) == "unknown_knowledge_base"
    assert desk.refusal(desk.list, filters=[Filter("colour", "eq", "red")]) == "unknown_knowledge_base"
    assert desk.refusal(desk.list, sort="colour") == "unknown_knowledge_base"


# ---- removals ----


@pytest.mark.parametrize("sidecar", [readers("user:ann"), {"metadataAttributes": {"year": 2024}}])
def test_a_removed_document_leaves_first_and_its_sidecar_goes_last(desk: Desk, sidecar: dict[str, Any]) -> None:
    desk.put(sidecar=sidecar)
    assert desk.remove() is False
    assert desk.remove() is False
    assert desk.sidecar() == sidecar
    desk.index.delete(LEASE)
    desk.access.forget(LEASE)
    assert desk.remove() is True
    assert desk.refusal(desk.remove) == "document_not_found"
    assert [each.act for each in desk.audited if isinstance(each, DocumentEdited)] == ["remove"]
