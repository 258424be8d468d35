"""Judging what a stage answers: each expectation by itself, whole conversations, and the file's form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cicada_client.answer import Answer
from cicada_client.errors import ConnectionLostError
from cicada_client.events import Failed, Locator, Source
from cicada_client.listing import Group, ListedDocument, Listing
from cicada_client.plan import Plan
from evals.answers import AnswersReport, render, run, to_json
from evals.answers_files import Conversation, Documents, Expectation, load_conversations
from evals.expectations import Received, failures_of, has_evidence, is_answered
from evals.lines import DatasetError
from local.stage.settings import ROOT

NOTHING = Documents(())
LISTED = ("a.md", "b.md")


def answer(text: str = "", strategy: str = "ContentOnly", sources: tuple[Source, ...] = ()) -> Answer:
    plan = Plan(strategy, "store", "q", "rules")
    return Answer(status="complete", text=text, plan=plan, sources=sources)


def source(document_id: str, excerpt: str = "", n: int = 1, messages: tuple[int, int] | None = None) -> Source:
    return Source(n, document_id, "Title", Locator(messages=messages), excerpt, 0.5)


def listing(*ids: str, total: int | None = None, offset: int = 0, next_offset: int | None = None) -> Answer:
    rows = tuple(ListedDocument(each, f"Title of {each}", {"Status": "approved"}) for each in ids)
    found = Listing("r", 1, len(ids) if total is None else total, rows, offset, next_offset)
    return Answer(status="complete", text="So many match.", listing=found, plan=Plan("MetadataOnly", "store", "q", "r"))


def received(answer: Answer) -> Received:
    return Received(answer, rows=answer.listing.documents if answer.listing else ())


def failing(expect: dict[str, Any], given: Answer, documents: Documents = NOTHING) -> list[str]:
    """The expectations that do not hold."""
    expected = Expectation.model_validate_json(json.dumps(expect))
    return [each.expectation for each in failures_of(expected, received(given), documents)]


# ---- one expectation ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expect", "right", "wrong"),
    [
        ({"text_any": ["12 HOURS", "noon"]}, answer("It is 12\n hours."), answer("It is 13 hours.")),
        ({"text_all": ["12", "hours"]}, answer("12 hours"), answer("12 days")),
        ({"text_none": ["don't"]}, answer("They do."), answer("They don’t.")),
        ({"text_any": ["Title of b.md.*approved"]}, listing(*LISTED), listing("a.md")),
        ({"evidence_any": ["she is dead"]}, answer(sources=(source("x", "She  is dead."),)), answer("she is dead")),
        ({"documents_any": ["a.md", "c.md"]}, listing("b.md", "c.md"), answer("a.md")),
        ({"documents_all": ["a.md", "b.md"]}, listing(*LISTED), listing("a.md")),
        ({"documents_none": ["c.md"]}, listing(*LISTED), answer(sources=(source("c.md"),))),
        ({"documents_first": "a.md"}, listing(*LISTED), listing("b.md", "a.md")),
        ({"documents_first": "a.md"}, answer(sources=(source("b.md", n=2), source("a.md"))), answer()),
        ({"listed_exact": ["b.md", "a.md"]}, listing(*LISTED), listing("a.md", "b.md", "c.md")),
        ({"listed_exact": []}, listing(total=0), answer(sources=(source("a.md"),))),
        ({"total": 2}, listing(*LISTED), listing("a.md", "b.md", "c.md")),
        ({"total": 34}, answer("There are 34 [12]."), answer("There are 134, or 34.5 [34].")),
        ({"total": 1200}, answer("There are 1,200."), answer("There are 200.")),
        ({"total": 0}, answer("There are none."), answer("There is one.")),
        ({"asks_back": True}, answer(strategy="NeedsClarification"), answer()),
        ({"asks_back": False}, answer(), answer(strategy="NeedsClarification")),
        ({"names_any": ["corn street"]}, answer("Corn Street or Mill Lane?"), answer("Which one?")),
        ({"answered": False}, answer("The documents do not say it."), answer("It is 12 hours.")),
        ({"answered": True}, answer("It is 12 hours."), answer("I found no passage that matches.")),
    ],
)  # fmt: skip
def test_an_expectation_holds_or_fails_by_itself(expect: dict[str, Any], right: Answer, wrong: Answer) -> None:
    assert failing(expect, right) == []
    assert failing(expect, wrong) == [*expect]


def test_counts_by_value_are_text_that_is_shown() -> None:
    given = listing(*LISTED)
    assert given.listing
    counted = Listing("r", 1, 2, given.listing.documents, grouped_by=("Type",), groups=(Group(("policy",), 2),))
    shown = Answer(status="complete", listing=counted)
    assert failing({"text_all": ["policy: 2"]}, shown) == []


def test_about_and_chat_judge_nothing() -> None:
    assert failing({"about": ["a.md"], "chat": True}, answer("Hello!")) == []


def test_of_an_answer_that_is_not_whole_the_failure_alone_is_reported() -> None:
    expected = Expectation(text_any=("x",), total=3)
    [failure] = failures_of(expected, Received(Answer(), "The search failed. (dependency_search)"), NOTHING)
    assert (failure.expectation, failure.problem) == ("answer", "The search failed. (dependency_search)")


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("There is no SOP-QA-999.", False),
        ("The passages do not hold an answer to this question.", False),
        ("The report was not found.", False),
        ("I cannot say.", False),
        ("It doesn't mention Juliet.", False),
        ("No such policy.", False),
        ('Hamlet says: "There is nothing either good or bad." — Hamlet, 2.2 [1]', True),
        ("Hamlet says: “There is nothing either good or bad.” — Hamlet, 2.2 [1]", True),
        ("Full pay is not given then. It is 8 weeks.", True),
        ("Nothing leaves the store without a label.", True),
    ],
)
def test_an_answer_is_none_where_its_own_words_say_so(text: str, answered: bool) -> None:
    quoted = source("a.md", "Nothing leaves the store without a label. Full pay is not given then.")
    assert is_answered(received(answer(text, sources=(quoted,))), NOTHING) is answered


# ---- evidence -------------------------------------------------------------------------------------------------------


def test_evidence_is_there_in_a_named_document_or_in_a_text() -> None:
    given = received(answer(sources=(source("a.md", "It lasts 12 hours."),)))
    for expect in ({"about": ["a.md"]}, {"documents_first": "a.md"}, {"evidence_any": ["12 hours"]}):
        assert has_evidence(Expectation.model_validate_json(json.dumps(expect)), given, NOTHING), expect
    assert not has_evidence(Expectation(about=("b.md",), evidence_any=("13 hours",)), given, NOTHING)


def test_what_an_excerpt_leaves_out_is_looked_up_in_the_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("It lasts\n12 hours.", "utf-8")
    (tmp_path / "b.pdf").write_bytes(b"\xff\xfe12 hours")
    documents, expect = Documents([tmp_path / "gone", tmp_path]), {"evidence_any": ["lasts 12 hours"]}
    assert failing(expect, answer(sources=(source("a.md"),)), documents) == []
    assert failing(expect, answer(sources=(source("b.pdf"),)), documents) == ["evidence_any"]
    assert failing(expect, answer(sources=(source("../a.md"), source(""))), documents) == ["evidence_any"]


def test_of_a_script_only_the_messages_of_the_passage_are_looked_up(tmp_path: Path) -> None:
    said = [{"messageId": n, "speaker": "Ross", "textENG": f"line {n}"} for n in (1, 2, 3)]
    (tmp_path / "play.json").write_text(json.dumps({"messages": said}), "utf-8")
    (tmp_path / "list.json").write_text(json.dumps(said), "utf-8")
    (tmp_path / "broken.json").write_text("{", "utf-8")
    documents = Documents([tmp_path])
    for name in ("play.json", "list.json"):
        given = answer(sources=(source(name, messages=(2, 3)),))
        assert failing({"evidence_any": ["Ross: line 2"]}, given, documents) == []
        assert failing({"evidence_any": ["line 1"]}, given, documents) == ["evidence_any"]
    broken = answer(sources=(source("broken.json", messages=(1, 1)),))
    assert failing({"evidence_any": ["line 1"]}, broken, documents) == ["evidence_any"]


# ---- whole conversations --------------------------------------------------------------------------------------------


@dataclass
class ScriptedStage:
    """Gives the answer, or raises what is given, for each message; keeps what was asked."""

    script: dict[str, Answer | BaseException | Callable[[], Answer]]
    asked: list[tuple[str | None, str, str, str]] = field(default_factory=list)

    def ask(self, user: str | None, message: str, session_id: str, knowledge_base: str) -> Answer:
        self.asked.append((user, message, session_id, knowledge_base))
        given = self.script[message]
        if isinstance(given, BaseException):
            raise given
        return given() if callable(given) else given

    @property
    def messages(self) -> list[str]:
        return [message for _, message, _, _ in self.asked]


def conversation(*turns: dict[str, Any] | str, name: str = "c1", group: str = "store") -> Conversation:
    written = [{"message": each} if isinstance(each, str) else each for each in turns]
    form = {"id": name, "group": group, "knowledgeBase": "store", "user": "bob", "turns": written}
    return Conversation.model_validate_json(json.dumps(form))


def expecting(message: str, **expect: Any) -> dict[str, Any]:
    return {"message": message, "expect": expect}


def judge(stage: ScriptedStage, *conversations: Conversation, said: list[str] | None = None) -> AnswersReport:
    numbers = count(1)
    progress = (said if said is not None else []).append
    return run(conversations, stage, NOTHING, lambda: f"s{next(numbers)}", progress)


def in_turn(*answers: Answer) -> Callable[[], Answer]:
    left: Iterator[Answer] = iter(answers)
    return lambda: next(left)


def test_all_turns_are_asked_in_one_session_and_those_that_expect_something_are_judged() -> None:
    stage = ScriptedStage({"one": answer("1"), "two": answer("2"), "three": answer("3")})
    report = judge(
        stage,
        conversation("one", expecting("two", text_all=["2"])),
        conversation(expecting("three", text_all=["4"]), name="c2", group="plays"),
    )
    assert stage.asked == [
        ("bob", "one", "s1", "store"),
        ("bob", "two", "s1", "store"),
        ("bob", "three", "s2", "store"),
    ]
    assert [(each.id, each.turn, each.right) for each in report.judged] == [("c1", 2, True), ("c2", 1, False)]


def test_scores_are_by_group_and_tell_where_the_evidence_was_there() -> None:
    near = answer("no idea", sources=(source("a.md"),))
    stage = ScriptedStage({"right": answer("yes"), "near": near, "far": answer("no idea")})
    report = judge(
        stage,
        conversation(
            expecting("right", text_all=["yes"]),
            expecting("near", text_all=["yes"], about=["a.md"]),
            expecting("far", text_all=["yes"], about=["a.md"]),
        ),
        conversation(expecting("right", text_all=["yes"]), name="c2", group="plays"),
    )
    scores = {
        name: (each.turns, each.right, each.wrong_with_evidence, each.wrong_without_evidence)
        for name, each in report.groups().items()
    }
    assert scores == {"store": (3, 1, 1, 1), "plays": (1, 1, 0, 0), "all": (4, 2, 1, 1)}


def test_a_list_is_judged_over_all_its_pages() -> None:
    first = listing("a.md", "b.md", total=5, next_offset=2)
    more = in_turn(
        listing("c.md", "d.md", total=5, offset=2, next_offset=4),
        listing("e.md", total=5, offset=4),
    )
    stage = ScriptedStage({"list": first, "more": more, "and then?": answer("then")})
    expected = [f"{each}.md" for each in "abcde"]
    report = judge(stage, conversation(expecting("list", listed_exact=expected, total=5), "and then?"))
    assert report.judged[0].right
    assert report.judged[0].documents == tuple(expected)
    assert stage.messages == ["list", "more", "more", "and then?"]
    assert {session for _, _, session, _ in stage.asked} == {"s1"}


def test_pages_are_not_read_where_they_judge_nothing() -> None:
    stage = ScriptedStage({"list": listing("a.md", total=5, next_offset=1)})
    assert judge(stage, conversation(expecting("list", total=5))).judged[0].right
    assert stage.messages == ["list"]


@pytest.mark.parametrize(
    "page",
    [
        ConnectionLostError("gone"),
        answer("Which page?"),
        listing("a.md", total=5, next_offset=1),
        listing(total=5, offset=1),
    ],
)
def test_a_page_that_cannot_be_read_is_a_failure_of_the_list(page: Answer | BaseException) -> None:
    stage = ScriptedStage({"list": listing("a.md", total=5, next_offset=1), "more": page})
    [judged] = judge(stage, conversation(expecting("list", listed_exact=["a.md"]))).judged
    assert [each.expectation for each in judged.failures] == ["pages"]
    assert judged.failures[0].problem.startswith("the page from 1: ")
    assert stage.messages == ["list", "more"]


def test_a_failure_of_the_connection_or_the_service_fails_its_turn_alone() -> None:
    failed = Answer(status="failed", failure=Failed("r", 2, "The model does not answer.", "dependency_model", True))
    stage = ScriptedStage(
        {"lost": ConnectionLostError("No server."), "failed": failed, "cut": Answer(status="cancelled"), "ok": answer()}
    )
    said: list[str] = []
    turns = [expecting(message, text_none=["x"]) for message in stage.script]
    report = judge(stage, conversation(*turns), said=said)
    assert [each.failures[0].problem if each.failures else "" for each in report.judged] == [
        "No server.",
        "The model does not answer. (dependency_model)",
        "the answer is cancelled",
        "",
    ]
    assert said[0] == "c1, turn 1: No server."
    assert not report.interrupted


def test_ctrl_c_ends_the_run_with_what_was_judged_before() -> None:
    stage = ScriptedStage({"ok": answer("yes"), "long": KeyboardInterrupt()})
    report = judge(stage, conversation(expecting("ok", text_all=["yes"]), expecting("long", text_all=["yes"])))
    assert (len(report.judged), report.expected, report.interrupted) == (1, 2, True)
    assert render(report).endswith("Interrupted after 1 of 2 turns.")
    assert json.loads(to_json(report))["interrupted"] is True


def test_a_long_run_reports_its_progress() -> None:
    stage, said = ScriptedStage({"ok": answer("yes")}), list[str]()
    turns = [expecting("ok", text_all=["yes" if n else "no"]) for n in range(45)]
    judge(stage, conversation(*turns), said=said)
    assert said == ["20 of 45 turns judged, 1 wrong", "40 of 45 turns judged, 1 wrong"]


# ---- what agents keep -----------------------------------------------------------------------------------------------


def kept(kind: str = "profile", name: str = "Banquo", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "name": name, **more}


def test_an_entry_is_looked_for_in_another_session_by_listing_and_by_showing_it() -> None:
    stage = ScriptedStage(
        {
            "note it": answer("Saved."),
            "Show my theories": answer("You have 1 theory:\n- Spy (2026-11-25)"),
            "Show the theory spy": answer("The theory “Spy”: Ross is a spy"),
            "go on": answer(),
        }
    )
    report = judge(stage, conversation(expecting("note it", kept=kept("theory", "spy", text="ross is")), "go on"))
    assert report.judged[0].right
    sessions = [session for _, _, session, _ in stage.asked]
    assert sessions[0] == sessions[-1] and len(set(sessions)) == 3


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (kept(), ""),
        (kept(text=["general", "^(?!.*thane)"]), ""),
        (kept(name="Ross"), "the profile Ross is not listed: You have 1 profile: - Banquo (2026-11-25)"),
        (kept(name="anquo"), "the profile anquo is not listed: "),
        (kept(text=["general", "thane"]), 'the profile Banquo lacks thane: "Banquo": a general'),
        (kept(gone=True), "the profile Banquo is still there: "),
        (kept(name="Ross", gone=True), ""),
    ],
)
def test_an_entry_must_be_there_with_its_text_or_be_gone(entry: dict[str, Any], problem: str) -> None:
    stage = ScriptedStage(
        {
            "do it": answer("Done."),
            "Show my profiles": answer("You have 1 profile:\n- Banquo (2026-11-25)"),
            "Show the profile of Banquo": answer("“Banquo”: a general"),
        }
    )
    [judged] = judge(stage, conversation(expecting("do it", kept=entry))).judged
    found = [each.problem for each in judged.failures]
    assert len(found) == bool(problem) and all(each.startswith(problem) for each in found)


def test_what_was_never_kept_is_not_gone() -> None:
    stage = ScriptedStage({"keep": answer(), "delete": answer(), "Show my profiles": answer("You have no profiles.")})
    turns = [expecting("keep", kept=[kept()]), expecting("delete", kept=[kept(gone=True)])]
    [_, deleted] = judge(stage, conversation(*turns)).judged
    assert deleted.failures[0].problem == "the profile Banquo was not there before either"


def test_entries_that_cannot_be_looked_for_are_a_failure() -> None:
    stage = ScriptedStage({"delete": answer(), "Show my profiles": ConnectionLostError("No server.")})
    [judged] = judge(stage, conversation(expecting("delete", kept=kept(gone=True)))).judged
    assert judged.failures[0].problem == "the profile Banquo could not be looked for: No server."


# ---- the report -----------------------------------------------------------------------------------------------------


def test_the_text_report_has_the_scores_and_each_wrong_turn() -> None:
    stage = ScriptedStage({"why?": answer("So " * 200, sources=(source("a.md"),)), "ok": answer("yes")})
    report = judge(
        stage, conversation(expecting("ok", text_all=["yes"]), expecting("why?", total=3, documents_first="a.md"))
    )
    lines = render(report).splitlines()
    assert lines[1].split() == ["store", "2", "1", "0.50", "1", "0"]
    assert lines[2].split() == ["all", "2", "1", "0.50", "1", "0"]
    assert lines[4:6] == ["c1, turn 2 (store, evidence there): why?", "  total: the text has no 3"]
    assert lines[6].startswith("  came: So So") and lines[6].endswith("…") and len(lines[6]) < 320
    assert lines[7] == "  documents: a.md"


def test_the_json_report_has_right_turns_too() -> None:
    stage = ScriptedStage({"ok": answer("yes"), "why?": answer("no")})
    report = judge(stage, conversation(expecting("ok", text_all=["yes"]), expecting("why?", text_all=["yes"])))
    data = json.loads(to_json(report))
    assert data["groups"]["all"] == {"turns": 2, "right": 1, "wrong_with_evidence": 0, "wrong_without_evidence": 1}
    assert [(each["id"], each["turn"], each["right"]) for each in data["turns"]] == [("c1", 1, True), ("c1", 2, False)]
    assert data["turns"][1]["failures"] == [{"expectation": "text_all", "problem": "lacks yes"}]
    assert data["turns"][1]["text"] == "no"


def test_confidences_are_held_against_what_is_right() -> None:
    sure, unsure = replace(answer("yes"), confidence=0.9), replace(answer("no"), confidence=1.0)
    no_answer = replace(answer("The passages do not say it."), confidence=0.1)
    stage = ScriptedStage({"ok": sure, "why?": unsure, "hm": answer("yes"), "none": no_answer})
    report = judge(stage, conversation(*(expecting(each, text_all=["yes"]) for each in ("ok", "why?", "hm", "none"))))
    assert json.loads(to_json(report))["reliability"] == {
        "bins": [{"least": 0.9, "number": 2, "confidence": 0.95, "right": 0.5}],
        "error": pytest.approx(0.45),
    }
    assert "0.9 – 1.0          2    0.95    0.50\nexpected calibration error 0.450" in render(report)


def test_a_run_interrupted_at_once_has_a_report() -> None:
    assert "all" in render(AnswersReport((), 3, interrupted=True))


# ---- the file -------------------------------------------------------------------------------------------------------

GOOD = '{"id": "a", "group": "g", "knowledgeBase": "store", "turns": [{"message": "m"}]}'


def turn(expect: str) -> str:
    return GOOD.replace('"id": "a"', '"id": "b"').replace('{"message": "m"}', f'{{"message": "m", "expect": {expect}}}')


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "line 3: the line: Invalid JSON"),
        ("[]", "line 3: the line: Input should be an object"),
        (GOOD, "line 3: there is a conversation a above"),
        (GOOD.replace("knowledgeBase", "knowledgebase"), "line 3: knowledgeBase: Field required"),
        (GOOD.replace('"group": "g"', '"group": "all"'), "line 3: group: the report calls the sum"),
        (GOOD.replace('{"message": "m"}', ""), "line 3: turns: "),
        (GOOD.replace('"m"', '""'), "line 3: turns.0.message: String should have at least 1 character"),
        (turn('{"text_al": ["x"]}'), "line 3: turns.0.expect.text_al: Extra inputs are not permitted"),
        (turn('{"text_any": ["("]}'), "line 3: turns.0.expect.text_any.0: '(' is not a regular expression (missing )"),
        (turn('{"text_any": "x"}'), "line 3: turns.0.expect.text_any: Input should be a valid array"),
        (turn('{"text_any": []}'), "line 3: turns.0.expect.text_any: "),
        (turn('{"total": "6"}'), "line 3: turns.0.expect.total: Input should be a valid integer"),
        (turn('{"kept": {"kind": "note", "name": "n"}}'), "line 3: turns.0.expect.kept.0.kind: Input should be"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_the_reason(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join([GOOD, "", line]), "utf-8")
    with pytest.raises(DatasetError) as caught:
        load_conversations(path)
    assert reason in str(caught.value)


def test_a_file_without_conversations_or_that_is_missing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n", "utf-8")
    with pytest.raises(DatasetError, match="holds no conversations"):
        load_conversations(tmp_path / "empty.jsonl")
    with pytest.raises(DatasetError, match="cannot be read as UTF-8 text"):
        load_conversations(tmp_path / "gone.jsonl")


def test_the_sample_file_asks_about_documents_that_ship() -> None:
    conversations = load_conversations(ROOT / "samples" / "answers.jsonl")
    expected = [each.expect for one in conversations for each in one.turns if each.expect]
    there = {path.name for path in (ROOT / "samples").rglob("*.*")}
    assert len(conversations) == 10
    assert set[str]().union(*(each.documents for each in expected)) <= there


@pytest.mark.parametrize("name", ["near_questions.jsonl", "questions_of_strangers.jsonl"])
def test_the_evidence_of_the_shipped_questions_stands_in_the_samples(name: str) -> None:
    files = [each for each in (ROOT / "samples").rglob("*") if each.suffix in (".json", ".md")]
    text = " ".join(" ".join(each.read_text("utf-8").replace("\\n", " ").split()) for each in files)
    turns = [turn for each in load_conversations(ROOT / "evals" / name) for turn in each.turns]
    wanted = {turn.message: turn.expect.evidence_any for turn in turns if turn.expect and turn.expect.evidence_any}
    missing = [
        message
        for message, any_of in wanted.items()
        if not any(re.search(each, text, re.IGNORECASE) for each in any_of)
    ]
    assert missing == []
