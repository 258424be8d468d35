"""What a list of rows leaves out of a question, and whether a text tells it instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from cicada.documents.model import ROW, TABLE, Condition, Range
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import described
from cicada.retrieval.model import RankedPassage
from cicada.retrieval.quality import content_words, passage_stems, stems
from cicada.understanding.plan import Plan

_ASKS_FOR_A_LIST = re.compile(r"\W*(?:and |please )?(?:which|list|show|give|find|all|any|only)\b", re.IGNORECASE)
_ASKS_WHAT_IS_SO = re.compile(
    r"\W*(?:and |but )?(?:(?:un)?till? )?"
    r"(?:do|does|did|is|are|was|were|can|may|must|should|will|why|what|when|how|where)\b",
    re.IGNORECASE,
)
_ASKS_FOR_TEXT = re.compile(
    r"\W*(?:and |but )?(?:why\b|(?:do|can|may|must|should|am|are) (?:i|we|you)\b)", re.IGNORECASE
)
_HARDLY_SURE = 0.5
_MOST_WORDS, _NEAREST = 0.66, 3


class LeftOut(Struct, frozen=True):
    """`words`: those of the question that say something, as stems; `left`: those that the list leaves out.

    `called`: the names of the row that is spoken of. `for_text`: it is asked why, or what somebody may. `is_hardly`:
    the list is hardly sure, or the same again.
    """

    words: frozenset[str]
    left: frozenset[str]
    called: Sequence[frozenset[str]]
    for_text: bool
    is_hardly: bool

    def is_told_by(self, passages: Sequence[RankedPassage]) -> bool:
        """Whether one of the nearest passages is a text that tells it."""
        texts = (each.passage for each in passages[:_NEAREST] if ROW not in each.passage.metadata)
        return any(self._is_told(passage_stems(each)) for each in texts)

    def _is_told(self, text: frozenset[str]) -> bool:
        """Whether a text has most of the words, or one and a name of the row; where it is asked why, the name will do.

        Against a list that is hardly one, it needs more of the question's words than the list's conditions have.
        """
        shared = len(self.left & text)
        is_named = any(len(name & text) >= _MOST_WORDS * len(name) for name in self.called)
        tells_more = self.is_hardly and shared > 0 and len(self.words & text) > len(self.words - self.left)
        return shared >= _MOST_WORDS * len(self.left) or (is_named and (shared > 0 or self.for_text)) or tells_more


def left_out_of(plan: Plan, schema: Schema) -> LeftOut | None:
    """What the list of a plan leaves out; None where it is no list of rows, leaves nothing out, or is asked for.

    Who asks "which" wants a list, and after rows so does who asks "who" or nothing: "who supplies them?", "without the
    booked ones".
    """
    names = (*(described(each, schema) for each in plan.filters), *plan.fields)
    words = frozenset(content_words(plan.query))
    left = words - stems(" ".join(names))
    for_text = _ASKS_FOR_TEXT.match(plan.query) is not None
    left = left or (words if for_text else left)
    if not (left and any(_is_of_rows(each, schema) for each in plan.filters)) or _asks_for_rows(plan):
        return None
    is_hardly = plan.confidence < _HARDLY_SURE or (plan.continues and bool(plan.unknown))
    return LeftOut(words, left, tuple(map(stems, plan.carried)), for_text, is_hardly)


def asks_what_is_so(question: str) -> bool:
    """Whether it is no request for a list, but a question whether, when, how or why something is so."""
    return _ASKS_WHAT_IS_SO.match(question) is not None


def _is_of_rows(condition: Condition, schema: Schema) -> bool:
    """Whether only rows of tables meet the condition."""
    return condition.field in (TABLE, ROW) or not schema.fields[condition.field].is_of_documents


def _asks_for_rows(plan: Plan) -> bool:
    """Whether the message asks for a list, states a number as a condition, or goes on from rows and asks nothing."""
    numbers = [each for each in plan.filters if isinstance(each, Range)]
    ends = [end for each in numbers for end in (each.least, each.above, each.most, each.below)]
    states_number = any(isinstance(each, float | int) for each in ends)
    is_fragment = plan.continues and not asks_what_is_so(plan.query)
    return states_number or is_fragment or _ASKS_FOR_A_LIST.match(plan.query) is not None
