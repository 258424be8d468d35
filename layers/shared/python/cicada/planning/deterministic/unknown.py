"""What a message asks for and the schema does not have: a kind, a status, a department, a field."""

from __future__ import annotations

from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.inflection import singulars
from cicada.planning.deterministic.noun_phrases import HeadKind
from cicada.planning.deterministic.sentence import Sentence

_MOST_WORDS_OF_A_FIELD = 4
_BEFORE_PREDICATE = word_set("that which are is have been were was has still currently")
_BEFORE_KIND = word_set("which what how are there do we i is can you me does in of")
_AFTER_KIND = word_set("about on from by with of signed")


def names_unknown_kind(sentence: Sentence, found: Constraints) -> bool:
    """The documents asked for are of a kind, a status or a department that the schema does not have."""
    lexicon = sentence.lexicon
    if lexicon.types and _asks_for_kind(sentence, found):
        return True
    for phrase in found.phrases:
        for at in phrase.topics:
            if _names_unknown_value(sentence, at):
                return True
    return _unknown_predicate(sentence, found)


def _names_unknown_value(sentence: Sentence, at: int) -> bool:
    if at in sentence.taken:
        return False
    english = sentence.english
    lists = []
    parts = " ".join(sentence.lexicon.schema.fields).lower()
    if any(name in parts for name in ("status", "state", "stage", "phase")):
        lists.append(english.phrases["strong_statuses"])
    if any(name in parts for name in ("department", "team", "division", "unit")):
        lists.append(english.phrases["strong_departments"])
    return any(sentence.phrase_end(at, phrases) > at for phrases in lists)


def _unknown_predicate(sentence: Sentence, found: Constraints) -> bool:
    """Which SOPs are archived."""
    for phrase in found.phrases:
        at = phrase.end
        while sentence.word(at) in _BEFORE_PREDICATE:
            at += 1
        if not _names_unknown_value(sentence, at):
            continue
        end = sentence.phrase_end(at, sentence.english.phrases["strong_statuses"])
        if end > at + (at == phrase.end) and sentence.ends_clause(end):
            return True
    return False


def _asks_for_kind(sentence: Sentence, found: Constraints) -> bool:
    """List all contracts; which invoices …; how many memos: a noun for documents that is no type of this schema."""
    genres, strong = sentence.english.phrases["genres"], sentence.english.phrases["strong_genres"]
    for at in range(len(sentence)):
        if at in sentence.taken or at in found.used:
            continue
        for length in (2, 1):
            words = [sentence.word(at + i) for i in range(length)]
            if not all(words):
                continue
            forms = {(*words[:-1], last) for last in (words[-1], *singulars(words[-1]))}
            plural = tuple(words) not in genres
            if forms & genres and _is_wanted(
                sentence, found, at, at + length, plural=plural, strong=bool(forms & strong)
            ):
                return True
    return False


def _is_wanted(sentence: Sentence, found: Constraints, at: int, end: int, *, plural: bool, strong: bool) -> bool:
    """The noun is the object of a listing or of "which", and nothing but grammar and conditions stands before it."""
    if any(phrase.kind is HeadKind.TYPE for phrase in found.phrases):
        return False
    before = [i for i in range(at) if sentence.word(i)[0].isalnum()]
    if not plural and not any(sentence.is_in(i, "listing") for i in before):
        return False
    if any(sentence.word(i) in {"how", "why", "when"} and sentence.word(i + 1) != "many" for i in before):
        return False
    if not all(
        i in found.used
        or i in sentence.taken
        or sentence.is_in(i, "listing", "metadata", "determiners", "adverbs", "politeness", "document_nouns")
        or sentence.word(i) in _BEFORE_KIND
        for i in before
    ):
        return False
    after = sentence.word(end)
    closed = sentence.ends_clause(end) or end in found.used or end in sentence.dates or end in sentence.spans
    return closed or (strong and (bool(before) or after in _AFTER_KIND))


def lacks_field(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """Documents larger than some size: the schema has no field that the message asks by."""
    if not found.phrases:
        return False
    names = " ".join(sentence.lexicon.schema.fields).lower()
    for stem, phrases in sentence.english.grouped["missing_fields"].items():
        if stem in names or len(rest) > _MOST_WORDS_OF_A_FIELD:
            continue
        for at in range(len(sentence)):
            if at not in found.used and sentence.phrase_end(at, phrases) > at:
                return True
    measured = any(
        sentence.word(at - 1).isdigit() and sentence.is_in(at, "measures") and at not in found.used
        for at in range(1, len(sentence))
    )
    return measured or _lacks_date(sentence)


def _lacks_date(sentence: Sentence) -> bool:
    """A date by a cue such as "expire" that belongs to no date field of the schema."""
    own = sentence.lexicon.date_cues
    for stem in ("expir", "due"):
        for cue in sentence.english.grouped["date_cues"][stem]:
            if cue in own or len(cue) > 1:
                continue
            for at in range(len(sentence)):
                if sentence.word(at) == cue[0] and at not in sentence.taken and _dated_near(sentence, at):
                    return True
    return False


def _dated_near(sentence: Sentence, at: int) -> bool:
    near = any(at < phrase.start <= at + 3 for phrase in sentence.dates.values())
    return near and sentence.word(at) not in {"end", "ends", "ended", "ending"}
