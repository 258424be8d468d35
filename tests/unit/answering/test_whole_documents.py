"""Documents and their parts that are read as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.answering.answer import Answerer
from cicada.answering.parts import AnswerPart, Cited
from cicada.answering.whole_documents import WholeDocumentAnswerer
from cicada.dialogue import ShownDocument
from cicada.document_routing.naming import Dispatcher
from cicada.documents.model import DocumentKey, Exists, KnowledgeBaseKey, Passage, ScriptLocator, Subject
from cicada.errors import UnavailableError
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import ANN, QUESTION, Situation, end_of, make_searchable, only, text_of

BASE = KnowledgeBaseKey(ANN.tenant, "scripts")


def play(title: str, *chapters: str, readers: tuple[str, ...] = ()) -> list[Passage]:
    document = DocumentKey(BASE, f"{title.lower()}.json")
    return [
        Passage(
            f"{number:03}",
            document,
            "1",
            title,
            f"{title} goes on in {chapter}.",
            title,
            ScriptLocator(title, title, chapter, "", number, number, ()),
            readers=readers,
        )
        for number, chapter in enumerate(chapters)
    ]


@dataclass
class Library:
    """Plays in an index, and the answers that their passages give as wholes."""

    here: Situation = field(default_factory=Situation)
    index: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("fixed", 1))
    access: OpenAccess = field(default_factory=OpenAccess)
    tokens: int = 4000

    def put(self, passages: Sequence[Passage]) -> None:
        make_searchable(self.index, *passages)

    def ask(
        self,
        *subjects: Subject,
        shape: Shape = Shape.CONTENT_ONLY,
        again: tuple[ShownDocument, ...] = (),
        message: str = QUESTION.message,
        scene: int | None = None,
    ) -> list[AnswerPart]:
        plan = Plan(
            Intent.SCRIPT_QUERY,
            shape,
            message,
            knowledge_base=BASE.knowledge_base,
            filters=(Exists("status"),) if shape is Shape.HYBRID else (),
            subjects=subjects,
            again=again,
            scene=scene,
            before="Who goes on?",
        )
        bases = KnowledgeBases(KnowledgeBase("", context_tokens=self.tokens))
        gate = replace(self.here.gate, access=self.access)
        whole_documents = WholeDocumentAnswerer(Dispatcher(self.index), bases, gate, self.here.model)
        answerer = Answerer(
            lambda *_: plan, self.here.passages, whole_documents, self.here.listings, self.here.agent, self.here.model
        )
        return list(answerer.answer(replace(QUESTION, message=message), ANN))

    def read(self, *subjects: Subject, message: str = "What goes on?") -> list[tuple[str, str]]:
        """Title and chapter of the passages that are read; empty where the question was searched for instead."""
        parts = self.ask(*subjects, message=message)
        if not any(step.startswith("read:") for step in end_of(parts).path):
            return []
        cited = only(Cited, parts)
        assert all(ranked.relevance is None for ranked in cited.passages)
        places = [ranked.passage for ranked in cited.passages]
        return [(each.title, each.locator.chapter_id) for each in places if isinstance(each.locator, ScriptLocator)]


def plays() -> Library:
    library = Library()
    library.put(play("Hamlet", "1.1", "3.4", "3.4", "5.2"))
    library.put(play("Macbeth", "1.1", "1.2", "3.4"))
    return library


def again(library: Library, *shown: ShownDocument) -> list[str]:
    """The chapters that are shown for a message about these passages of the last answer."""
    parts = library.ask(again=shown)
    read = [part for part in parts if isinstance(part, Cited)] if "read:last_answer" in end_of(parts).path else []
    locators = [ranked.passage.locator for part in read for ranked in part.passages]
    return [f"{each.episode_id} {each.chapter_id}" for each in locators if isinstance(each, ScriptLocator)]


SECOND = ShownDocument(4, "macbeth.json", "Macbeth goes on in 1.2")


def test_a_message_about_the_last_answer_is_answered_from_its_passages_and_those_around_them() -> None:
    library = plays()
    assert again(library, SECOND) == ["Macbeth 1.2", "Macbeth 3.4", "Macbeth 1.1"]
    assert library.here.model.prompts[0].user.endswith(f"Question: {QUESTION.message} (Who goes on?)")
    other = ShownDocument(5, "hamlet.json", "Hamlet goes on in 5.2")
    assert again(plays(), SECOND, other)[:4] == ["Macbeth 1.2", "Hamlet 5.2", "Macbeth 3.4", "Macbeth 1.1"]


def test_the_scene_of_what_was_shown_is_read_whole_or_the_one_beside_it() -> None:
    shown = ShownDocument(4, "hamlet.json", "Hamlet goes on in 3.4")

    def read(step: int) -> list[str]:
        parts = plays().ask(again=(shown, SECOND), scene=step)
        if "read:section" not in end_of(parts).path:
            return []
        locators = [ranked.passage.locator for ranked in only(Cited, parts).passages]
        return [f"{each.episode_id} {each.chapter_id}" for each in locators if isinstance(each, ScriptLocator)]

    assert read(0) == ["Hamlet 3.4", "Hamlet 3.4"]
    assert (read(1), read(-1)) == (["Hamlet 5.2"], ["Hamlet 1.1"])
    assert (read(2), read(-2)) == ([], [])


def test_a_passage_that_was_cut_is_found_by_the_part_that_was_shown() -> None:
    for shown in ("Macbeth goes …", "… goes on in 1.2"):
        assert again(plays(), ShownDocument(4, "macbeth.json", shown))[0] == f"Macbeth 1.{1 if shown[0] == 'M' else 2}"


def test_what_is_closed_is_not_even_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    library, read = plays(), []
    library.access.readers["macbeth.json"] = ("user:bob",)
    passages_of = library.index.passages_of

    def noted(document: DocumentKey) -> tuple[Passage, ...]:
        read.append(document.document_id)
        return passages_of(document)

    monkeypatch.setattr(library.index, "passages_of", noted)
    assert again(library, SECOND, ShownDocument(5, "hamlet.json", "Hamlet goes on in 5.2"))[0] == "Hamlet 5.2"
    assert read == ["hamlet.json"]


def test_passages_that_are_gone_or_closed_are_not_shown_again() -> None:
    closed = plays()
    closed.access.readers["macbeth.json"] = ("user:bob",)
    assert again(closed, SECOND) == []
    assert again(plays(), ShownDocument(1, "macbeth.json", "A text of last year")) == []


def test_a_document_is_read_in_its_order() -> None:
    assert plays().read(Subject("Macbeth")) == [("Macbeth", "1.1"), ("Macbeth", "1.2"), ("Macbeth", "3.4")]
    assert plays().read(Subject("the play Hamlet", "3.4")) == [("Hamlet", "3.4")] * 2


def test_a_comparison_reads_both() -> None:
    assert plays().read(Subject("Macbeth", "3.4"), Subject("Hamlet", "act 5")) == [
        ("Macbeth", "3.4"),
        ("Hamlet", "5.2"),
    ]
    assert plays().read(Subject("Macbeth", "act 3"), Subject("Macbeth", "1.2")) == [
        ("Macbeth", "3.4"),
        ("Macbeth", "1.2"),
    ]


def test_a_part_without_its_document_is_that_of_every_document_if_they_are_few() -> None:
    library = plays()
    assert library.read(Subject("", "3.4")) == [("Hamlet", "3.4"), ("Hamlet", "3.4"), ("Macbeth", "3.4")]
    assert library.read(Subject("", "5.2")) == [("Hamlet", "5.2")]
    library.put(play("Lear", "3.4"))
    assert {title for title, _ in library.read(Subject("", "3.4"))} == {"Hamlet", "Lear", "Macbeth"}
    library.put(play("Othello", "3.4"))
    assert library.read(Subject("", "3.4")) == []


def test_of_documents_that_have_the_part_the_one_that_the_question_names_is_read() -> None:
    for message, titles in (("Who is in 3.4 with Macbeth?", {"Macbeth"}), ("Who is in 3.4?", {"Hamlet", "Macbeth"})):
        parts = plays().ask(Subject("", "3.4"), message=message)
        assert {ranked.passage.title for ranked in only(Cited, parts).passages} == titles


def test_of_a_scene_that_does_not_fit_the_ends_and_the_entrances_are_read_first() -> None:
    scene = play("Lear", *["1.1"] * 6)
    texts = ("They wait.", "A long talk.", "More of it.", "He goes. [Re-enter FOOL]", "On and on.", "Curtain.")
    library = Library(tokens=80)
    library.put([replace(each, text=text) for each, text in zip(scene, texts, strict=True)])
    parts = library.ask(Subject("Lear", "1.1"))
    shown = [ranked.passage.text for ranked in only(Cited, parts).passages]
    assert shown == ["They wait.", "A long talk.", "He goes. [Re-enter FOOL]", "Curtain."]


def test_a_part_that_is_only_to_be_read_if_it_is_short_is_searched_for_if_it_does_not_fit() -> None:
    library = plays()
    subject = Subject("Hamlet", "3.4", if_short=True)
    assert library.read(subject) == [("Hamlet", "3.4")] * 2
    library.tokens = 40
    assert library.read(subject) == []
    assert library.read(replace(subject, if_short=False)) == [("Hamlet", "3.4")]


def test_it_is_a_document_only_where_there_is_no_other() -> None:
    library = plays()
    assert library.read(Subject()) == []
    library.index.delete(DocumentKey(BASE, "macbeth.json"))
    assert len(library.read(Subject())) == 4


def test_what_no_document_is_called_is_searched_for() -> None:
    for subject in (Subject("the murder"), Subject("Macbeth", "9.9"), Subject("Ophelia")):
        assert plays().read(subject) == []
    assert plays().read(Subject("Macbeth"), Subject("Laertes")) == []


def test_the_path_says_what_was_read_and_how_much_of_it() -> None:
    library = plays()
    assert end_of(library.ask(Subject("Macbeth"))).path[2:] == ("read:document", "passages:3/3", "generate")
    assert end_of(library.ask(Subject("Macbeth", "1.2"))).path[2:] == ("read:section", "passages:1/1", "generate")
    library.tokens = 80
    comparison = library.ask(Subject("Macbeth"), Subject("Hamlet"))
    assert end_of(comparison).path[2] == "read:comparison"
    assert "Passages, 3 of 7 from the whole text in its order:" in library.here.model.prompts[-1].user
    library.ask(Subject("Macbeth", "1.2"))
    assert "Passages, all of them in the order of the text:" in library.here.model.prompts[-1].user


def test_nothing_is_read_that_the_asker_may_not_view() -> None:
    library = plays()
    library.put(play("Secret", "1.1", readers=("group:thanes",)))
    assert library.read(Subject("Secret")) == []
    library.put(play("Secret", "1.1"))
    assert library.read(Subject("Secret")) == [("Secret", "1.1")]
    library.here.model.prompts.clear()
    # The access list has changed since the index was written.
    library.access.readers["secret.json"] = ("group:thanes",)
    assert library.read(Subject("Secret")) == []
    assert library.read(Subject("Macbeth"), Subject("Secret")) == []
    assert len(library.here.model.prompts) == 2
    assert not any("Secret" in prompt.user for prompt in library.here.model.prompts)


def test_what_is_vague_is_asked_back_unless_it_names_what_to_read() -> None:
    library = plays()
    parts = library.ask(Subject("", "5.2"), shape=Shape.NEEDS_CLARIFICATION)
    assert end_of(parts).path[2] == "read:section"
    assert end_of(library.ask(Subject("", "9.9"), shape=Shape.NEEDS_CLARIFICATION)).path[-1] == "clarify"
    assert text_of(parts)


def test_a_title_may_look_like_conditions_or_like_nothing() -> None:
    library = plays()
    for shape in (Shape.METADATA_ONLY, Shape.NO_MATCH, Shape.HYBRID):
        end = end_of(library.ask(Subject("Macbeth"), shape=shape))
        assert end.path[2] == "read:document"
        assert end.plan is not None
        assert (end.plan.shape, end.plan.filters, end.conditions) == (Shape.CONTENT_ONLY, (), ())
    assert "read:document" not in end_of(library.ask(Subject("Laertes"), shape=Shape.NO_MATCH)).path


def test_an_index_that_fails_is_no_missing_document() -> None:
    library = plays()
    library.access.failure = UnavailableError("down")
    with pytest.raises(UnavailableError):
        library.ask(Subject("Macbeth"))


def test_an_answer_from_a_whole_is_finished_without_confidence() -> None:
    end = end_of(plays().ask(Subject("Macbeth")))
    assert (end.confidence, end.withheld) == (None, 0)
