"""The screen of documents: what a reader sees of a base, and what an editor does there, each in one visit."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from cicada.conversation.protocol import DescribeDocument, UploadDocument
from cicada.documents.catalogue import row_of
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import EmbeddedPassage
from tests.browser.fake_backend import TENANT, FakeBackend
from tests.browser.pages import sign_in
from tests.fakes.passages import passage

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
SCRIPTS = KnowledgeBaseKey(TENANT, "scripts")
HOSTILE = "<img src=x onerror=alert(1)>.md"


def put(backend: FakeBackend, name: str, title: str = "", **metadata: MetadataValue) -> DocumentKey:
    """A searchable document."""
    document = DocumentKey(SCRIPTS, name)
    made = passage(document, 0, "Text.", title=title or name, version="v1", metadata=metadata)
    backend.library.replace(document, [EmbeddedPassage(made, (1.0,))], row_of([made], 1_800_000_000.0))
    backend.files.put(document)
    backend.files.report(document, outcome="indexed")
    return document


def row(page: Page, name: str) -> Locator:
    return page.locator(".document-row").filter(has_text=name)


def faults(page: Page) -> list[str]:
    """What axe finds, and whether the page is wider than the screen."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found] + ["wide"] * wide


def test_a_reader_finds_a_document_and_opens_it_and_changes_nothing(
    page: Page, address: str, backend: FakeBackend
) -> None:
    put(backend, "lease.md", "Lease of the North Wing")
    put(backend, HOSTILE)
    sign_in(page, address)
    page.get_by_role("link", name="Documents").click()
    expect(page.get_by_role("heading", name="Documents")).to_be_focused()
    expect(page.locator(".document-row")).to_have_text(
        [
            re.compile(r"\.md1 passage · .*20\d\d$"),
            re.compile(r"^Lease of the North Winglease\.md · 1 passage · .*20\d\d$"),
        ]
    )
    expect(page.get_by_role("button", name=re.compile("Choose files|Remove|Fields"))).to_have_count(0)
    page.set_viewport_size({"width": 320, "height": 700})
    assert faults(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_label("Search the documents").fill("north")
    expect(page.locator(".document-row")).to_have_count(1)
    page.get_by_role("link", name="Lease of the North Wing").click()
    expect(page.locator("#reading-title")).to_have_text("Lease of the North Wing")
    page.reload()
    expect(page.get_by_role("heading", name="Documents")).to_be_visible()
    expect(row(page, HOSTILE)).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Your question")).to_be_visible()
    assert "documents=" not in page.url


def test_a_list_is_filtered_and_shows_versions_and_what_is_in_force(
    page: Page, address: str, backend: FakeBackend
) -> None:
    status = SchemaField("status", FieldType.KEYWORD, ("approved", HOSTILE), display="Status", shown=True)
    rule = StandingRule("status", ("approved",), replaces="replaces", version="version")
    schema = Schema({"status": status}, in_force=rule)
    backend.access.bases = KnowledgeBases(named={"scripts": KnowledgeBase("scripts", schema=schema)})
    put(backend, "lease.md", "Lease", status="approved", version="1")
    put(backend, "lease-2.md", "Lease", status="approved", version="2")
    put(backend, HOSTILE, "Menu", status=HOSTILE)
    sign_in(page, f"{address}?documents=scripts")
    replaced = page.locator(".document-row").filter(has_text="no longer in force · lease.md")
    expect(replaced.locator(".versions li")).to_have_text("Lease · lease-2.md · 2 · in force")
    page.get_by_label("Value to filter by").fill(HOSTILE)
    page.keyboard.press("Enter")
    expect(page.locator(".document-row h2")).to_have_text(["Menu"])
    page.set_viewport_size({"width": 320, "height": 700})
    assert faults(page) == []
    page.get_by_label("Value to filter by").fill("lost")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("takes one of approved")
    for _ in range(2):
        page.get_by_role("button", name="Leave out").last.click()
    expect(page.locator(".document-row")).to_have_count(3)
    replaced.locator(".versions a").click()
    expect(page.locator("#reading-title")).to_have_text("Lease")


def test_days_and_numbers_are_filtered_from_one_to_another(page: Page, address: str, backend: FakeBackend) -> None:
    kinds = {"status": FieldType.KEYWORD, "due": FieldType.DATE, "value": FieldType.NUMBER}
    schema = Schema({each: SchemaField(each, kind, display=each.title(), shown=True) for each, kind in kinds.items()})
    backend.access.bases = KnowledgeBases(named={"scripts": KnowledgeBase("scripts", schema=schema)})
    for month in (1, 2, 3):
        put(backend, f"{month}.md", f"Lease {month}", due=f"2026-0{month}-15", value=month * 1_000.0)
    sign_in(page, f"{address}?documents=scripts")
    page.get_by_label("Field to filter by").select_option("Due")
    expect(page.get_by_label("Value to filter by")).to_be_hidden()
    page.get_by_role("group", name="Due").get_by_label("from").fill("2026-02-01")
    page.keyboard.press("Enter")
    expect(page.locator(".document-row h2")).to_have_text(["Lease 2", "Lease 3"])
    page.get_by_label("Field to filter by").select_option("Value")
    page.get_by_label("to", exact=True).fill("2000")
    page.set_viewport_size({"width": 320, "height": 700})
    assert faults(page) == []
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".document-row h2")).to_have_text(["Lease 2"])
    expect(page.locator(".condition bdi")).to_have_text(["Due: from 2026-02-01", "Value: to 2000"])


def test_an_editor_uploads_describes_and_removes_a_document(page: Page, address: str, backend: FakeBackend) -> None:
    backend.editors.add("ada")
    backend.access.unknown.add(HOSTILE)
    lease = put(backend, "lease.md")
    sign_in(page, f"{address}?documents=scripts")
    backend.uploads_fail = True
    files = page.locator("input[type=file]")
    chosen = (HOSTILE, "lease.md")
    files.set_input_files([FilePayload(name=name, mimeType="text/markdown", buffer=b"# New") for name in chosen])
    dropped = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File(['MZ'], 'votes.exe')); return data; }"
    )
    page.locator(".drop").dispatch_event("drop", {"dataTransfer": dropped})
    new = row(page, HOSTILE)
    expect(new).to_contain_text("It is still chosen: try again.")
    expect(row(page, "votes.exe")).to_contain_text("Files of this type cannot be read")
    expect(row(page, "lease.md").first).to_contain_text("There is a document of this name")
    backend.uploads_fail = False
    new.get_by_role("button", name="Try again").click()
    expect(new).to_contain_text("Sent. Waits for its ingest.")
    page.set_viewport_size({"width": 320, "height": 700})
    assert faults(page) == []
    page.get_by_role("button", name="Keep the old one").click()
    document = DocumentKey(SCRIPTS, HOSTILE)
    backend.files.report(document, outcome="rejected", problems=[{"place": "", "reason": "It has no text."}])
    expect(new).to_contain_text("Not searchable: It has no text.")
    [user] = json.loads(backend.files.sidecars[document].content)["accessControlList"]
    assert user["type"] == "USER"
    assert [each.replace for each in backend.commands if isinstance(each, UploadDocument)] == [False, False, False]

    page.get_by_role("button", name="Fields and readers of lease.md").click()
    page.get_by_role("button", name="Add a field").click()
    page.get_by_label("Field", exact=True).fill("status")
    page.get_by_label("Value", exact=True).fill("approved")
    page.keyboard.press("Escape")
    assert faults(page) == []
    backend.files.write_sidecar(lease, b'{"metadataAttributes": {"owner": "Bob"}}', "")
    page.get_by_role("button", name="Save").click()
    form = page.get_by_role("form", name="Fields and readers")
    expect(form).to_contain_text("Now it says: owner: Bob; no readers.")
    expect(page.get_by_label("Value", exact=True)).to_have_value("approved")
    page.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    assert json.loads(backend.files.sidecars[lease].content) == {"metadataAttributes": {"status": "approved"}}
    assert len([each for each in backend.commands if isinstance(each, DescribeDocument)]) == 4

    page.get_by_role("button", name="Remove lease.md").click()
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.get_by_role("button", name="Remove it").click()
    expect(row(page, "lease.md")).to_contain_text("Is leaving the search.")
    backend.library.delete(lease)
    backend.access.unknown.add("lease.md")
    expect(row(page, "lease.md")).to_have_count(0)
    assert lease not in backend.files.sidecars
