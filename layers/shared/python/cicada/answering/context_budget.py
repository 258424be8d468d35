"""The context budget: which of the passages found fit into the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cicada.answering.prompt import passage_text
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
