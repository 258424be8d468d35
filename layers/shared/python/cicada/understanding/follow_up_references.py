"""What in a message refers to the turns before it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from cicada.understanding.follow_up_cues import SCRIPTS, Cues
from cicada.understanding.follow_up_text import Reading, Word, stem

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
        return self.earlier + self.here == 0 and (word.key not in _ALSO_JOINING or after_be)


def _in_context(words: tuple[Word, ...], cues: Cues) -> Iterator[tuple[_Before, Word, Word | None]]:
    """Each word with what stands before it and the next word of its clause."""
    before = _Before()
    for at, word in enumerate(words):
        if word.begins or word.key in cues.joining or word.key in cues.clauses:
            before = before.clause()
        yield before, word, None if word.ends else words[at + 1]
        before = before.after(word, cues)
