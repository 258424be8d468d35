"""Whether a noun phrase names the documents to answer from, or is itself what the question is about.

"Which forms ask for a weight?" is answered from forms; "How are forms numbered?" asks about forms.
"""

from __future__ import annotations

from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.noun_phrases import NounPhrase
from cicada.planning.deterministic.sentence import Sentence

_CONTAINERS = word_set("in within per under from across throughout inside via among")
_AUXILIARIES = word_set("do does did can could must should may will would shall is are was were has have n't not")
_TOPIC_LINKS = word_set("about on regarding concerning covering that which re mentioning :")
_PHRASAL = word_set("fill filled filling hand handed turn log put send bring")
_WROTE = word_set("wrote written authored created made owns drafted")
_BEFORE_FIRST = word_set("""
    is are there do does did we i you can could where what which who has have need would like to in of according per
    under from by the any if whether 's 'm 'd me us my our looking for at all with as based on it
""")
_PROCESS_VERBS = word_set("must should shall need are is have has")


def is_source(sentence: Sentence, phrase: NounPhrase) -> bool:
    """Whether the documents that the phrase names are the ones to look into."""
    if phrase.filters > 0 or phrase.asked:
        return True
    before = sentence.word(phrase.start - 1)
    if is_process_question(sentence, phrase) and before not in _CONTAINERS:
        return False
    if before == "in" and sentence.word(phrase.start - 2) in _PHRASAL:
        return False
    if before in _CONTAINERS or (before == "to" and sentence.word(phrase.start - 2) == "according"):
        return True
    if _communicates(sentence, phrase.end):
        return True
    return _comes_first(sentence, phrase)


def is_process_question(sentence: Sentence, phrase: NounPhrase) -> bool:
    """How are forms approved; what must a report contain: the documents are what the question is about."""
    if sentence.word(phrase.start - 1) in {"must", "should", "shall"}:
        return True
    for at in range(phrase.start):
        word, following = sentence.word(at), sentence.word(at + 1)
        if (word == "how" and following not in {"many", "much"}) or word == "why":
            return not _communicates(sentence, phrase.end)
    return False


def _communicates(sentence: Sentence, at: int) -> bool:
    """A verb such as "say" or "mention" follows the phrase, perhaps after "that" or an adverb."""
    for i in range(at, min(at + 5, len(sentence))):
        if sentence.is_in(i, "communication"):
            return True
        attribute = i > at and sentence.unknown(i)
        if not attribute and not sentence.is_in(i, "before_communication"):
            return False
    return False


def _comes_first(sentence: Sentence, phrase: NounPhrase) -> bool:
    """The phrase is the first of the message that has content, and is no subject of a process ("must forms be …")."""
    before = [at for at in range(phrase.start) if sentence.word(at)[0].isalnum()]
    if not all(_may_precede(sentence, at) for at in before):
        return False
    words = [sentence.word(at) for at in before]
    if not words:
        of_content = sentence.word(phrase.end) == "of" and not phrase.plural and not phrase.is_definite
        return not _is_process(sentence, phrase) and not of_content
    if all(word in _AUXILIARIES for word in words):
        return sentence.word(phrase.end) in _TOPIC_LINKS or phrase.asked
    if words[-1] in {"is", "are", "'s"} and words[0] in {"what", "how"}:
        return not (phrase.by_synonym and not phrase.plural)
    return True


def _may_precede(sentence: Sentence, at: int) -> bool:
    word = sentence.word(at)
    if word == "how":
        return sentence.word(at + 1) in {"many", "much"}
    if word == "when":
        return any(sentence.is_in(i, "ordering") or sentence.date_cue(i)[0] > i for i in range(at, len(sentence)))
    if word in _WROTE and sentence.word(at - 1) == "who":
        return True
    return (
        at in sentence.taken
        or sentence.names_field(at)
        or word in _BEFORE_FIRST
        or sentence.is_in(at, "listing", "politeness", "metadata", "determiners", "filler")
    )


def _is_process(sentence: Sentence, phrase: NounPhrase) -> bool:
    """Forms must be signed: a statement about such documents."""
    return sentence.word(phrase.end) in _PROCESS_VERBS
