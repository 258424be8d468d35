"""An answer that ended before it was whole: what its user is told, and how repetition is noticed."""

from __future__ import annotations

import re
from collections import Counter

from cicada.generation import Stop
from cicada.grounding.sentences import Sentence, sentences_of

STOP_SENTENCES = {
    Stop.CUT: "(The answer was cut off at the model's length limit; ask for the rest.)",
    Stop.FILTERED: "(The model's content filter stopped the answer; put the question differently.)",
    Stop.REFUSED: "(A guardrail stopped the answer; put the question differently.)",
    Stop.MALFORMED: "(The model's output was malformed and ends here; ask again.)",
    Stop.REPEATING: "(The model began to repeat itself and was stopped; ask again, or for less at once.)",
}
_SHORTEST_WORDS = 6
_TOO_OFTEN = 3
# Characters that are kept of a sentence that does not end.
_LONGEST = 2000
# And of marks without any word.
_LONGEST_MARKS = 50
_WORD = re.compile(r"\w+")


class Repetition:
    """Notices a sentence of at least six words that is written for the third time, in a text that arrives in pieces.

    Case, marks and bullets make no difference. The same words of another passage, as their citation says, do.
    """

    def __init__(self) -> None:
        self._open = ""
        self._written = Counter[tuple[object, ...]]()

    def found(self, piece: str) -> bool:
        """Add the next piece. A sentence is whole when the next one has begun, because citations may follow it."""
        self._open = (self._open + piece)[-_LONGEST:]
        sentences = list(sentences_of(self._open))
        self._open = self._open[sentences[-1].start :] if sentences else self._open[-_LONGEST_MARKS:]
        return any(self._is_too_often(each) for each in sentences[:-1])

    def _is_too_often(self, sentence: Sentence) -> bool:
        words = _WORD.findall(sentence.text.casefold())
        if len(words) < _SHORTEST_WORDS:
            return False
        key = (*words, sentence.cited)
        self._written[key] += 1
        return self._written[key] >= _TOO_OFTEN
