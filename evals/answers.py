"""How well a running stage answers: conversations asked of it, and what came of each turn judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from cicada_client.answer import Answer
from cicada_client.errors import CicadaClientError
from cicada_client.listing import Aggregate, Group, ListedDocument
from cli.errors import CommandError
from cli.text import to_json as as_json
from evals import reliability as confidences
from evals.answers_files import Conversation, Documents, Expectation, Kept, Turn, folded

_ASKED_BACK = "NeedsClarification"
# What asks for the next page of a list, as a person does (docs/protocol.md).
_NEXT_PAGE = "more"
_PROGRESS_TURNS = 20
_SHORT, _LONG = 160, 300
_NUMBERS = (
    *("no|none|zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_CITATION = re.compile(r"\[\d+(?:\s*[,;]\s*\d+)*\]")
_QUOTATION = re.compile(r'"[^"]*"')
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SAYING = (
    "say|state|mention|hold|contain|answer|find|give|name|tell|know|cover|specify|include|list|record|describe|provide"
    "|found|stated|mentioned|held|contained|answered|given|named|told|known|covered|specified|listed|recorded"
)
# That the documents do not say it, in English words.
_UNANSWERED = re.compile(
    r"\bno such\b|\bnothing\b|\bnone of\b|\bunable to\b|\bthere (?:is|are|was|were) (?:no|none|not)\b"
    r"|\bno (?:\w+ ){0,2}(?:passage|document|answer|information|mention|record|evidence|result|line|match)(?:s|es)?\b"
    rf"|(?:\bnot|n't|\bcannot)(?: \w+){{0,2}}? (?:{_SAYING})\b",
    re.IGNORECASE,
)


class Stage(Protocol):
    """The stage that is asked."""

    def ask(self, user: str | None, message: str, session_id: str, knowledge_base: str) -> Answer:
        """The answer, whole, failed or cancelled. Raises `CicadaClientError`, or `CommandError` without a sign-in."""
        ...


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that does not hold, by its key, and what came instead.

    It is `answer` where no whole answer came, and `pages` where not all pages of a list could be read.
    """

    expectation: str
    problem: str


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


@dataclass(frozen=True, slots=True)
class Received:
    """What came of a message. `failure` says why no whole answer came; `rows` are those of all pages that were read.

    `unread`: why not all pages could be read.
    """

    answer: Answer
    failure: str = ""
    rows: tuple[ListedDocument, ...] = ()
    unread: str = ""

    @property
    def strategy(self) -> str:
        return self.answer.plan.strategy if self.answer.plan else ""

    @property
    def listed(self) -> tuple[str, ...]:
        return tuple(row.document_id for row in self.rows if row.document_id)

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents of the list, then of the sources by their numbers, each once."""
        sources = sorted(self.answer.sources, key=lambda source: source.n)
        named = (*self.listed, *(source.document_id for source in sources if source.document_id))
        return tuple(dict.fromkeys(named))

    @property
    def shown(self) -> str:
        """What a person reads: the text, the numbers by value, and the list's rows."""
        listing = self.answer.listing
        numbers = [*map(_worded, listing.aggregates), *map(_grouped, listing.groups)] if listing else []
        rows = [f"{row.title} ({', '.join(f'{name}: {v}' for name, v in row.fields.items())})" for row in self.rows]
        return folded("\n".join([self.answer.text, *numbers, *rows]))


def _worded(found: Aggregate) -> str:
    return f"{found.name}: {found.figure.value}"


def _grouped(found: Group) -> str:
    values = ", ".join(value or "none" for value in found.values)
    return f"{values}: {', '.join([str(found.documents), *(each.value or '' for each in found.figures)])}"


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
                yield Failure("kept", f"{what} is still there: {_short(listing.shown)}")
            elif not self._found.get(key, True):
                yield Failure("kept", f"{what} was not there before either")
            return
        self._found[key] = there
        if not there:
            yield Failure("kept", f"{what} is not listed: {_short(listing.shown)}")
        elif entry.text:
            yield from self._failures_of_text(entry, what)

    def _failures_of_text(self, entry: Kept, what: str) -> Iterator[Failure]:
        of = "" if entry.kind == "theory" else "of "
        one = self._ask(f"Show the {entry.kind} {of}{entry.name}", self._new_id())
        if lacking := [pattern for pattern in entry.text if not _in(pattern, one.shown)]:
            yield Failure("kept", f"{what} lacks {_either(lacking)}: {_short(one.failure or one.shown)}")


def failures_of(expect: Expectation, received: Received, documents: Documents) -> Iterator[Failure]:
    """What does not hold of all but `kept`; of an answer that is not whole nothing else is judged."""
    if received.failure:
        yield Failure("answer", received.failure)
        return
    yield from _of_texts(expect, received, documents)
    yield from _of_documents(expect, received)
    yield from _of_lists(expect, received)
    yield from _of_replies(expect, received, documents)


def has_evidence(expect: Expectation, received: Received, documents: Documents) -> bool:
    """Whether a document that the file names, or an evidence text, is among the sources or the list."""
    return not expect.documents.isdisjoint(received.documents) or _has_evidence_text(expect, received, documents)


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
    yield f"{judged.id}, turn {judged.turn} ({judged.group}, {there}): {_short(judged.message)}"
    for failure in judged.failures:
        yield f"  {failure.expectation}: {failure.problem}"
    if judged.text:
        yield f"  came: {_short(judged.text, _LONG)}"
    if judged.documents:
        yield f"  documents: {_names(judged.documents)}"


def _score(turns: Sequence[JudgedTurn]) -> GroupScore:
    wrong = [each for each in turns if not each.right]
    there = sum(each.evidence for each in wrong)
    return GroupScore(len(turns), len(turns) - len(wrong), there, len(wrong) - there)


def _why_not_whole(answer: Answer) -> str:
    if answer.status == "complete":
        return ""
    return f"{answer.failure.error} ({answer.failure.code})" if answer.failure else f"the answer is {answer.status}"


def _of_texts(expect: Expectation, received: Received, documents: Documents) -> Iterator[Failure]:
    shown = received.shown
    if expect.text_any and not any(_in(pattern, shown) for pattern in expect.text_any):
        yield Failure("text_any", f"none of {_either(expect.text_any)}")
    if lacking := [pattern for pattern in expect.text_all or () if not _in(pattern, shown)]:
        yield Failure("text_all", f"lacks {_either(lacking)}")
    for pattern in expect.text_none or ():
        if found := re.search(pattern, shown, re.IGNORECASE):
            yield Failure("text_none", f"says {_short(found[0])!r}")
    if expect.evidence_any and not _has_evidence_text(expect, received, documents):
        number = len(received.answer.sources)
        yield Failure("evidence_any", f"none of {_either(expect.evidence_any)} in {number} sources")


def _of_documents(expect: Expectation, received: Received) -> Iterator[Failure]:
    came = received.documents
    if expect.documents_any and not set(expect.documents_any) & set(came):
        yield Failure("documents_any", f"none of {_names(expect.documents_any)}")
    if lacking := [each for each in expect.documents_all or () if each not in came]:
        yield Failure("documents_all", f"lacks {_names(lacking)}")
    if unwanted := [each for each in expect.documents_none or () if each in came]:
        yield Failure("documents_none", f"has {_names(unwanted)}")
    if expect.documents_first and expect.documents_first != next(iter(came), ""):
        yield Failure("documents_first", f"is {next(iter(came), 'none')}, not {expect.documents_first}")


def _of_lists(expect: Expectation, received: Received) -> Iterator[Failure]:
    if received.unread:
        yield Failure("pages", received.unread)
    elif expect.listed_exact is not None:
        listed = set(received.listed if received.answer.listing else received.documents)
        lacking, unwanted = sorted({*expect.listed_exact} - listed), sorted(listed - {*expect.listed_exact})
        parts = [f"lacks {_counted(lacking)}" if lacking else "", f"also has {_counted(unwanted)}" if unwanted else ""]
        if problem := "; ".join(filter(None, parts)):
            yield Failure("listed_exact", problem)
    if expect.total is not None:
        yield from _of_total(expect.total, received)


def _of_total(total: int, received: Received) -> Iterator[Failure]:
    listing = received.answer.listing
    if listing and listing.total != total:
        yield Failure("total", f"is {listing.total}, not {total}")
    elif not listing and not _in(_written(total), _CITATION.sub(" ", folded(received.answer.text))):
        yield Failure("total", f"the text has no {total}")


def _of_replies(expect: Expectation, received: Received, documents: Documents) -> Iterator[Failure]:
    asks_back = received.strategy == _ASKED_BACK
    if expect.asks_back is not None and expect.asks_back != asks_back:
        yield Failure("asks_back", "it asks back" if asks_back else f"it does not ask back ({received.strategy})")
    if expect.names_any and not any(_in(pattern, received.shown) for pattern in expect.names_any):
        yield Failure("names_any", f"names none of {_either(expect.names_any)}")
    if expect.answered is not None and expect.answered != is_answered(received, documents):
        problem = "it says that the documents do not say it" if expect.answered else "it gives an answer"
        yield Failure("answered", problem)


def is_answered(received: Received, documents: Documents) -> bool:
    """Whether no words, and no empty list, say that the documents do not say it.

    What the answer quotes does not count: a play has its own "there is nothing".
    """
    listing = received.answer.listing
    if listing and not listing.total:
        return False
    unquoted = _QUOTATION.sub(" ", folded(_CITATION.sub("", received.answer.text)))
    quotable = " ".join(documents.text(source) for source in received.answer.sources).lower()
    own = (each for each in _SENTENCE_END.split(unquoted) if each.lower() not in quotable)
    return not any(_UNANSWERED.search(each) for each in own)


def _has_evidence_text(expect: Expectation, received: Received, documents: Documents) -> bool:
    texts = [documents.text(source) for source in received.answer.sources]
    return any(_in(pattern, text) for pattern in expect.evidence_any or () for text in texts)


def _in(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _written(number: int) -> str:
    """The number alone, in digits or as a word, as a regular expression."""
    grouped = f"{number:,}"
    words = (*dict.fromkeys([str(number), grouped]), *_NUMBERS[number : number + 1])
    return rf"(?<![\w.,-])(?:{'|'.join(words)})(?![\w-]|[.,]\d)"


def _short(text: str, characters: int = _SHORT) -> str:
    line = folded(text)
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def _either(patterns: Iterable[str]) -> str:
    return _short(" · ".join(patterns))


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} ({_names(names)})"


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
