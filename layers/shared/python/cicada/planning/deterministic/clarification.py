"""The question that is asked back: what a message leaves out, and what could be meant."""

from __future__ import annotations

from cicada.knowledge_bases.schema import FieldType, SchemaField
from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.noun_phrases import HeadKind
from cicada.planning.deterministic.sentence import Sentence
from cicada.planning.deterministic.vague import is_elliptic

_PRONOUNS = ("it", "this", "that", "these", "those", "they", "them", "he", "she", "him", "her", "its", "their")
_MOST_VALUES = 5
_MOST_FIELDS = 4
_TELLING = frozenset({FieldType.KEYWORD, FieldType.PERSON, FieldType.DATE})


def clarification(sentence: Sentence, found: Constraints) -> str:
    """What to ask back about a message that the rules cannot understand by itself."""
    if found.lacks_asker:
        return _who(sentence)
    if is_elliptic(sentence):
        return "This seems to continue a question that I do not know. Please ask the whole question."
    for phrase in found.phrases:
        if not phrase.plural and phrase.kind in {HeadKind.TYPE, HeadKind.GENERIC}:
            return _which(sentence, found, sentence.tokens[phrase.head].raw)
    named = next((sentence.tokens[at + 1].raw for at in range(len(sentence) - 1) if _is_named(sentence, at)), "")
    if named:
        return _which(sentence, found, named)
    pronoun = next((word for word in sentence.words() if word in _PRONOUNS), "")
    if pronoun:
        return f'What does "{pronoun}" stand for? {_name_it(sentence, found)}'
    return f"I do not see what your question is about. {_name_it(sentence, found)}"


def _is_named(sentence: Sentence, at: int) -> bool:
    """The lease, that decision: a definite noun."""
    return sentence.word(at) in {"the", "this", "that"} and (
        sentence.unknown(at + 1) or sentence.is_in(at + 1, "things") or at + 1 in sentence.taken
    )


def _which(sentence: Sentence, found: Constraints, noun: str) -> str:
    return f"Which {noun} do you mean? {_name_it(sentence, found)}"


def _who(sentence: Sentence) -> str:
    owner = sentence.lexicon.owner
    name = _shown(sentence, owner) if owner else "owner"
    return f'Whose documents do you mean? I do not know your name: please give it as "{name}" has it.'


def _name_it(sentence: Sentence, found: Constraints) -> str:
    """How a document can be named: by its title, or by the fields that the message says nothing of."""
    fields = sentence.lexicon.schema.fields
    known = found.conditions.fields()
    telling = [name for name, each in fields.items() if each.type in _TELLING and name not in known]
    telling.sort(key=lambda name: not fields[name].shown)
    ways = [_way(sentence, name, fields[name]) for name in telling[:_MOST_FIELDS]]
    if not ways:
        return "Please name the document or the subject."
    return f"Please name its title or its {_either(ways)}."


def _way(sentence: Sentence, name: str, field: SchemaField) -> str:
    few = field.type is FieldType.KEYWORD and 0 < len(field.values) <= _MOST_VALUES
    return _shown(sentence, name) + (f" ({_either(field.values)})" if few else "")


def _shown(sentence: Sentence, name: str) -> str:
    return (sentence.lexicon.schema.fields[name].display or name.replace("_", " ")).lower()


def _either(words: list[str] | tuple[str, ...]) -> str:
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
