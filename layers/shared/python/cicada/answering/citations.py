"""What an answer rests on: the spans of its passages that it quotes, or that are nearest to what it says.

A citation belongs to the text between it and the one before it in the same paragraph. A quotation is looked up word by
word; the passage may have other quotation marks, dashes, blanks and capitals, and stage directions in brackets.
`cut` shortens a passage that is too long to be shown; `checked` finds the sentences that no passage carries.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import sqrt

from msgspec.structs import replace

from cicada.answering.parts import AnswerPart, Cited, Finished, Span, Text, Unanswered, Used
from cicada.answering.prompt import evidence_text
from cicada.answering.pump import STOP_SENTENCES
from cicada.documents.model import Passage
from cicada.grounding.checking import Judge, by_counting, check
from cicada.ingest.chunks import sentences
from cicada.knowledge_bases.schema import Schema
from cicada.languages.terms import is_cjk
from cicada.retrieval.model import RankedPassage
from cicada.retrieval.quality import content_words

_CUT = "…"


def sentence_spans(text: str) -> Iterator[Span]:
    """Where each sentence of the text begins and ends."""
    end = 0
    for line in text.splitlines():
        for sentence in sentences(line):
            start = text.index(sentence, end)
            end = start + len(sentence)
            yield start, end


def cut(text: str, spans: Sequence[Span], fits: Callable[[str], bool]) -> tuple[str, list[Span]]:
    """The text if it fits, else whole sentences from the first span on, and before it as many as fit; with its spans.

    `…` stands where it is cut. A sentence that alone does not fit is cut inside. A span that is not in it is left out,
    one that goes on beyond it ends with it.
    """
    if fits(text):
        return text, list(spans)
    start, end = _kept(text, spans[0][0] if spans else 0, fits)
    before = f"{_CUT} " if text[:start].strip() else ""
    after = f" {_CUT}" if text[end:].strip() else ""
    shift = len(before) - start
    shown = [(first + shift, min(last, end) + shift) for first, last in spans if start <= first < end]
    return f"{before}{text[start:end]}{after}", shown


def _kept(text: str, at: int, fits: Callable[[str], bool]) -> Span:
    """The part of the text around this place that is kept: where it begins and ends."""

    def fit(start: int, end: int) -> bool:
        return fits(f"{_CUT} {text[start:end]} {_CUT}")

    said = list(sentence_spans(text))
    first = next((number for number, (_, end) in enumerate(said) if at < end), 0)
    start, end = said[first] if said else (0, len(text))
    if not fit(start, end):
        end = start + bisect_left(range(start, end), True, key=lambda last: not fit(start, last + 1))
        return start, max(text.rfind(" ", start, end), start) or end
    for _, last in said[first + 1 :]:
        end = last if fit(start, last) else end
    for earlier, _ in reversed(said[:first]):
        start = earlier if fit(earlier, end) else start
    return start, end


_CITATIONS = re.compile(r"(?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]\s*)+")
_QUOTED = re.compile(r'"([^"\n]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』')
# A quotation in straight marks may have others in it.
_OUTERMOST = re.compile(r'"(.+)"')
_LEFT_OUT = re.compile(r"\[?(?:…|\.{3})\]?|\|\|")
# A quotation that its own citation does not have may be of another passage, if it is not just a word or a title.
_WORDS_OF_ANY = 4
_EDGES = " \t\n.,;:!?…'\"“”‘’()*_|-–—‐‑"
_BETWEEN = r"(?:\s*\[[^\]\n]{0,200}\])*\s+"
_ALIKE = str.maketrans(dict.fromkeys("'’‘`", "['’‘`]") | dict.fromkeys('"“”„', '["“”„]') | {"…": r"(?:…|\.{3})"})
_DASHES = re.compile(r"(?:\\?[-–—‐‑])+")


def resting(parts: Iterable[AnswerPart]) -> Iterator[AnswerPart]:
    """The answer, with what its whole text rests on before its end.

    A citation of a number that no passage has rests on nothing; the path counts these numbers (`unknown_citations:1`).
    An answer that only says that there is none rests on nothing either.
    """
    passages: dict[int, RankedPassage] = {}
    schema, text, is_answered = Schema(), [], True
    for part in parts:
        if isinstance(part, Cited):
            passages.update(enumerate(part.passages, part.first))
            schema = part.schema
        elif isinstance(part, Text):
            text.append(part.content)
        elif isinstance(part, Unanswered):
            is_answered = False
        elif isinstance(part, Finished) and passages and is_answered:
            spans = spans_used("".join(text), {number: each.passage for number, each in passages.items()})
            if spans:
                yield Used({number: passages[number] for number in spans}, spans, schema)
            unknown = _cited("".join(text)).difference(passages)
            part = replace(part, path=(*part.path, f"unknown_citations:{len(unknown)}")) if unknown else part
        yield part


def spans_used(text: str, passages: Mapping[int, Passage]) -> dict[int, tuple[Span, ...]]:
    """The spans of the passages' texts that the text rests on, by the passage's number; in order, apart.

    They are the quotations, or the sentence that is nearest to a statement without any. A passage that shares no word
    with what cites it has none.
    """
    found: dict[int, list[Span]] = {}
    worded = cache(lambda number: _worded(passages[number]))
    for statement, numbers in _statements(text):
        cited = [number for number in numbers if number in passages]
        for number, span in _spans(statement, cited, passages, worded):
            found.setdefault(number, []).append(span)
    return {number: _apart(found[number]) for number in sorted(found)}


def _statements(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The text between citations, with the numbers behind it; without any at the end of a paragraph."""
    for paragraph in re.split(r"\n{2,}", text):
        start = 0
        for group in _CITATIONS.finditer(paragraph):
            yield paragraph[start : group.start()], tuple(_cited(group[0]))
            start = group.end()
        yield paragraph[start:], ()


def _cited(text: str) -> set[int]:
    return {int(number) for group in _CITATIONS.findall(text) for number in re.findall(r"\d+", group)}


def _worded(passage: Passage) -> list[tuple[Span, frozenset[str]]]:
    """The passage's sentences with their content words."""
    text, language = passage.text, passage.language
    return [(span, frozenset(content_words(text[slice(*span)], language))) for span in sentence_spans(text)]


def _spans(
    statement: str,
    cited: list[int],
    passages: Mapping[int, Passage],
    worded: Callable[[int], list[tuple[Span, frozenset[str]]]],
) -> Iterator[tuple[int, Span]]:
    quotations = _quotations(statement)
    quoted = [place for each in quotations for place in _places(each, cited, passages)]
    yield from quoted
    for number in set(cited).difference(number for number, _ in quoted):
        # A statement is its last sentence; a quotation, which the passage does not have as it is, all of it.
        said = statement if quotations else "".join(sentences(statement.strip())[-1:])
        asked = frozenset(content_words(said, passages[number].language))
        if nearest := _nearest(asked, worded(number)):
            yield number, nearest


def _places(quotation: str, cited: list[int], passages: Mapping[int, Passage]) -> list[tuple[int, Span]]:
    """Where the cited passages have the quotation; if none has a long one, where the first other passage has it."""
    found = [(number, span) for number in cited for span in _quoted_in(passages[number].text, quotation)]
    if found or len(quotation.split()) < _WORDS_OF_ANY:
        return found
    others = ([(number, span) for span in _quoted_in(each.text, quotation)] for number, each in passages.items())
    return next(filter(None, others), [])


def _quotations(statement: str) -> list[str]:
    nested = [found for line in statement.splitlines() for found in _OUTERMOST.findall(line)]
    plain = [next(filter(None, found)) for found in _QUOTED.findall(statement)]
    return list(dict.fromkeys((*nested, *plain)))


def _quoted_in(text: str, quotation: str) -> list[Span]:
    """Where the quotation stands in the text; of one that leaves something out, where its parts of several words do."""
    if span := _found(quotation, text):
        return [span]
    parts = [part for part in _LEFT_OUT.split(quotation) if " " in part.strip() and part != quotation]
    return [span for part in parts if (span := _found(part, text))]


def _found(quotation: str, text: str) -> Span | None:
    core = quotation.strip(_EDGES)
    if not core or len(core) > 2 * len(text):
        return None
    head, _, tail = quotation.partition(core)
    sign = rf"(?:{_alike(head.strip())}\s*)?" if head.strip() else ""
    said = core.replace("...", "…").split()
    if not said:
        return None
    # Before a word in brackets nothing is left out: both could match the same brackets, in exponentially many ways.
    gaps = (r"\s+" if word[0] in "[]" else _BETWEEN for word in said[1:])
    words = _alike(said[0]) + "".join(gap + _alike(word) for gap, word in zip(gaps, said[1:], strict=True))
    before = "" if is_cjk(core[0]) else r"(?<!\w)"
    after = "" if is_cjk(core[-1]) else r"(?!\w)"
    pattern = rf"{before}{sign}{words}{after}(?:{_alike(tail.strip())})?"
    found = re.search(pattern, text, re.IGNORECASE)
    return found.span() if found else None


def _alike(word: str) -> str:
    """A pattern of the word, however its marks are written."""
    return _DASHES.sub("[-–—‐‑]+", re.escape(word).translate(_ALIKE))


def _nearest(asked: frozenset[str], sentences: list[tuple[Span, frozenset[str]]]) -> Span | None:
    """The sentence with most of these words, for its length; None if none has any."""
    shares = [(len(words & asked) / sqrt(len(words) or 1), span) for span, words in sentences]
    share, nearest = max(shares, key=lambda each: each[0], default=(0.0, None))
    return nearest if share else None


def _apart(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, those as one that overlap."""
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return tuple(apart)


def checked(parts: Iterable[AnswerPart], question: str = "", judge: Judge = by_counting) -> Iterator[AnswerPart]:
    """The parts; the last one says what of a text that a model wrote from passages is unsupported.

    Passages are read as the model was shown them. Of what an agent says after a search only cited sentences are
    checked, because it also speaks of saved entries. Not checked is the sentence that says why a model ended early.
    """
    text: list[str] = []
    passages: dict[int, str] = {}
    for part in parts:
        if isinstance(part, Text):
            text.append(part.content)
        elif isinstance(part, Cited):
            shown = (evidence_text(each.passage, each.state) for each in part.passages)
            passages.update(enumerate(shown, part.first))
        elif isinstance(part, Finished) and passages and ("generate" in part.path or _by_agent(part.path)):
            said = "".join(text).removesuffix(STOP_SENTENCES[part.stopped] if part.stopped else "")
            by_agent = _by_agent(part.path)
            found = check(said, passages, part.conditions, cited_only=by_agent, question=question, judge=judge)
            part = replace(part, checked=found)
        yield part


def _by_agent(path: Sequence[str]) -> bool:
    """Whether an agent answered after a search."""
    return "retrieve" in path and any(step.startswith("agent:") for step in path)
