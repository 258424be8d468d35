"""Plans questions on the documents of one base, from its schema alone: what each message means after those before it.

1. facts: what the message surely mentions (`facts.py`);
2. reading: what each mention does, by learnt heads over the masked message (`reading.py`);
3. composition: conditions, numbers, order and topic (`composition.py`), and what stays of the plan before
   (`following.py`);
4. judging: the strategy, and how likely the whole is right (`judging.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.knowledge_bases.schema import Schema
from cicada.understanding.asking_back import clarification, completed, speaks_of_one
from cicada.understanding.composition import meaning_of
from cicada.understanding.following import NEW, Earlier, Following, continued, following, strategy_of
from cicada.understanding.heads import Heads, packaged_heads
from cicada.understanding.judging import confidence_of, strategy_chances
from cicada.understanding.meaning import Meaning
from cicada.understanding.reading import Reading, read
from cicada.understanding.vocabulary import Vocabulary, compiled

TURNS = 8
"""Earlier messages that are looked at."""


class Understood(Struct, frozen=True):
    """A message as it is understood after those before it.

    `strategy`: one of `judging.STRATEGIES`. `single`: it speaks of one document that its conditions describe.
    `continues`: something of an earlier message holds. `question`: what to ask back, with NeedsClarification.
    """

    message: str
    meaning: Meaning
    strategy: str
    confidence: float
    single: bool = False
    continues: bool = False
    question: str = ""


class SchemaReader(Struct, frozen=True):
    """Understands messages to the base of one schema; make one for each base and keep it."""

    schema: Schema
    vocabulary: Vocabulary
    heads: Heads = field(default_factory=packaged_heads)

    @classmethod
    def of(cls, schema: Schema) -> SchemaReader:
        return cls(schema, compiled(schema))

    def understand(self, messages: Sequence[str], now: date, asker: str = "") -> Understood:
        """The last of a user's messages. `now`: a day in the user's time zone; `asker`: the name in owner fields."""
        found: Understood | None = None
        for message in messages[-TURNS - 1 :]:
            found = self.next(message, found, now, asker)
        return found or self.next("", None, now, asker)

    def next(self, message: str, before: Understood | None, now: date, asker: str) -> Understood:
        """A message after what came before it."""
        if before and before.strategy == "A" and (whole := self._answered(message, before, now, asker)):
            return whole
        reading = read(message, self.vocabulary, now, self.heads)
        meaning = meaning_of(reading, self.vocabulary, asker)
        chances = strategy_chances(reading, self.vocabulary, bool(asker), self.heads)
        strategy = max(chances, key=chances.__getitem__)
        confidence = confidence_of(reading, meaning, chances, self.vocabulary, self.heads)
        if before is not None:
            earlier = Earlier(before.meaning, before.strategy)
            found = following(reading, meaning, strategy, earlier, self.heads)
            if found.relation != NEW:
                return self._continued(message, meaning, strategy, earlier, found, confidence)
            confidence = min(confidence, found.chance)
        return self._alone(message, reading, meaning, strategy, confidence)

    def _answered(self, message: str, before: Understood, now: date, asker: str) -> Understood | None:
        """The question that was asked back, completed by a reply; None if the message is no reply."""
        if message.rstrip().endswith("?"):
            return None
        whole = self.next(completed(before.message, message), None, now, asker)
        if whole.strategy == "A":
            return None
        return replace(whole, message=message, continues=True)

    def _continued(
        self,
        message: str,
        meaning: Meaning,
        strategy: str,
        earlier: Earlier,
        found: Following,
        confidence: float,
    ) -> Understood:
        whole = continued(meaning, earlier, found, self.vocabulary)
        kept = [max(each, 1 - each) for each in found.keeps.values()]
        sure = min(confidence, found.chance, *kept)
        return Understood(message, whole, strategy_of(whole, strategy, earlier), sure, continues=True)

    def _alone(self, message: str, reading: Reading, meaning: Meaning, strategy: str, confidence: float) -> Understood:
        if meaning.lacks_asker and strategy in ("M", "H"):
            strategy = "A"
        single = speaks_of_one(reading, meaning, self.vocabulary)
        if strategy == "A" and single and not meaning.lacks_asker:
            strategy = "M" if meaning.fields else "H"
            meaning = meaning if meaning.topic or meaning.fields else replace(meaning, topic=message)
        # Where no schema says what the documents are about, any subject may be theirs.
        if strategy == "N" and not any(each.values for each in self.schema.fields.values()):
            strategy = "C"
        question = clarification(reading, meaning, self.schema) if strategy == "A" else ""
        return Understood(message, meaning, strategy, confidence, single, question=question)
