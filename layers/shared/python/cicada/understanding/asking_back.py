"""What is asked back where a message leaves open what it means, and the replies to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.text import with_carried
from cicada.understanding.facts import MentionKind
from cicada.understanding.intent.reading import is_small_talk
from cicada.understanding.meaning import Meaning
from cicada.understanding.plan import Intent, Plan, Shape
from cicada.understanding.reading import Reading
from cicada.understanding.words import lexicon, split_words, tokens_of, word_set

_PRONOUNS = word_set(
    "it this that these those they them he she him her its their es dies das sie ce cela eso esto isso"
)
_REFERRING = _PRONOUNS | word_set("such same solche tel tal")
_TELLING = frozenset({FieldType.KEYWORD, FieldType.PERSON, FieldType.DATE})
_LONGEST_REPLY, _QUESTION_MARKS = 80, ("?", "？", "؟")
_MOST_VALUES, _MOST_FIELDS = 5, 4
_REFERENCE = re.compile(
    r"\b(?:the|this|that)\s+(?!same\b)(?P<noun>[\w-]+)|\b(?:it|this|that|they|them|these|those)\b", re.I
)
_IT = re.compile(r"\b(?:it|that one|this one|this|that)\b(?!\s+(?:is|was|if|when|we|i|you|they)\b)", re.I)
_BARE_IT = re.compile(r"\b(?:it\b|(?:this|that) one\b|(?:this|that|(?<!are )(?<!is )there)\b(?=\s*(?:[?.!,]|$)))", re.I)
_ANOTHER = re.compile(
    r"(?P<lead>and|what about|how about)?\s*(?:for\s+|of\s+)?the\s+(?P<other>\S+(?:\s+\S+){0,4}?)\s+one\s*\?*", re.I
)
_THIS_KIND = re.compile(r"\b(?:this|that)\s+(?!one\b|is\b|was\b)[a-z]", re.I)
LEAD = re.compile(r"^(?:i mean(?:t)?|it'?s|that'?s)\s+", re.I)
_REPLY = re.compile(r"(?:(?:the|that|this|an?)\s+)?(?P<named>.+)", re.I | re.S)
_ONE = re.compile(r"\bones?\b", re.I)


_STANDING = re.compile(
    r"(?:is|does|has)\s+(?:the\s+|our\s+)?(?!(?:there|any|all|every)\b)(?P<named>\S+(?:\s+\S+){0,9}?)\s+"
    r"(?:(?:still|currently|already|now|been)\s+)*"
    r"(?:in\s+(?:force|effect)|valid|current|effective|apply|appl(?:ies|icable)|retired|superseded|replaced|obsolete|"
    r"outdated|withdrawn|up[ -]to[ -]date|out\s+of\s+date)\s*\?*",
    re.I,
)

_JOINING = frozenset({"and", "but", "so", "ok"})
# "Owns" is what an owner does.
_ALIKE = 3
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_PLACE = re.compile(
    rf"\b(?P<place>{'|'.join(_ORDINALS[1:])})(?:[ -](?:most|least|best|worst|\w{{2,}}est)\b|\W*$)", re.IGNORECASE
)
_CHOICE = re.compile(
    rf"(?:(?:the|number|no\.?|#)\s*)?(?P<number>{'|'.join(_ORDINALS)}|last|[1-9](?:st|nd|rd|th)?)(?:\s+one)?(?:\s*[,:–—-]\s*(?P<more>.*)|[.!])?",
    re.I | re.ASCII,
)
_ENDS = "?？!！.。…,;: "


def clarification(reading: Reading, meaning: Meaning, schema: Schema, noun: str = "") -> str:
    """The question that is asked back. `noun`: the words that describe a document, if there are any."""
    if meaning.lacks_asker:
        owner = next((each for each in schema.fields.values() if each.type is FieldType.PERSON), None)
        name = _shown(owner) if owner else "owner"
        return f'Whose documents do you mean? I do not know your name: please give it as "{name}" has it.'
    nouns = [mention.text for mention, _ in reading.of_kind(MentionKind.RECORD, MentionKind.VALUE)]
    if noun or nouns:
        return f"Which {noun or nouns[0]} do you mean? {_name_it(meaning, schema)}"
    pronoun = next((each.text for each in reading.facts.tokens if each.text in _PRONOUNS), "")
    if pronoun:
        return f'What does "{pronoun}" stand for? {_name_it(meaning, schema)}'
    return f"I do not see what your question is about. {_name_it(meaning, schema)}"


def _name_it(meaning: Meaning, schema: Schema) -> str:
    """How a document can be named: by its title, or by the fields that the message says nothing of."""
    telling = [each for name, each in schema.fields.items() if each.type in _TELLING and name not in meaning.restricted]
    telling.sort(key=lambda each: not each.shown)
    ways = [_way(each) for each in telling[:_MOST_FIELDS]]
    if not ways:
        return "Please name the document or the subject."
    return f"Please name its title or its {_either(ways)}."


def _way(field: SchemaField) -> str:
    few = field.type is FieldType.KEYWORD and 0 < len(field.values) <= _MOST_VALUES
    return _shown(field) + (f" ({_either(list(field.values))})" if few else "")


def _shown(field: SchemaField) -> str:
    return (field.display or field.name.replace("_", " ")).lower()


def _either(words: list[str]) -> str:
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def completed(question: str, reply: str, noun: str = "") -> str:
    """The question with the reply in the place of what it left open: `noun`, or else its first reference.

    "When does the lease end?" and "the Kestrel Park one" make "When does the Kestrel Park lease end?".
    """
    said = LEAD.sub("", reply.strip().rstrip(".!"), count=1)
    stated = re.search(rf"\b(?:the|this|that)\s+(?P<noun>{re.escape(noun)})\b", question, re.I) if noun else None
    reference = stated or _REFERENCE.search(question)
    if reference is None:
        return f"{question} {said}"
    noun = reference["noun"]
    return question[: reference.start()] + (_named(said, noun) if noun else said) + question[reference.end() :]


def another_name(named: Sequence[str], message: str, *, asked: bool = False) -> str:
    """What a fragment names instead of the one document before: after "the canteen contract", "and the cleaning one?".

    Empty if not one document was named, or the message is no such fragment. `asked`: it may have been asked which one
    is meant, and "the cleaning one" is a reply.
    """
    found = _ANOTHER.fullmatch(message.strip())
    if found is None or not (found["lead"] or (asked and _is_told_by_a_name(found["other"]))):
        return ""
    if len(named) != 1 or not named[0].strip() or any(map(str.isdigit, named[0])):
        return ""
    return f"{found['other']} {named[0].split()[-1]}"


def _is_told_by_a_name(other: str) -> bool:
    """Whether it is no word for a place in a list, such as "second" or "newest"."""
    said = other.lower().split()
    return not any(each in _ORDINALS or each == "last" or lexicon().cues.get(each) for each in said)


def with_name(message: str, name: str, *, bare: bool = False) -> str | None:
    """The message with the name in the place of its first pronoun for a thing; None without one.

    `bare`: "this" and "that" count only at the end of a clause, as in "who owns that?", and not in "this year".
    """
    found = (_BARE_IT if bare else _IT).search(message)
    name = name if any(map(str.isdigit, name)) else f"the {name}"
    return message[: found.start()] + name + message[found.end() :] if found else None


def _named(reply: str, noun: str) -> str:
    """The noun as the reply names it."""
    found = _REPLY.fullmatch(reply)
    named = found["named"] if found else reply
    if re.search(rf"\b{re.escape(noun)}", named, re.I):
        return f"the {named}"
    with_noun, replaced = _ONE.subn(lambda _: noun, named, count=1)
    return f"the {with_noun}" if replaced else f"the {named} {noun}"


def ordinal(word: str) -> int | None:
    """The number of an English ordinal, from 1."""
    return _ORDINALS.index(word) + 1 if word in _ORDINALS else None


def place_of(message: str) -> int:
    """Which one of an order is asked for, from 1: of "and second?" and "the second most expensive" 2."""
    found = _PLACE.search(message)
    return _ORDINALS.index(found["place"].lower()) + 1 if found else 1


def points_at_kind(message: str) -> bool:
    """Whether a message points at one thing by its kind: "is this policy in force?", "who wrote that SOP?"."""
    return _THIS_KIND.search(message) is not None


def asks_who_did(message: str, schema: Schema) -> bool:
    """Whether it asks who did what no field is called by: "who saw it?" after what a report says."""
    first, *rest = [each.text for each in tokens_of(message) if each.text not in _JOINING] or [""]
    if first != "who":
        return False
    names = {
        word[:_ALIKE]
        for each in schema.fields.values()
        for text in (each.name, *each.words)
        for word in split_words(text)
    }
    return not any(word in lexicon().implied or word[:_ALIKE] in names for word in rest)


def asked_standing(message: str, before: Sequence[str]) -> str:
    """What is asked whether it is in force: "gifts policy" of "is the gifts policy still valid?"; else empty.

    `before`: the documents that were named before: "it" is the only one.
    """
    found = _STANDING.fullmatch(message.strip())
    named = found["named"] if found else ""
    if _PRONOUNS.isdisjoint(named.lower().split()[:1]):
        return named
    return before[0] if len(before) == 1 and len(named.split()) == 1 else ""


def refers_back(message: str) -> bool:
    """Whether a message has a pronoun for what was spoken of, or speaks of such things."""
    return not _REFERRING.isdisjoint(each.text for each in tokens_of(message))


def may_be_reply(message: str) -> bool:
    """Whether a message has the form of a reply to a question that was asked back: short, and no question."""
    return len(message) <= _LONGEST_REPLY and not message.rstrip().endswith(_QUESTION_MARKS)


def number_chosen(message: str) -> int | None:
    """The number that a reply such as "2" or "the second one" states, from 1, and 0 for the last one."""
    found = _CHOICE.fullmatch(message.strip())
    if found is None:
        return None
    said = found["number"].lower()
    return 0 if said == "last" else ordinal(said) or int(said.strip("stndrh."))


def chosen(message: str, count: int) -> int | None:
    """Which of so many candidates a reply such as "2", "the second one" or "the last" chooses, from 0."""
    number = number_chosen(message)
    if number is None or number > count or not count:
        return None
    return (number or count) - 1


def asked_of_chosen(message: str) -> str:
    """What is asked of the one that a reply chooses: "what does it say?" of "the second one, what does it say?"."""
    found = _CHOICE.fullmatch(message.strip())
    return (found["more"] or "").strip(_ENDS) if found else ""


def may_complete(message: str, plan: Plan) -> bool:
    """Whether a message with this plan of its own may be such an answer: short, no question, nothing else to do.

    One that carried something over from an earlier turn is whole already.
    """
    return (
        may_be_reply(message)
        and plan.intent in (Intent.GENERAL, Intent.SCRIPT_QUERY)
        and plan.shape is not Shape.METADATA_ONLY
        and not plan.carried
        and not is_small_talk(message)
    )


def completing(plan: Plan, asked: str) -> Plan:
    """The answer's plan as a search for it and for the question that was `asked` before."""
    topic = (asked.strip().rstrip(_ENDS),)
    return replace(
        plan,
        intent=Intent.SCRIPT_QUERY,
        shape=Shape.HYBRID if plan.filters else Shape.CONTENT_ONLY,
        query=with_carried(plan.query, topic),
        search_value=with_carried(plan.search_value or plan.query, topic),
        carried=topic,
    )
