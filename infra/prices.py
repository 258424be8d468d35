"""What tokens of models cost, from the dated list prices in `prices.toml`, which `cicada cost` reads too."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from infra.model_regions import base_model

PRICES = Path(__file__).with_name("prices.toml")


def token_prices(model_id: str) -> dict[str, str]:
    """Settings with the dollars for a million tokens of a model, and the day of the older price; empty without one."""
    table: dict[str, dict[str, Any]] = tomllib.loads(PRICES.read_text("utf-8"))
    name = base_model(model_id)
    rows = {kind: table.get(f"{name} {kind}") for kind in ("read", "written")}
    found = {kind: row for kind, row in rows.items() if row}
    if len(found) < len(rows):
        return {}
    prices = {f"{kind}_dollars": f"{row['dollars'] * 1e6:g}" for kind, row in found.items()}
    return {**prices, "prices_of": str(min(row["day"] for row in found.values()))}
