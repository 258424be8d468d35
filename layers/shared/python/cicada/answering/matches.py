"""Which documents a search has found about a subject, and why: the best passage of each, and what in it matched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from cicada.answering.parts import Match
from cicada.documents.model import DocumentKey, Passage, ScriptLocator
from cicada.ingest.chunks import sentences
from cicada.languages.terms import words
from cicada.retrieval.model import RankedPassage
from cicada.retrieval.quality import content_words, stem, stems

# A passage that lacks a word of the subject counts from this relevance on. Below it is what any subject finds.
LEAST_RELEVANCE = 0.1
EXCERPT_LENGTH = 300
_CUT = " …"


def documents_about(subject: str, ranked: Sequence[RankedPassage]) -> dict[DocumentKey, RankedPassage]:
    """The documents with a passage that has all words of the subject, or one that is relevant enough; best first.

    Each with the passage to show of it, and the highest relevance of its passages. `ranked`: all passages that were
    found, best first.
    """
    by_document: dict[DocumentKey, list[RankedPassage]] = {}
    for each in ranked:
        by_document.setdefault(each.passage.document, []).append(each)
    found = {document: _best(subject, passages) for document, passages in by_document.items()}
    return {document: each for document, each in found.items() if each}


def match_of(subject: str, shown: RankedPassage) -> Match:
    """What is said of a document by the passage that `documents_about` chose."""
    passage = shown.passage
    asked = frozenset(content_words(subject, passage.language))
    return Match(excerpt(passage.text, asked), _reason(subject, asked, passage), shown.relevance)


def _best(subject: str, passages: Sequence[RankedPassage]) -> RankedPassage | None:
    """The first passage with all words, with the relevance of the first one; else that one, if relevant enough.

    Nothing is near in meaning to a name.
    """
    complete = next((each for each in passages if _has_all(subject, each.passage)), None)
    first = passages[0]
    is_name = first.passage.language == "en" and all(word[:1].isupper() for word in subject.split())
    is_relevant = not is_name and first.relevance is not None and first.relevance >= LEAST_RELEVANCE
    return replace(complete, relevance=first.relevance) if complete else first if is_relevant else None


def _has_all(subject: str, passage: Passage) -> bool:
    asked = content_words(subject, passage.language)
    return bool(asked) and stems(f"{passage.title} {passage.context} {passage.text}").issuperset(asked)


def _reason(subject: str, asked: frozenset[str], passage: Passage) -> str:
    """The words of the subject that the passage has, or else its title, and the part that it stands in."""
    written = {stem(word): word for word in words(subject) if stem(word) in asked}
    part = f" in “{named}”" if (named := _part(passage)) else ""
    if said := _quoted(written, stems(f"{passage.context} {passage.text}")):
        return f"{said}{part or ' in the text'}"
    if said := _quoted(written, stems(passage.title)):
        return f"{said} in the title"
    return f"near in meaning{part}"


def _quoted(written: Mapping[str, str], known: frozenset[str]) -> str:
    return ", ".join(f"“{word}”" for each, word in written.items() if each in known)


def _part(passage: Passage) -> str:
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        return f"{locator.chapter_id} {locator.chapter_title}".strip()
    return locator.path[-1] if locator.path else ""


def excerpt(text: str, asked: frozenset[str], limit: int = EXCERPT_LENGTH) -> str:
    """The sentences in a row that have most of the asked words, from the first one on that has any, up to `limit`."""
    said = [sentence for line in text.splitlines() for sentence in _whole(sentences(line))]
    known = [asked & stems(sentence) for sentence in said]
    best = max(_runs(said, limit), key=lambda run: len(frozenset().union(*known[run])), default=slice(0))
    shown = " ".join(said[best])
    return shown if len(shown) <= limit else f"{shown[: limit - len(_CUT)].rsplit(' ', 1)[0]}{_CUT}"


def _whole(pieces: Sequence[str]) -> Iterator[str]:
    """The pieces with the number of an item, such as "5.", before the sentence that it belongs to."""
    number = ""
    for piece in pieces:
        if any(map(str.isalpha, piece)):
            yield f"{number} {piece}".strip()
            number = ""
        else:
            number = piece
    if number:
        yield number


def _runs(said: Sequence[str], limit: int) -> Iterator[slice]:
    """The runs that begin at each sentence, of as many whole ones as fit; at least that one."""
    for start, first in enumerate(said):
        end, length = start + 1, len(first)
        while end < len(said) and (length := length + 1 + len(said[end])) <= limit:
            end += 1
        yield slice(start, end)
