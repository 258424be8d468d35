"""English plurals, and words that were mistyped."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST_MISTYPED = 5
_SHORTEST_WITH_WRONG_LETTER = 8


def plurals(word: str) -> tuple[str, ...]:
    """The plural of a noun; of a word of digits none."""
    if not word.isalpha():
        return ()
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        return (word[:-1] + "ies",)
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (word + "es",)
    return (word + "s",)


def singulars(word: str) -> tuple[str, ...]:
    """What the word may be the plural of."""
    found = []
    if word.endswith("ies") and len(word) > 4:
        found.append(word[:-3] + "y")
    if word.endswith("es") and len(word) > 4:
        found.append(word[:-2])
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        found.append(word[:-1])
    return tuple(found)


def corrected(word: str, vocabulary: Iterable[str]) -> str | None:
    """The one word of the vocabulary that differs by a letter left out, doubled, wrong or in the wrong place.

    The first letter and the ending must agree: "approve" is not a mistyped "approved".
    """
    if len(word) < _SHORTEST_MISTYPED or not word.isalpha():
        return None
    found = {known for known in vocabulary if _is_mistyped(word, known)}
    return found.pop() if len(found) == 1 else None


def _is_mistyped(word: str, known: str) -> bool:
    if word[0] != known[0] or word[-1] != known[-1] or abs(len(word) - len(known)) > 1:
        return False
    if len(known) < _SHORTEST_MISTYPED:
        return False
    if len(word) == len(known):
        wrong = [at for at in range(len(word)) if word[at] != known[at]]
        if len(wrong) == 1:
            return len(word) >= _SHORTEST_WITH_WRONG_LETTER
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and word[wrong[0]] == known[wrong[1]]
            and (word[wrong[1]] == known[wrong[0]])
        )
    longer, shorter = (word, known) if len(word) > len(known) else (known, word)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(1, len(longer) - 1))
