"""The prices of AWS, each with its day, from the table `prices.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from cli.errors import CommandError
from infra.prices import PRICES


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Dollars for one `unit` in `region`, as `source` had it on `day`. `part`: what of a stage it is paid for."""

    part: str
    dollars: float
    unit: str
    region: str
    day: date
    source: str


def read_prices(path: Path = PRICES) -> Mapping[str, Price]:
    """The prices by their names. Raises `CommandError` for one that lacks its day or another field."""
    return {name: _price(name, row) for name, row in tomllib.loads(path.read_text("utf-8")).items()}


def priced(usage: Mapping[str, float], prices: Mapping[str, Price]) -> dict[str, float]:
    """Dollars by the names of the prices. Raises `CommandError` for what has no price."""
    if unknown := sorted(set(usage) - set(prices)):
        raise CommandError(f"There is no price of {unknown[0]}: add it to {PRICES.name}, with its day and source.")
    return {name: amount * prices[name].dollars for name, amount in usage.items()}


def _price(name: str, row: Any) -> Price:
    try:
        return msgspec.convert(row, Price)
    except msgspec.ValidationError as error:
        raise CommandError(f"The price of {name} cannot be used: {error}. A price needs its day and source.") from error
