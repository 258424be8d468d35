"""What is read as a whole, as people name it."""

from __future__ import annotations

from msgspec import Struct


class Subject(Struct, frozen=True):
    """A document, or a part of one.

    `document`: the words that name the document; empty where none does. `section`: the words or the number of the part
    (`chapter 3`, `3.4`); empty for the whole document.
    """

    document: str = ""
    section: str = ""
