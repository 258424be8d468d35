"""Numbers as the pages show them."""

from __future__ import annotations

from collections.abc import Sequence


def score(value: float) -> str:
    """A measure between 0 and 1, with three decimals and no leading zero."""
    return _bare(f"{value:.3f}")


def share(value: float) -> str:
    """A share or a mean, with two decimals and no leading zero."""
    return _bare(f"{value:.2f}")


def percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def signed(value: float) -> str:
    """A difference, with its sign."""
    return ("−" if value < 0 else "+") + score(abs(value))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def bold(cells: Sequence[str]) -> list[str]:
    return [f"**{cell}**" for cell in cells]


def _bare(number: str) -> str:
    return number.removeprefix("0") if number.startswith("0.") else number
