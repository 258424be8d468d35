"""The overview of a card: the sentences that a document begins with; of a script its places and speakers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from cicada.documents.model import Passage, ScriptLocator
from cicada.ingest.chunks import sentences, size_of
from cicada.ingest.prose.characters import clip
from cicada.text import one_line

MAX_OVERVIEW = 300
# Later passages hold no beginning.
_PASSAGES_READ = 12
_MAX_SPEAKERS = 8
# A shorter line is a heading or a note.
_SHORTEST_LINE = 25
_WIDE_STOPS = ("。", "！", "？", "」", "』")
# Items of lists, rows of tables and other lines that are no sentences.
_NO_SENTENCE = re.compile(r"\s*([-*•|#>]|\d{1,3}[.)]\s)|.*\s\|\s")


def overview_of(passages: Sequence[Passage]) -> str:
    """At most `MAX_OVERVIEW` characters, in the document's own words and language."""
    if isinstance(passages[0].locator, ScriptLocator):
        return _of_script(passages)
    sentences_found = list(_leading(_sentences(passages)))
    return clip(one_line("".join(sentences_found)) or one_line(passages[0].text), MAX_OVERVIEW)


def _sentences(passages: Sequence[Passage]) -> Iterator[str]:
    seen: set[str] = set()
    for passage in passages[:_PASSAGES_READ]:
        for line in passage.text.splitlines():
            if size_of(line) < _SHORTEST_LINE or _NO_SENTENCE.match(line) or line in seen:
                continue
            seen.add(line)
            yield from sentences(line)


def _leading(found: Iterator[str]) -> Iterator[str]:
    """The first sentence, and the next ones that fit."""
    size = 0
    for sentence in found:
        if size and size + len(sentence) > MAX_OVERVIEW:
            return
        # Chinese and Japanese have no spaces between sentences.
        yield sentence if sentence.endswith(_WIDE_STOPS) else f"{sentence} "
        size += len(sentence) + 1


def _of_script(passages: Sequence[Passage]) -> str:
    locators = [each.locator for each in passages if isinstance(each.locator, ScriptLocator)]
    counts = Counter(speaker for locator in locators for speaker in locator.speakers)
    speakers = sorted(counts, key=lambda name: (-counts[name], name))[:_MAX_SPEAKERS]
    places = dict.fromkeys(locator.chapter_title.rstrip(". ") for locator in locators if locator.chapter_title)
    named = ", ".join(speakers)
    room = MAX_OVERVIEW - len(named) - 2
    parts = (named, clip("; ".join(places), room) if places and room > 0 else "")
    return clip(". ".join(part for part in parts if part), MAX_OVERVIEW)
