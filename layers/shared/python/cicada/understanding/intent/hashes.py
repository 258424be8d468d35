"""Hashes of features: the same on every machine and in every process."""

from __future__ import annotations

MASK = (1 << 32) - 1


def joined(left: int, right: int) -> int:
    """The hash of two hashes in this order."""
    return (left * 0x9E3779B1 ^ right * 0x85EBCA6B + 0x27D4EB2F) & MASK
