"""How a message is to be answered: by the fields, by the content, by both, or not at all."""

from __future__ import annotations

from msgspec import Struct

from cicada.planning.deterministic.actions import is_action
from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.noun_phrases import HeadKind
from cicada.planning.deterministic.residue import is_filler, named_fields, without_fields
from cicada.planning.deterministic.sentence import Sentence
from cicada.planning.deterministic.unknown import lacks_field, names_unknown_kind
from cicada.planning.deterministic.vague import is_vague
from cicada.planning.plan import Shape


class Decision(Struct, frozen=True):
    """A shape, how sure it is, and the name of the rule that decided."""

    shape: Shape
    confidence: float
    rule: str


def decide(sentence: Sentence, found: Constraints, rest: list[int]) -> Decision | None:
    """What the rules are sure of; None where only the words can tell content from other matters."""
    words = [at for at in range(len(sentence)) if sentence.word(at)[0].isalnum()]
    if not words:
        return Decision(Shape.NEEDS_CLARIFICATION, 0.7, "empty")
    constrained = bool(found.conditions.fields())
    if not constrained and all(sentence.is_in(at, "small_talk") for at in words) and not _asks_back(sentence):
        return Decision(Shape.NO_MATCH, 0.95, "small talk")
    if is_action(sentence):
        return Decision(Shape.NO_MATCH, 0.9, "action")
    if found.unknown:
        return Decision(Shape.NO_MATCH, 0.85, "unknown value")
    if names_unknown_kind(sentence, found):
        return Decision(Shape.NO_MATCH, 0.75, "unknown kind")
    if lacks_field(sentence, found, rest):
        return Decision(Shape.NO_MATCH, 0.7, "unknown field")
    if is_vague(sentence, found, rest):
        return Decision(Shape.NEEDS_CLARIFICATION, 0.85, "no referent")
    decision = _constrained(sentence, rest) if constrained else _listed(sentence, found, rest)
    if found.lacks_asker and (not rest or (decision and decision.shape is not Shape.CONTENT_ONLY)):
        return Decision(Shape.NEEDS_CLARIFICATION, 0.85, "unknown asker")
    return decision


def _constrained(sentence: Sentence, rest: list[int]) -> Decision:
    if not rest:
        return Decision(Shape.METADATA_ONLY, 0.92, "conditions only")
    if not [at for at in without_fields(sentence, rest) if not is_filler(sentence, at)]:
        return Decision(Shape.METADATA_ONLY, 0.85, "conditions and fields")
    return Decision(Shape.HYBRID, 0.85, "conditions and content")


def _listed(sentence: Sentence, found: Constraints, rest: list[int]) -> Decision | None:
    """All documents, counts by a field, the newest: answered from the fields without conditions."""
    generic = [phrase for phrase in found.phrases if phrase.kind is HeadKind.GENERIC]
    asks_fields = bool(named_fields(sentence, found))
    left = [at for at in without_fields(sentence, rest) if not is_filler(sentence, at)]
    if not left and generic == found.phrases and _is_any_document(sentence, found):
        return Decision(Shape.NEEDS_CLARIFICATION, 0.7, "any document")
    if (generic or found.phrases or "everything" in sentence.words()) and not left:
        return Decision(Shape.METADATA_ONLY, 0.85, "all documents")
    if asks_fields and not left:
        return Decision(Shape.METADATA_ONLY, 0.6, "fields only")
    if generic and left:
        return Decision(Shape.CONTENT_ONLY, 0.85, "documents about content")
    return None


def _is_any_document(sentence: Sentence, found: Constraints) -> bool:
    """A question about a document: one, and nothing says which."""
    ordered = any(sentence.is_in(at, "ordering") for at in range(len(sentence)))
    return (
        bool(found.phrases)
        and not ordered
        and all(not phrase.plural and not phrase.asked for phrase in found.phrases)
        and not sentence.is_in(found.phrases[0].start, "quantifiers")
    )


def _asks_back(sentence: Sentence) -> bool:
    """What is that? Is it this? Words of small talk with a pronoun that means a document."""
    words = [word for word in sentence.words() if word[0].isalnum()]
    asked = "?" in sentence.words() and not {"you", "your", "going"} & set(words)
    pronouns = {"it", "this", "that", "one"}
    return (asked and bool(pronouns & set(words))) or (
        words[-1] in pronouns and words[0] in {"how", "what", "is", "who"}
    )
