"""Numbers as tables write them: with a comma before the decimals and points between thousands, or with a currency."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from cicada.knowledge_bases.inference import names_codes

_CURRENCY = r"(?:US\$|[€$£¥]|EUR|USD|GBP|CHF)"
_AMOUNT = re.compile(rf"(?:(?P<before>{_CURRENCY}) ?)?(?P<bare>[+-]?[0-9][0-9.,]*)(?: ?(?P<after>{_CURRENCY}))?")
_WITH_COMMA = re.compile(r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?")
_WITH_POINT = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?")
# Three digits behind one comma or point may be decimals or thousands.
_SURELY_WITH_COMMA = re.compile(r"[+-]?(?:0,[0-9]+|[0-9]{1,30},[0-9]{1,2}|[0-9]{1,3}(?:\.[0-9]{3}){1,9},[0-9]+)")
_SURELY_WITH_POINT = re.compile(r"[+-]?(?:0\.[0-9]+|[0-9]{1,30}\.[0-9]{1,2}|[0-9]{1,3}(?:,[0-9]{3}){1,9}\.[0-9]+)")
_UNSURE = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")


def plain_numbers(columns: Mapping[str, Collection[str]]) -> dict[str, dict[str, str]]:
    """The numbers of columns that are not written plainly: of each such column its values, each with `1200.5`.

    `columns`: the different values of each; a column counts if all of them are numbers. It follows the others of its
    table where its own numbers may be read either way; where they do not tell, it is left out. So are numbers of
    things, and amounts of several currencies.
    """
    amounts = {name: _amounts(values) for name, values in columns.items() if not names_codes(name)}
    with_comma = {name for name, found in amounts.items() if _are(found, _WITH_COMMA, _SURELY_WITH_COMMA)}
    with_point = {name for name, found in amounts.items() if _are(found, _WITH_POINT, _SURELY_WITH_POINT)}
    follows = bool(with_comma) and not with_point
    plain: dict[str, dict[str, str]] = {}
    for name, found in amounts.items():
        bare = found.values()
        if name in with_comma or (follows and all(map(_WITH_COMMA.fullmatch, bare))):
            plain[name] = {value: number.replace(".", "").replace(",", ".") for value, number in found.items()}
        elif all(map(_WITH_POINT.fullmatch, bare)) and (name in with_point or not any(map(_UNSURE.fullmatch, bare))):
            plain[name] = found
    return {name: found for name, found in plain.items() if any(value != number for value, number in found.items())}


def _amounts(values: Collection[str]) -> dict[str, str]:
    """Each value without the currency; none if one is no number, or they have several currencies."""
    found = {value: _AMOUNT.fullmatch(value) for value in values}
    currencies = {match["before"] or match["after"] for match in found.values() if match} - {None}
    if len(currencies) > 1:
        return {}
    bare = {value: match["bare"] for value, match in found.items() if match}
    return bare if len(bare) == len(found) else {}


def _are(amounts: Mapping[str, str], form: re.Pattern[str], sure: re.Pattern[str]) -> bool:
    """Whether all numbers have the form, and one surely has it."""
    return all(map(form.fullmatch, amounts.values())) and any(map(sure.fullmatch, amounts.values()))
