"""Weighs a statement by the sentences that share its names and most of its words; negations and numbers are counted.

It is no reading: a sentence in other words counts for nothing, and what both sides share stays open.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cicada.grounding.signals import Evidence, read
from cicada.grounding.words import Word, words_of
from local.bedrock.embedder import Embedder
from local.bedrock.extractive import evidence
from local.bedrock.prompt import Passage
from local.bedrock.spans import Span, quote, spans_of
from local.bedrock.words import word_set

SHARED = 0.75  # of the statement's words
SHOWN = 3  # sentences of a side
_NEGATIONS = word_set("not no never n't without cannot nor none neither nobody nothing")
_AUXILIARIES = word_set("am are can could did do does had has have is may might must shall should was were will would")


@dataclass(frozen=True, slots=True)
class Weighed:
    """The sentences that speak for a statement and against it, those that share most of its words first."""

    supporting: tuple[Span, ...] = ()
    contradicting: tuple[Span, ...] = ()

    @property
    def verdict(self) -> str:
        if bool(self.supporting) == bool(self.contradicting):
            return "open"
        return "supported" if self.supporting else "contradicted"

    @property
    def reason(self) -> str:
        counted = f"{len(self.supporting)} speak for it and {len(self.contradicting)} against it"
        return f"Of the sentences that share its names and words, {counted}."


def weighed(statement: str, passages: Sequence[Passage]) -> Weighed:
    claim = words_of(statement)
    found = [(*spoken, span) for span in spans_of(passages) if (spoken := _speaks(claim, span))]
    found.sort(key=lambda each: -each[0])
    for_it, against_it = ([span for _, against, span in found if against is side][:SHOWN] for side in (False, True))
    return Weighed(tuple(for_it), tuple(against_it))


def _speaks(claim: Sequence[Word], span: Span) -> tuple[float, bool] | None:
    """The share of the statement's words, and whether the sentence says the opposite; None if it speaks of another.

    Names may stand around the sentence as well: in its heading, or as its speaker.
    """
    said, around = (Evidence([read(text)]) for text in (span.meaning, f"{span.speaker} · {span.passage.heading}"))
    named = said.stems | around.stems
    content = [word for word in said.content(claim) if not word.figure]
    own = [word for word in content if not (word.is_capitalised and word.stem in named)]
    is_of_others = any(word.is_capitalised and word is not claim[0] for word in own)
    shared = sum(word.stem in said.stems for word in own)
    other_figures = said.absent_figures(claim)
    if is_of_others or not shared or shared < SHARED * len(own) or (other_figures and not said.figures):
        return None
    turned = _negated(claim) != _negated(said.nearest(claim))
    return shared / len(own), turned != bool(other_figures)


def _negated(words: Sequence[Word]) -> bool:
    return sum(word.text in _NEGATIONS for word in words) % 2 == 1


def opposite(statement: str) -> str:
    """The statement with its negation left out, or with one put in: the words that would speak against it."""
    words = statement.split()
    kept = [word for word in words if word.lower().strip(".,;:!?") not in _NEGATIONS]
    if len(kept) < len(words):
        return " ".join(kept)
    at = next((place for place, word in enumerate(words, start=1) if word.lower() in _AUXILIARIES), 0)
    return " ".join((*words[:at], "not", *words[at:]))


def told(statement: str, passages: Sequence[Passage], embedder: Embedder) -> str:
    """What speaks for a statement and against it, and the verdict. Raises EmbedderUnavailableError."""
    found = weighed(statement, passages)
    if not found.supporting and not found.contradicting:
        return f"{evidence(statement, passages, embedder)}\n\nVerdict: open."
    sides = (("For", found.supporting), ("Against", found.contradicting))
    lines = [f"{side}:\n" + "\n".join(quote([span]) for span in spans) for side, spans in sides if spans]
    return "\n\n".join((f"On “{statement}”:", *lines, f"Verdict: {found.verdict}."))


def numbers_of(spans: Sequence[Span]) -> str:
    """The numbers of the passages that have these sentences, as a tool takes them."""
    return ", ".join(dict.fromkeys(str(span.passage.number) for span in spans if span.passage.number is not None))
