"""Holds what came of a turn against what its file expects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cicada_client.answer import Answer
from cicada_client.listing import Aggregate, Group, ListedDocument
from evals.answers_files import Documents, Expectation, folded

_ASKED_BACK = "NeedsClarification"
_SHORT = 160
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


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that does not hold, by its key, and what came instead.

    It is `answer` where no whole answer came, and `pages` where not all pages of a list could be read.
    """

    expectation: str
    problem: str


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


def _of_texts(expect: Expectation, received: Received, documents: Documents) -> Iterator[Failure]:
    shown = received.shown
    if expect.text_any and not any(matches(pattern, shown) for pattern in expect.text_any):
        yield Failure("text_any", f"none of {either(expect.text_any)}")
    if lacking := [pattern for pattern in expect.text_all or () if not matches(pattern, shown)]:
        yield Failure("text_all", f"lacks {either(lacking)}")
    for pattern in expect.text_none or ():
        if found := re.search(pattern, shown, re.IGNORECASE):
            yield Failure("text_none", f"says {short(found[0])!r}")
    if expect.evidence_any and not _has_evidence_text(expect, received, documents):
        number = len(received.answer.sources)
        yield Failure("evidence_any", f"none of {either(expect.evidence_any)} in {number} sources")


def _of_documents(expect: Expectation, received: Received) -> Iterator[Failure]:
    came = received.documents
    if expect.documents_any and not set(expect.documents_any) & set(came):
        yield Failure("documents_any", f"none of {names_of(expect.documents_any)}")
    if lacking := [each for each in expect.documents_all or () if each not in came]:
        yield Failure("documents_all", f"lacks {names_of(lacking)}")
    if unwanted := [each for each in expect.documents_none or () if each in came]:
        yield Failure("documents_none", f"has {names_of(unwanted)}")
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
    elif not listing and not matches(_written(total), _CITATION.sub(" ", folded(received.answer.text))):
        yield Failure("total", f"the text has no {total}")


def _of_replies(expect: Expectation, received: Received, documents: Documents) -> Iterator[Failure]:
    asks_back = received.strategy == _ASKED_BACK
    if expect.asks_back is not None and expect.asks_back != asks_back:
        yield Failure("asks_back", "it asks back" if asks_back else f"it does not ask back ({received.strategy})")
    if expect.names_any and not any(matches(pattern, received.shown) for pattern in expect.names_any):
        yield Failure("names_any", f"names none of {either(expect.names_any)}")
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
    return any(matches(pattern, text) for pattern in expect.evidence_any or () for text in texts)


def matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _written(number: int) -> str:
    """The number alone, in digits or as a word, as a regular expression."""
    grouped = f"{number:,}"
    words = (*dict.fromkeys([str(number), grouped]), *_NUMBERS[number : number + 1])
    return rf"(?<![\w.,-])(?:{'|'.join(words)})(?![\w-]|[.,]\d)"


def short(text: str, characters: int = _SHORT) -> str:
    line = folded(text)
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def either(patterns: Iterable[str]) -> str:
    return short(" · ".join(patterns))


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} ({names_of(names)})"


def names_of(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
