"""What a question asks for: its words of substance, and whose words it asks for, if anyone's."""

from collections.abc import Iterable
from dataclasses import dataclass

from local.bedrock.words import stem, terms, word_set, words

SAYING = frozenset(
    stem(word)
    for word in word_set(
        """
        say said tell told ask report describe explain warn order advise confess call promise chant claim declare
        announce speak spoke think name cry mean reply answer happen
        """
    )
)
AUXILIARIES = word_set("do does did is was are were has had can could will would shall should")
SKIPPED = frozenset(("the", "a", "an"))


@dataclass(frozen=True, slots=True)
class Question:
    """`topics` are stems without names of speakers and verbs of saying; `subjects` the speakers who say or do it."""

    text: str
    topics: tuple[str, ...]
    named: frozenset[str]
    subjects: frozenset[str]
    asks_for_words: bool


def read(text: str, speakers: Iterable[str]) -> Question:
    known = list(speakers)
    asked = words(text)
    mentions = _mentions(asked, known)
    names = {stem(word) for speaker in known for word in words(speaker)}
    substance = dict.fromkeys(term for term in terms(text) if term not in SAYING)
    subjects = [found for start, end, found in mentions if _is_subject(asked, start, end)]
    return Question(
        text=text,
        topics=tuple(term for term in substance if term not in names),
        named=frozenset(name for _, _, found in mentions for name in found),
        subjects=subjects[0] if subjects else frozenset(),
        asks_for_words=any(stem(word) in SAYING for word in asked),
    )


def _is_subject(asked: list[str], start: int, end: int) -> bool:
    """`does the doctor say`, `Hamlet tells`: an auxiliary stands before the name, or a verb of saying after it."""
    before = start - 1
    while before >= 0 and asked[before] in SKIPPED:
        before -= 1
    follows = end < len(asked) and stem(asked[end]) in SAYING
    return follows or (before >= 0 and asked[before] in AUXILIARIES)


def _mentions(asked: list[str], speakers: list[str]) -> list[tuple[int, int, frozenset[str]]]:
    """Where speakers are named. Whole names win, the longest first; then any word of a name (`witches`, `the king`)."""
    taken: set[int] = set()
    found: list[tuple[int, int, frozenset[str]]] = []
    for name in sorted(speakers, key=lambda speaker: -len(words(speaker))):
        for span in _places(asked, words(name)):
            if taken.isdisjoint(span):
                taken.update(span)
                found.append((span.start, span.stop, frozenset((name,))))
    for place, word in enumerate(asked):
        alike = frozenset(name for name in speakers if stem(word) in map(stem, words(name)))
        if alike and place not in taken and word not in SKIPPED:
            found.append((place, place + 1, alike))
    return sorted(found, key=lambda mention: mention[0])


def _places(asked: list[str], name: list[str]) -> list[range]:
    starts = range(len(asked) - len(name) + 1) if name else range(0)
    return [range(start, start + len(name)) for start in starts if asked[start : start + len(name)] == name]
