"""The intent of a message, with its probability."""

from __future__ import annotations

import math
from pathlib import Path

from msgspec import Struct

from cicada.understanding.intent.linear import LinearModel, load_linear
from cicada.understanding.intent.reading import read
from cicada.understanding.model import Intent

PACKAGED = Path(__file__).with_name("model.bin")
# The last intent's scores are zero: a softmax knows differences only.
SCORED = (Intent.SCRIPT_QUERY, Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST)
INTERROGATIVES = frozenset({"who", "what", "when", "where", "why", "how", "howmany"})


class IntentModel(Struct, frozen=True):
    """`linear` gives the scores of the intents in `SCORED`.

    `threshold`: from this probability on, the model decides alone. `digest`: of the examples it was trained from.
    `interrogatives`: the numbers of the concepts of question words.
    """

    linear: LinearModel
    temperature: float
    threshold: float
    digest: str
    interrogatives: frozenset[int] = frozenset()

    def probabilities(self, message: str) -> dict[Intent, float]:
        """The calibrated probability of each intent."""
        scores = dict(zip((*SCORED, Intent.GENERAL), (*self.linear.scores(message), 0.0), strict=True))
        highest = max(scores.values())
        exponentials = {intent: math.exp((score - highest) / self.temperature) for intent, score in scores.items()}
        total = sum(exponentials.values())
        return {intent: share / total for intent, share in exponentials.items()}

    def asks(self, message: str) -> bool:
        """Whether the message has a question mark, or asks who, what, when, where, why, how or how many.

        "How do I …" asks about the app. Elsewhere than at the beginning these words are often relative pronouns, but
        not in the languages of ideographs, where a question word stands in the place of what it asks for.
        """
        reading = read(message)
        if "?" in reading.unquoted:
            return True
        steps = self.linear.lexicon.steps(reading.unquoted, reading.is_ideographic)
        asking = steps if reading.is_ideographic else steps[:1]
        return any(self.interrogatives.intersection(step) for step in asking)


def load_model(path: Path = PACKAGED) -> IntentModel:
    """Reads the model's file."""
    linear, said = load_linear(path)
    asking = frozenset(number for number, name in enumerate(said["concepts"], start=1) if name in INTERROGATIVES)
    return IntentModel(linear, said["temperature"], said["threshold"], said["digest"], asking)
