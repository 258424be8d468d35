"""Follow-ups as stand-alone queries, without a model: what a message leaves out is carried over from the turns before.

The query is for retrieval only. It is the message, the topics that it refers to in parentheses, and the message again:
BM25 then has the terms of both, each once, and the vector lies between the two, nearer to the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from cicada.text import with_carried
from cicada.understanding.follow_up_text import SCRIPTS, Cues, Reading, Topic, Word, language_of, read, stem
from cicada.understanding.plan import Intent, Plan, Shape

# Words of a fragment behind its opening: "and in the second act?".
_FRAGMENT_WORDS = 5
# Telling words of the same clause that may stand before "it" without being what it means: "can women play it?".
_SUBJECT_WORDS = 2
# The most telling words of a message in which "other" or "same" compares with an earlier turn.
_COMPARING_WORDS = 3
# The most telling words of a message that begins with "and", or has "the" with a word of the turns before.
_JOINED_WORDS = 4
# A question of no more words, of which so many are telling, without a name is about what was talked of.
_SHORT_LENGTH, _SHORT_WORDS = 7, 1


class Cue(StrEnum):
    """What shows that a message refers to the turns before."""

    FRAGMENT = "fragment"
    PERSON = "person"
    THING = "thing"
    POINTING = "pointing"
    COMPARING = "comparing"
    JOINING = "joining"
    SHORT = "short"
    REPEATED = "repeated"
    UNSPACED = "unspaced"


# Cues without a word that must refer to something: less is carried over.
IMPLIED = frozenset({Cue.JOINING, Cue.SHORT, Cue.REPEATED})


def cue_of(reading: Reading, known: frozenset[str]) -> Cue | None:
    """The first cue that holds, or None for a message that stands alone. `known`: stems of the turns before."""
    if reading.cues is None:
        return Cue.UNSPACED if SCRIPTS[reading.language].referring.search(reading.text) else None
    if _is_fragment(reading, reading.cues):
        return Cue.FRAGMENT
    return _reference(reading, reading.cues) or _comparison(reading, reading.cues) or _implied(reading, known)


def _is_fragment(reading: Reading, cues: Cues) -> bool:
    """Whether a question leaves its verb out: "and Banquo?", "what about the witches?"."""
    keys = tuple(word.key for word in reading.words)
    joined = next((at for at, key in enumerate(keys) if key not in cues.joining), len(keys))
    phrase = max((len(each) for each in cues.openings if keys[joined : joined + len(each)] == each), default=0)
    opening = joined + phrase
    if not opening and _is_correction(reading, cues):
        return True
    rest = keys[opening:]
    if not joined or phrase:
        return bool(opening and rest) and reading.telling <= _JOINED_WORDS
    return 0 < len(rest) <= _FRAGMENT_WORDS and (rest[0] not in cues.asking or rest[0] in cues.definite)


def _is_correction(reading: Reading, cues: Cues) -> bool:
    """Whether a name or a thing is put in the place of another: "no, I meant Banquo", "sorry, the jam"."""
    keys = [word.key for word in reading.words]
    first = next((at for at, word in enumerate(reading.words) if word.telling and word.key not in cues.correcting), 0)
    lead, rest = frozenset(keys[:first]), keys[first:]
    asks = lead & (cues.asking - cues.definite - cues.indefinite)
    return bool(lead & cues.correcting) and len(rest) <= _FRAGMENT_WORDS and not asks


def _reference(reading: Reading, cues: Cues) -> Cue | None:
    """The kind of the first pronoun or demonstrative that nothing before it in the message explains."""
    for before, word, following in _in_context(reading.words, cues):
        if word.key in cues.person and before.explains_no_person(word, cues):
            return Cue.PERSON
        idle = following is not None and following.key in cues.idle
        if word.key in cues.thing and not idle and before.explains_no_thing():
            return Cue.THING
        if word.key in cues.pointing and before.explains_no_pointing(word, following):
            return Cue.POINTING
    return None


def _comparison(reading: Reading, cues: Cues) -> Cue | None:
    compares = any(word.key in cues.comparing for word in reading.words)
    return Cue.COMPARING if compares and not reading.names and reading.telling <= _COMPARING_WORDS else None


def _implied(reading: Reading, known: frozenset[str]) -> Cue | None:
    words, cues = reading.words, reading.cues
    if cues is None or not words or reading.telling > _JOINED_WORDS:
        return None
    if words[0].key in cues.joining:
        return Cue.JOINING
    if reading.names:
        return None
    if _is_short(reading, cues):
        return Cue.SHORT
    repeated = any(first.key in cues.definite and stem(second.key) in known for first, second in pairwise(words))
    return Cue.REPEATED if repeated else None


_EXISTENTIAL = frozenset({"there", "da", "y", "ci"})
_ALSO_JOINING = frozenset({"that", "then", "dann", "alors", "entonces", "então", "allora"})
_FORMS_OF_BE = frozenset({"is", "are", "was", "were", "ist", "sind", "war", "waren"})
_AUXILIARIES = _FORMS_OF_BE | {"do", "does", "did", "can", "could", "will", "would", "has", "have", "had", "should"}


def _is_short(reading: Reading, cues: Cues) -> bool:
    """Whether a question says too little to stand alone. An indefinite article introduces a topic."""
    if len(reading.words) > _SHORT_LENGTH:
        return False
    keys = {word.key for word in reading.words}
    if reading.telling == 0:
        return not keys.isdisjoint(cues.asking)
    return reading.telling <= _SHORT_WORDS and keys.isdisjoint(cues.indefinite)


class _Before(Struct, frozen=True):
    """What stands before a word: names, telling words of earlier clauses and of the same one, and the last word."""

    names: int = 0
    earlier: int = 0
    here: int = 0
    last: Word | None = None

    def clause(self) -> _Before:
        """Whether another clause begins here."""
        return replace(self, earlier=self.earlier + self.here, here=0)

    def after(self, word: Word, cues: Cues) -> _Before:
        person = word.named or word.key in cues.people
        return replace(self, names=self.names + person, here=self.here + word.telling, last=word)

    def explains_no_person(self, word: Word, cues: Cues) -> bool:
        """The subject of a clause is not its object: in "how does Hamlet kill him?", "him" is somebody else."""
        if not self.names:
            return True
        is_object = word.key in cues.object or (word.ends and word.key in cues.either)
        return is_object and self.names <= 2 and self.earlier == 0

    def explains_no_thing(self) -> bool:
        return self.earlier == 0 and self.here <= _SUBJECT_WORDS

    def explains_no_pointing(self, word: Word, following: Word | None) -> bool:
        """The word "there" after a form of "be" points at nothing, nor do "that" and "then" where they join clauses."""
        after_be = self.last is None or self.last.key in _FORMS_OF_BE
        if word.key in _EXISTENTIAL:
            return following is None and (self.last is None or not after_be)
        if following is None:
            return True
        follows_verb = self.last is None or self.last.key in _AUXILIARIES
        return self.earlier + self.here == 0 and (word.key not in _ALSO_JOINING or follows_verb)


def _in_context(words: tuple[Word, ...], cues: Cues) -> Iterator[tuple[_Before, Word, Word | None]]:
    """Each word with what stands before it and the next word of its clause."""
    before = _Before()
    for at, word in enumerate(words):
        if word.begins or word.key in cues.joining or word.key in cues.clauses:
            before = before.clause()
        yield before, word, None if word.ends else words[at + 1]
        before = before.after(word, cues)


# The turns that are looked at; the length of an earlier message that is read.
_TURNS = 8
_LENGTH = 1000
# About how many words are carried over; a topic is never cut.
_WORDS, _WORDS_IF_IMPLIED = 6, 4
# A message of no more telling words needs more than the names: "who works there?".
_LITTLE = 1
# Words of a thing that another one is put in the place of.
_MOST_REPLACED = 2
_PREPOSITIONS = frozenset({"of", "de", "von", "du", "des", "del", "della", "di"})
# A proper name as it stands in a question, without the ending of a possessive.
_NAME = re.compile(r"[^\W\d_a-z][\w.&-]*(?:'(?!s\b)\w+)?(?:\s+[^\W\d_a-z][\w.&-]*)*")
SEARCHED = (Shape.CONTENT_ONLY, Shape.HYBRID)
# A message with one of these cues asks about what was talked of, however much it looks like small talk.
_ASKING = (Cue.FRAGMENT, Cue.PERSON)


class StandAlone(Struct, frozen=True):
    """`query`: the message with what was carried over; the message itself if nothing was, and `cue` is None then.

    `question`: the question before with the message's name in the place of its own, if the message is such a name.
    `before`: the question before, as it stands alone. `is_short`: it says so little that it may go on from that.
    """

    message: str
    cue: Cue | None = None
    carried: tuple[str, ...] = ()
    question: str = ""
    before: str = ""
    is_short: bool = False

    @property
    def query(self) -> str:
        return self.question or emphasised(with_carried(self.message, self.carried), self.carried)


class _Focus(Struct, frozen=True):
    """What a turn was about: its question as it stands alone, its own topics, and those that it carried over itself."""

    question: str = ""
    own: tuple[Topic, ...] = ()
    carried: tuple[Topic, ...] = ()

    @property
    def topics(self) -> tuple[Topic, ...]:
        return (*self.own, *self.carried)

    @property
    def names(self) -> tuple[Topic, ...]:
        return tuple(topic for topic in self.own if topic.named)

    @property
    def things(self) -> tuple[Topic, ...]:
        return tuple(topic for topic in self.own if not topic.named)


# "Thanks! Now something different: …", in front of what has nothing to do with the messages before.
_SOMETHING_ELSE = re.compile(
    r"(?:\W*\b(?:thanks?|thank you|thx|cheers|great|cool|right|well|fine|ok(?:ay)?|now|and|but|so|i have|one|an?|just"
    r"|very much|a lot)\b)*\W*\b(?:by the way|btw"
    r"|(?:something|sth|smth)(?: (?:completely|totally|quite))? (?:different|else)"
    r"|(?:another|other|new|different|next|separate|unrelated) (?:question|topic|subject|matter))"
    r"\s*[:,.;!–—-]+\s*(?P<rest>\S.+)",
    re.IGNORECASE | re.DOTALL,
)


def of_something_else(message: str) -> str:
    """What a message asks that says it is of something else than those before; empty of other messages."""
    found = _SOMETHING_ELSE.fullmatch(message)
    return found["rest"] if found else ""


def emphasised(query: str, carried: Sequence[str]) -> str:
    """What to search for instead of a query that `with_carried` made: its own text again at the end."""
    own = query.removesuffix(with_carried("", carried))
    return query if own == query else f"{query} {own}"


def stand_alone(messages: Sequence[str]) -> StandAlone:
    """The last of a session's messages, in the order of asking, as a query that needs none of the others.

    The first message of a session and one that names its own topic stay as they are.
    """
    message = messages[-1]
    earlier = [each[:_LENGTH] for each in messages[-_TURNS:-1]]
    if not earlier:
        return StandAlone(message)
    language = language_of([*earlier, message[:_LENGTH]])
    focus = _Focus()
    for each in earlier:
        focus = _after(read(each, language), focus)
    reading = read(message[:_LENGTH], language)
    cue, topics = _resolved(reading, focus)
    question = _asked_anew(reading, focus) if cue is Cue.FRAGMENT else ""
    if not topics and not question:
        return StandAlone(message, before=focus.question, is_short=reading.telling <= _JOINED_WORDS)
    return StandAlone(message, cue, tuple(topic.text for topic in topics), question, focus.question)


def _after(reading: Reading, focus: _Focus) -> _Focus:
    """A message without topics, such as thanks, leaves the focus where it is."""
    cue, carried = _resolved(reading, focus)
    if not reading.topics and not carried:
        return focus
    replaced = _asked_anew(reading, focus) if cue is Cue.FRAGMENT else ""
    question = replaced or with_carried(reading.text, [topic.text for topic in carried])
    return _Focus(question, reading.topics, carried)


_A_CASE = re.compile(r"\W*(?:(?:and|but|or|so|und|et|y) )*(?:if|unless|wenn|falls|si)\b", re.IGNORECASE)


def _asked_anew(reading: Reading, focus: _Focus) -> str:
    """The question before about another: "Who murders Duncan?" and "no, I meant Banquo" are "Who murders Banquo?".

    A name takes the place of the last name; a thing that of the last thing behind an article or a preposition, where
    the question has no name. Empty if the message is more than that.
    """
    if len(reading.topics) != 1 or _A_CASE.match(reading.text):
        return ""  # "And if I fail?" asks for no other thing, but of a case.
    (topic,) = reading.topics
    if topic.named != bool(focus.names):
        return ""
    if not topic.named:
        return _in_place(focus.question, focus.things[-1].text, topic.text) if _is_replaceable(reading, focus) else ""
    name, old = _NAME.search(topic.text), _NAME.search(focus.names[-1].text)
    return _in_place(focus.question, old[0], name[0]) if name and old else ""


def _is_replaceable(reading: Reading, focus: _Focus) -> bool:
    """Whether the last thing of the question stands behind an article or a preposition, and is no whole clause."""
    if reading.cues is None or not focus.things or len(focus.things[-1].keys) > _MOST_REPLACED:
        return False
    before = focus.question[: focus.question.rfind(focus.things[-1].text)].lower().split()
    verbs = reading.cues.asking - reading.cues.definite - reading.cues.indefinite - _PREPOSITIONS
    return bool(before) and before[-1] not in verbs


def _in_place(text: str, old: str, new: str) -> str:
    """The text with the new words in the place where it has the old ones last; empty if it has not."""
    at = text.rfind(old)
    return "" if at < 0 else text[:at] + new + text[at + len(old) :]


def _resolved(reading: Reading, focus: _Focus) -> tuple[Cue | None, tuple[Topic, ...]]:
    """The message's cue and the topics that it carries over."""
    if not focus.topics:
        return None, ()
    cue = cue_of(reading, _stems(focus.topics))
    if cue is None:
        return None, ()
    new = _new(_candidates(cue, reading, focus), _stems(reading.topics))
    return cue, tuple(_limited(new, _WORDS_IF_IMPLIED if cue in IMPLIED else _WORDS))


def _candidates(cue: Cue, reading: Reading, focus: _Focus) -> Sequence[Topic]:
    if cue is Cue.FRAGMENT:
        return _asked_again(reading, focus)
    if cue is Cue.PERSON:
        return _people(reading, focus)
    if focus.carried and not focus.names:
        return (*focus.carried, *focus.things)
    if reading.telling <= _LITTLE:
        return (*focus.names, *focus.things, *focus.carried)
    return tuple(_new(focus.names, _stems(reading.topics))) or focus.topics


def _asked_again(reading: Reading, focus: _Focus) -> Sequence[Topic]:
    """The last question, without the name that the message puts another in the place of."""
    cues = reading.cues
    refers = cues is not None and any(word.key in cues.person | cues.thing for word in reading.words)
    if not reading.names or not focus.names or refers:
        return focus.topics
    return tuple(topic for topic in focus.topics if topic is not focus.names[-1])


def _people(reading: Reading, focus: _Focus) -> Sequence[Topic]:
    """The names and the nouns for persons; without a name, whatever the last turn was about."""
    nouns = reading.cues.people if reading.cues else frozenset[str]()
    people = tuple(topic for topic in focus.topics if not topic.named and not nouns.isdisjoint(topic.keys))
    carried_names = tuple(topic for topic in focus.carried if topic.named)
    if not focus.names and not carried_names:
        return focus.carried or focus.own
    return (*focus.names, *people, *carried_names)


def _stems(topics: Iterable[Topic]) -> frozenset[str]:
    return frozenset(stem(key) for topic in topics for key in topic.keys)


def _new(topics: Iterable[Topic], said: frozenset[str]) -> Iterator[Topic]:
    """Each topic with a word that has not been said, once."""
    for topic in topics:
        stems = _stems([topic])
        if not stems <= said:
            said |= stems
            yield topic


def _limited(topics: Iterable[Topic], most: int) -> Iterator[Topic]:
    """The first topics, until they have `most` words."""
    count = 0
    for topic in topics:
        if count >= most:
            return
        count += len(topic.keys)
        yield topic


def carried_over(plan: Plan, found: StandAlone) -> Plan:
    """The message's plan with what it refers to in its query. Only searches use it.

    What is too vague by itself is not asked back: the turns before say what it is about. A plan that already has
    something of an earlier turn stays as it is, and so does one for documents, which names their subject.
    """
    if not (plan.carried or found.carried) and plan.shape is Shape.CONTENT_ONLY and found.is_short:
        return replace(plan, may_follow=found.before)
    if plan.carried or plan.wants_documents or not found.carried:
        return plan
    if plan.shape is Shape.NEEDS_CLARIFICATION or (plan.intent is Intent.GENERAL and found.cue in _ASKING):
        plan = replace(plan, intent=Intent.SCRIPT_QUERY, shape=Shape.CONTENT_ONLY)
    if plan.intent is not Intent.SCRIPT_QUERY or plan.shape not in SEARCHED:
        return plan
    value = "" if plan.named and not plan.search_value else with_carried(plan.search_value or plan.query, found.carried)
    return replace(
        plan,
        query=with_carried(plan.query, found.carried),
        search_value=value,
        carried=found.carried,
        before=found.before,
    )
