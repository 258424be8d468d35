"""References to documents that nothing in the message explains: "open it", "the report"."""

from __future__ import annotations

from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.noun_phrases import HeadKind
from cicada.planning.deterministic.residue import is_filler, without_fields
from cicada.planning.deterministic.sentence import Sentence

_ORDERING = word_set("""
    newest latest oldest recent recently many count all list number every earliest soonest highest lowest largest
    smallest biggest greatest
""")
_POINTING = word_set("these those they them this other others same it previous two both")


def is_vague(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """A pronoun or "the report" without anything that says which, and without a question on content."""
    words = [sentence.word(at) for at in range(len(sentence)) if sentence.word(at)[0].isalnum()]
    if is_elliptic(sentence):
        return True
    vague = [at for at in range(len(sentence)) if sentence.is_in(at, "pronouns")]
    if _points_back(sentence, found, rest):
        return True
    if all(
        sentence.is_in(at, "vague", "pronouns", "function", "politeness", "listing", "determiners", "adverbs")
        for at in range(len(sentence))
        if sentence.word(at)[0].isalnum()
    ):
        pointing = any(sentence.is_in(at, "pronouns") for at in range(len(sentence)))
        asked = pointing or len(words) <= 4 or any(phrase.is_definite for phrase in found.phrases)
        return asked and not _is_plain_listing(found, words) and not _is_constrained_enough(sentence, found)
    kind_only = found.conditions.fields() <= {sentence.lexicon.types or ""}
    if vague and kind_only and not [at for at in without_fields(sentence, rest) if not is_filler(sentence, at)]:
        return any(sentence.is_in(at, "pointing") for at in vague)
    return kind_only and _is_bare_definite(sentence, found, rest)


def _points_back(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """That report, the previous result, the other decision: a thing of an earlier turn, and little more."""
    if found.conditions.fields() - {sentence.lexicon.types} or len(rest) > 3:
        return False
    for at in range(len(sentence) - 1):
        thing = at + 1
        named = sentence.is_in(thing, "things") or sentence.spans.get(thing) is not None
        if not named:
            continue
        if sentence.is_in(at, "previous"):
            return True
        if sentence.word(at) in {"that", "this", "those", "these"} and not sentence.is_in(at - 1, "document_nouns"):
            return at not in sentence.span_ends and sentence.spans.get(thing) is None
    return False


def is_elliptic(sentence: Sentence) -> bool:
    """The same for oncology; what about drafts; and for HR: a question whose other half was never asked."""
    words = [word for word in sentence.words() if word[0].isalnum()]
    return len(words) <= 6 and sentence.phrase_end(0, sentence.english.phrases["elliptic_openers"]) > 0


def _is_constrained_enough(sentence: Sentence, found: Constraints) -> bool:
    return (
        any(phrase.filters > 0 for phrase in found.phrases)
        or any(phrase.plural and phrase.kind in {HeadKind.TYPE, HeadKind.STATUS} for phrase in found.phrases)
        or bool(found.conditions.ranges)
        or sentence.lexicon.owner in found.conditions.fields()
    )


def _is_plain_listing(found: Constraints, words: list[str]) -> bool:
    """Show all documents; how many documents are there; the newest document."""
    plural = any(phrase.plural and phrase.kind is not HeadKind.PRONOUN for phrase in found.phrases)
    if "everything" in words and not _POINTING & set(words):
        return True
    return bool(found.phrases) and (plural or bool(_ORDERING & set(words))) and not _POINTING & set(words)


def _is_bare_definite(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """Show me the report; what does the policy say: one document, and nothing says which."""
    if rest or len(found.phrases) != 1:
        return False
    phrase = found.phrases[0]
    ordered = any(sentence.is_in(at, "ordering") for at in range(len(sentence)))
    return phrase.kind is HeadKind.TYPE and not phrase.plural and not ordered and len(sentence) > 1
