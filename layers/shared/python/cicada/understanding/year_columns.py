"""Columns of single years, such as `hours_2025`: a year beside their words is theirs, and no day of the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from cicada.knowledge_bases.schema import Schema
from cicada.understanding.understood import Understood
from cicada.understanding.words import base_form, split_words

_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_ONLY_A_YEAR = re.compile(
    r"\W*(?:and |or |what about |how about )*(?:in |for |of )?(?:(?P<year>(?:19|20)[0-9]{2})"
    r"|the (?:year before|previous year|year after))\W*",
    re.IGNORECASE,
)


def with_year_columns(message: str, schema: Schema) -> str:
    """The message with a year behind the words of its column: of "most hours in 2025" it is "most hours 2025"."""
    for year in dict.fromkeys(_YEAR.findall(message)):
        for words in {words for _, own, words in _columns(schema) if own == year}:
            said = next((each for each in re.findall(r"\w+", message) if [base_form(each.lower())] == [*words]), "")
            if said:
                rest = re.sub(rf"\s*(?:\b(?:in|for|of|during)\s+)?\b{year}\b", "", message, count=1)
                return re.sub(rf"\b{re.escape(said)}\b", f"{said} {year}", rest, count=1)
    return message


def of_another_year(message: str, before: Understood | None, schema: Schema) -> Understood | None:
    """What was understood before with the column of another year: "and in 2024?"; None for every other message."""
    found = _ONLY_A_YEAR.fullmatch(message)
    columns = {name: (year, words) for name, year, words in _columns(schema)}
    if found is None or before is None or not columns:
        return None
    meaning = before.meaning
    used = {*meaning.fields, *(each.field for each in meaning.aggregates), *meaning.restricted}
    used |= {meaning.order.field} if meaning.order else set()
    old = next((name for name in columns if name in used), "")
    if not old:
        return None
    year, words = columns[old]
    step = 1 if "after" in message.lower() else -1
    wanted = found["year"] or str(int(year) + step)
    new = next((name for name, of in columns.items() if of == (wanted, words)), "")
    if not new:
        return None

    def renamed(name: str) -> str:
        return new if name == old else name

    return replace(
        before,
        message=message,
        continues=True,
        meaning=replace(
            meaning,
            fields=tuple(map(renamed, meaning.fields)),
            aggregates=tuple(replace(each, field=renamed(each.field)) for each in meaning.aggregates),
            order=replace(meaning.order, field=renamed(meaning.order.field)) if meaning.order else None,
            bounds={renamed(name): each for name, each in meaning.bounds.items()},
        ),
    )


def _columns(schema: Schema) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The columns with a year in their names, with the year and the other words."""
    for name in schema.fields:
        years = _YEAR.findall(name)
        if len(years) == 1:
            yield name, years[0], tuple(word for word in split_words(name) if word != years[0])
