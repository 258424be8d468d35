"""The words of a message on rows that no column or value has: they are said to be left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Sort
from cicada.documents.model import TABLE
from cicada.understanding.asking_back import refers_back
from cicada.understanding.facts import Mention, MentionKind
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.rows import LISTING
from cicada.understanding.schema_planner import BEFORE_WHETHER, SchemaReader
from cicada.understanding.understood import Understood
from cicada.understanding.words import lexicon, tokens_of, word_set

_WORDS = (MentionKind.WORD, MentionKind.NAME)
_REFERRING = word_set("it this that they them these those he him she her his its their again too")
_BE = word_set("is are was were been not isn't aren't wasn't weren't still already currently now")


def of_all_rows(found: Understood, mentions: Sequence[Mention], reader: SchemaReader, now: date) -> Understood:
    """What was understood of all rows: the next of them, or with the words that no column has."""
    meaning, day = found.meaning, reader.vocabulary.date
    computes = meaning.aggregates not in ((), (DOCUMENTS,))
    states = meaning.order or computes or meaning.group or meaning.limit or meaning.named
    if meaning.restricted - {TABLE} or states or meaning.unknown:
        return found
    first = next((each.text.lower() for each in mentions), "")
    is_of_none = first in BEFORE_WHETHER or not meaning.fields or refers_back(found.message)
    if not meaning.restricted and is_of_none:
        # Nothing names the table: "does it cost me anything?" does not ask for all rows that have a cost.
        return replace(found, meaning=Meaning(topic=found.message), strategy="C")
    if meaning.fields or found.continues:
        return found
    said = {each.text.lower() for each in mentions}
    if "next" in said and day:
        meaning = meaning.bounding(day, Bounds(gte=now.isoformat()))
        return replace(found, meaning=replace(meaning, order=Sort(day, descending=False), limit=1))
    left = unread(mentions)
    if meaning.aggregates:  # "How many do we have in total?" leaves nothing out, "how many are mended?" does.
        tokens = [each.text for each in tokens_of(found.message)]
        left = [each for each in left if _BE.issuperset(tokens[each.start - 1 : each.start])]
    return replace(found, meaning=replace(meaning, unknown=tuple(_runs(left))))


def with_nothing_new(found: Understood, before: Understood | None, mentions: Sequence[Mention]) -> Understood:
    """What was understood, with the words left out where it is only what was before: "which colour is it?"."""
    meaning = found.meaning
    if before is None or not found.continues or meaning != replace(before.meaning, fields=(), unknown=()):
        return found
    return replace(found, meaning=replace(meaning, unknown=tuple(_runs(unread(mentions)))))


def unread(mentions: Sequence[Mention]) -> list[Mention]:
    """The words that say something, and are nothing of the table."""
    plain = lexicon().function | BEFORE_WHETHER | LISTING | _REFERRING | lexicon().cues.keys()
    return [each for each in mentions if each.kind in _WORDS and each.text.lower() not in plain]


def _runs(mentions: Sequence[Mention]) -> Iterator[str]:
    """The texts of mentions, one for those that follow each other."""
    run: list[Mention] = []
    for mention in mentions:
        if run and run[-1].end != mention.start:
            yield " ".join(each.text for each in run)
            run = []
        run.append(mention)
    if run:
        yield " ".join(each.text for each in run)
