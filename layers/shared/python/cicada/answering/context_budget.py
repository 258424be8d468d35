"""The context budget: which of the passages found, or of a document's, fit into the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cicada.answering.prompt import passage_text
from cicada.document_routing.naming import places
from cicada.retrieval.model import RankedPassage

# Models' tokenizers differ. About four characters a token is usual for European languages, one for these scripts.
_ONE_TOKEN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_CHARACTERS_PER_TOKEN = 4


def estimated_tokens(text: str) -> int:
    """About how many tokens a model reads for the text."""
    dense = len(_ONE_TOKEN.findall(text))
    return dense + -(-(len(text) - dense) // _CHARACTERS_PER_TOKEN)


def within_budget(passages: Sequence[RankedPassage], tokens: int) -> tuple[RankedPassage, ...]:
    """The passages that fit, best first. A passage is shown whole or not at all, except that the best is always shown.

    One that is too long is left out, and shorter ones after it are still taken.
    """
    kept: list[RankedPassage] = []
    for ranked in passages:
        cost = estimated_tokens(passage_text(len(kept) + 1, ranked.passage))
        if kept and cost > tokens:
            continue
        kept.append(ranked)
        tokens -= cost
    return tuple(kept)


def spread_within_budget(documents: Sequence[Sequence[RankedPassage]], tokens: int) -> tuple[RankedPassage, ...]:
    """The passages of each document that fit, in its order; of one that does not fit whole, from all of its parts.

    Each document has an equal share; what a short one leaves is for the longer ones.
    """
    kept: dict[int, tuple[RankedPassage, ...]] = {}
    by_length = sorted(range(len(documents)), key=lambda number: _cost(documents[number]))
    for done, number in enumerate(by_length):
        kept[number] = _spread(documents[number], tokens // (len(documents) - done))
        tokens -= _cost(kept[number])
    return tuple(each for number in sorted(kept) for each in kept[number])


def _spread(passages: Sequence[RankedPassage], tokens: int) -> tuple[RankedPassage, ...]:
    """All first passages of the parts if they fit, then all second ones, and so on; never none.

    Of those that do not fit, some are taken at equal distances.
    """
    chosen: list[int] = []
    for level in _levels(passages):
        chosen.extend(_fitting(passages, level, tokens) or level[: not chosen])
        tokens -= _cost([passages[at] for at in level])
        if tokens <= 0:
            break
    return tuple(passages[at] for at in sorted(chosen))


def _levels(passages: Sequence[RankedPassage]) -> list[list[int]]:
    """The numbers of the passages: those that are first in their parts, those that are second, and so on."""
    levels: list[list[int]] = []
    number = 0
    for run in places([each.passage for each in passages]):
        for depth in range(len(run)):
            if depth == len(levels):
                levels.append([])
            levels[depth].append(number)
            number += 1
    return levels


def _fitting(passages: Sequence[RankedPassage], numbers: Sequence[int], tokens: int) -> Sequence[int]:
    """All of the numbers, or as many in equal distances as fit; those that are met may be longer than the others."""
    chosen = numbers
    while chosen and (cost := _cost([passages[at] for at in chosen])) > tokens:
        chosen = _evenly(numbers, min(len(chosen) - 1, int(len(chosen) * tokens / cost)))
    return chosen


def _evenly(numbers: Sequence[int], count: int) -> list[int]:
    """Choose `count` of the numbers at equal distances, the first one among them."""
    return [numbers[at * len(numbers) // count] for at in range(count)]


def _cost(passages: Sequence[RankedPassage]) -> int:
    return sum(estimated_tokens(passage_text(10, each.passage)) for each in passages)
