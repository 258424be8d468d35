"""How well a running stage answers: conversations asked of it, and what came of each turn judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from cicada_client.answer import Answer
from cicada_client.errors import CicadaClientError
from cli.errors import CommandError
from cli.text import to_json as as_json
from evals import reliability as confidences
from evals.answers_files import Conversation, Documents, Expectation, Kept, Turn, folded
from evals.expectations import (
    Failure,
    Received,
    either,
    failures_of,
    has_evidence,
    is_answered,
    matches,
    names_of,
    short,
)

# What asks for the next page of a list, as a person does (docs/protocol.md).
_NEXT_PAGE = "more"
_PROGRESS_TURNS = 20
_LONG = 300


class Stage(Protocol):
    """The stage that is asked."""

    def ask(self, user: str | None, message: str, session_id: str, knowledge_base: str) -> Answer:
        """The answer, whole, failed or cancelled. Raises `CicadaClientError`, or `CommandError` without a sign-in."""
        ...


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn is right without failures. `evidence`: whether what holds the answer is among the sources or the list.

    `confidence`: the answer's, 0 to 1, None where it has none, or says that the documents do not say it.
    """

    id: str
    turn: int
    group: str
    message: str
    failures: tuple[Failure, ...]
    evidence: bool
    text: str
    documents: tuple[str, ...]
    strategy: str
    path: tuple[str, ...]
    confidence: float | None = None

    @property
    def right(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class GroupScore:
    turns: int
    right: int
    wrong_with_evidence: int
    wrong_without_evidence: int


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """`expected`: how many turns are to be judged, which are more than `judged` if the run was interrupted."""

    judged: tuple[JudgedTurn, ...]
    expected: int
    interrupted: bool = False

    def groups(self) -> dict[str, GroupScore]:
        """The scores by group, in the file's order, and at last of all."""
        names = dict.fromkeys(each.group for each in self.judged)
        by_group = {name: _score([each for each in self.judged if each.group == name]) for name in names}
        return by_group | {"all": _score(self.judged)}

    @property
    def reliability(self) -> confidences.Reliability | None:
        """How far confidences agree with what is right, over the turns whose answers have one."""
        return confidences.reliability(
            [(each.confidence, each.right) for each in self.judged if each.confidence is not None]
        )


def run(
    conversations: Sequence[Conversation],
    stage: Stage,
    documents: Documents,
    new_id: Callable[[], str],
    progress: Callable[[str], None],
) -> AnswersReport:
    """Ask all conversations, one after the other, and judge the turns that expect something.

    Ctrl-C ends the run; the report has what was judged before. `new_id` gives the ids of sessions.
    """
    expected = sum(turn.expect is not None for each in conversations for turn in each.turns)
    judged: list[JudgedTurn] = []
    try:
        for conversation in conversations:
            for each in _Interview(stage, conversation, documents, new_id, progress).judged():
                judged.append(each)
                if len(judged) % _PROGRESS_TURNS == 0:
                    wrong = sum(not one.right for one in judged)
                    progress(f"{len(judged)} of {expected} turns judged, {wrong} wrong")
    except KeyboardInterrupt:
        return AnswersReport(tuple(judged), expected, interrupted=True)
    return AnswersReport(tuple(judged), expected)


class _Interview:
    """One conversation, in a session of its own."""

    def __init__(
        self,
        stage: Stage,
        conversation: Conversation,
        documents: Documents,
        new_id: Callable[[], str],
        progress: Callable[[str], None],
    ) -> None:
        self._stage = stage
        self._conversation = conversation
        self._documents = documents
        self._new_id = new_id
        self._progress = progress
        self._session_id = new_id()
        # Whether each entry was found when it was last expected, by kind and name.
        self._found: dict[tuple[str, str], bool] = {}

    def judged(self) -> Iterator[JudgedTurn]:
        for number, turn in enumerate(self._conversation.turns, start=1):
            received = self._ask(turn.message, self._session_id)
            if received.failure:
                self._progress(f"{self._conversation.id}, turn {number}: {received.failure}")
            if turn.expect:
                yield self._judged(number, turn, turn.expect, received)

    def _judged(self, number: int, turn: Turn, expect: Expectation, received: Received) -> JudgedTurn:
        if expect.needs_whole_list:
            received = self._with_all_pages(received)
        failures = [*failures_of(expect, received, self._documents)]
        for entry in () if received.failure else expect.kept:
            failures += self._failures_of_entry(entry)
        conversation, answer = self._conversation, received.answer
        return JudgedTurn(
            id=conversation.id,
            turn=number,
            group=conversation.group,
            message=turn.message,
            failures=tuple(failures),
            evidence=has_evidence(expect, received, self._documents),
            text=answer.text,
            documents=received.documents,
            strategy=received.strategy,
            path=answer.path,
            confidence=answer.confidence if is_answered(received, self._documents) else None,
        )

    def _ask(self, message: str, session_id: str) -> Received:
        conversation = self._conversation
        try:
            answer = self._stage.ask(conversation.user, message, session_id, conversation.knowledge_base)
        except (CicadaClientError, CommandError) as error:
            return Received(Answer(), str(error))
        rows = answer.listing.documents if answer.listing else ()
        return Received(answer, _why_not_whole(answer), rows)

    def _with_all_pages(self, first: Received) -> Received:
        """Add the rows of the pages after the first, which are asked for directly after it."""
        rows, listing = first.rows, first.answer.listing
        while listing and listing.next_offset is not None:
            page = self._ask(_NEXT_PAGE, self._session_id)
            following = page.answer.listing
            if page.failure or not following or following.offset != listing.next_offset or not page.rows:
                unread = page.failure or "another answer came"
                return Received(first.answer, first.failure, rows, f"the page from {listing.next_offset}: {unread}")
            rows, listing = (*rows, *page.rows), following
        return Received(first.answer, first.failure, rows)

    def _failures_of_entry(self, entry: Kept) -> Iterator[Failure]:
        """Look for the entry in another session, which the conversation does not see."""
        listing = self._ask(f"Show my {'theories' if entry.kind == 'theory' else 'profiles'}", self._new_id())
        what, key = f"the {entry.kind} {entry.name}", (entry.kind, entry.name)
        if listing.failure:
            yield Failure("kept", f"{what} could not be looked for: {listing.failure}")
            return
        there = re.search(rf"(?<!\w){re.escape(folded(entry.name))}(?!\w)", listing.shown, re.IGNORECASE) is not None
        if entry.gone:
            if there:
                yield Failure("kept", f"{what} is still there: {short(listing.shown)}")
            elif not self._found.get(key, True):
                yield Failure("kept", f"{what} was not there before either")
            return
        self._found[key] = there
        if not there:
            yield Failure("kept", f"{what} is not listed: {short(listing.shown)}")
        elif entry.text:
            yield from self._failures_of_text(entry, what)

    def _failures_of_text(self, entry: Kept, what: str) -> Iterator[Failure]:
        of = "" if entry.kind == "theory" else "of "
        one = self._ask(f"Show the {entry.kind} {of}{entry.name}", self._new_id())
        if lacking := [pattern for pattern in entry.text if not matches(pattern, one.shown)]:
            yield Failure("kept", f"{what} lacks {either(lacking)}: {short(one.failure or one.shown)}")


def to_json(report: AnswersReport) -> str:
    """All judged turns, the right ones too, so that two runs can be compared turn by turn."""
    turns: list[dict[str, Any]] = [{"right": each.right} | asdict(each) for each in report.judged]
    data = {
        "judged": len(report.judged),
        "expected": report.expected,
        "interrupted": report.interrupted,
        "groups": {name: asdict(score) for name, score in report.groups().items()},
        "reliability": asdict(report.reliability) if report.reliability else None,
        "turns": turns,
    }
    return as_json(data)


def render(report: AnswersReport) -> str:
    """The scores by group, how far confidences agree with them, and each wrong turn with what came instead."""
    groups = report.groups()
    width = max(map(len, (*groups, "group")))
    lines = [f"{'group':{width}}  turns  right  share  wrong, evidence there  wrong, evidence not there"]
    for name, score in groups.items():
        share = f"{score.right / score.turns:5.2f}" if score.turns else "    –"
        wrong = f"{score.wrong_with_evidence:21}  {score.wrong_without_evidence:25}"
        lines.append(f"{name:{width}}  {score.turns:5}  {score.right:5}  {share}  {wrong}")
    if report.reliability:
        lines += ["", *confidences.rows(report.reliability)]
    for each in report.judged:
        lines += [] if each.right else ["", *_wrong_turn(each)]
    if report.interrupted:
        lines += ["", f"Interrupted after {len(report.judged)} of {report.expected} turns."]
    return "\n".join(lines)


def _wrong_turn(judged: JudgedTurn) -> Iterator[str]:
    there = "evidence there" if judged.evidence else "evidence not there"
    yield f"{judged.id}, turn {judged.turn} ({judged.group}, {there}): {short(judged.message)}"
    for failure in judged.failures:
        yield f"  {failure.expectation}: {failure.problem}"
    if judged.text:
        yield f"  came: {short(judged.text, _LONG)}"
    if judged.documents:
        yield f"  documents: {names_of(judged.documents)}"


def _score(turns: Sequence[JudgedTurn]) -> GroupScore:
    wrong = [each for each in turns if not each.right]
    there = sum(each.evidence for each in wrong)
    return GroupScore(len(turns), len(turns) - len(wrong), there, len(wrong) - there)


def _why_not_whole(answer: Answer) -> str:
    if answer.status == "complete":
        return ""
    return f"{answer.failure.error} ({answer.failure.code})" if answer.failure else f"the answer is {answer.status}"
