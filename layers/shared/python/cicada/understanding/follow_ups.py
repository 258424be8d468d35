"""Follow-ups as stand-alone queries, without a model: what a message leaves out is carried over from the turns before.

The query is for retrieval only. It is the message, the topics that it refers to in parentheses, and the message again:
BM25 then has the terms of both, each once, and the vector lies between the two, nearer to the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.understanding.follow_up_references import IMPLIED, Cue, cue_of
from cicada.understanding.follow_up_text import Reading, Topic, language_of, read, stem
from cicada.understanding.model import Intent
from cicada.understanding.plan import Plan, Shape

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
    `before`: the question before, as it stands alone.
    """

    message: str
    cue: Cue | None = None
    carried: tuple[str, ...] = ()
    question: str = ""
    before: str = ""

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


def with_carried(text: str, carried: Sequence[str]) -> str:
    """The text with the topics behind it in parentheses, as people can read it."""
    return f"{text} ({' '.join(carried)})" if carried else text


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
        return StandAlone(message, before=focus.question)
    return StandAlone(message, cue, tuple(topic.text for topic in topics), question, focus.question)


def _after(reading: Reading, focus: _Focus) -> _Focus:
    """A message without topics, such as thanks, leaves the focus where it is."""
    cue, carried = _resolved(reading, focus)
    if not reading.topics and not carried:
        return focus
    replaced = _asked_anew(reading, focus) if cue is Cue.FRAGMENT else ""
    question = replaced or with_carried(reading.text, [topic.text for topic in carried])
    return _Focus(question, reading.topics, carried)


def _asked_anew(reading: Reading, focus: _Focus) -> str:
    """The question before about another: "Who murders Duncan?" and "no, I meant Banquo" are "Who murders Banquo?".

    A name takes the place of the last name; a thing that of the last thing behind an article or a preposition, where
    the question has no name. Empty if the message is more than that.
    """
    if len(reading.topics) != 1:
        return ""
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
