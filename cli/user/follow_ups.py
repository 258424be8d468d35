"""What can be asked next of documents that were listed: the same as `clients/web/follow-ups.js` offers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from cicada_client.listing import ListedDocument, Listing
from cicada_client.plan import Plan

_FEWEST_DOCUMENTS = 4
_MOST_VALUES = 6
# A value that is a name, and neither a number, a day nor a list of values.
_NAME = re.compile(r"[^\W\d_][^,;]{0,40}")


def follow_ups(plan: Plan | None, listing: Listing | None) -> list[str]:
    """Messages that the planner understands after a list by metadata, three at most; none after anything else."""
    if plan is None or plan.strategy != "MetadataOnly" or listing is None or listing.total < _FEWEST_DOCUMENTS:
        return []
    if listing.groups:
        return _of_groups(listing) if len(listing.grouped_by) == 1 else []
    counted = [(name, _counts(listing.documents, name)) for name in listing.columns]
    fields = [(name, counts) for name, counts in counted if _tells_apart(counts, len(listing.documents))]
    return [
        *(f"How many are there by {name}?" for name, _ in fields[:2]),
        *(f"Only those with {name} {counts.most_common(1)[0][0]}" for name, counts in fields[-1:]),
    ]


def _of_groups(listing: Listing) -> list[str]:
    smaller = [value for each in listing.groups if each.documents < listing.total for value in each.values[:1]]
    return [f"Only those with {listing.grouped_by[0]} {value}" for value in filter(_is_name, smaller)][:2]


def _counts(documents: Sequence[ListedDocument], name: str) -> Counter[str]:
    return Counter(each.fields[name] for each in documents if each.fields.get(name))


def _tells_apart(counts: Counter[str], documents: int) -> bool:
    """Whether the documents have a few values, each of which is a name."""
    return 1 < len(counts) <= min(_MOST_VALUES, documents / 2) and all(map(_is_name, counts))


def _is_name(value: str | None) -> bool:
    return value is not None and _NAME.fullmatch(value) is not None
