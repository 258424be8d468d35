"""The sentences of an answer or a passage: where they stand, what they cite, and whether they claim something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

# The end of a sentence with the quotation marks, emphasis and citations behind it; or the end of a line. What follows
# behind a dash, as the place of a quotation does, belongs to the sentence.
_END = re.compile(
    r"(?<=[.!?])(?<!\b\w\.)(?<!\b\d\d\.)(?<!\b(?:Mr|Ms|Dr|St|No|no|Nr|cf|vs)\.)"
    r"(?<!\b(?:Mrs|acc|art|Art|fig|Fig|Ltd|tel|Tel|vol|Vol)\.)"
    r"""["'”’»)*]*(?:\s*\[[\d,; ]{1,20}\])*\s+(?![—–] |\[\d)|(?<=[。！？])|\n+"""
)
_CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
# Where a quotation is from, behind a dash.
_PLACE = re.compile(r"(?<=[.!?\"”’»])\s+[—–]\s[^—–]{1,200}$")
_BULLET = re.compile(r"\s*(?:[-*•–#>|]+|\(?\d{1,2}[.)])\s+")
# Openings of what is said to the user and not of the documents.
_SPOKEN = re.compile(r"(?:i|i'm|let|please|sorry|hello|hi|thanks|thank)\b", re.IGNORECASE)
# That the documents do not say something, in the languages that answers are written in most.
_SOURCES = re.compile(
    r"\b(?:passages?|documents?|sources?|passagen?|dokumente?n?|quellen?|documentos?|documenti|fuentes)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not?|none|cannot|kein\w*|nicht|pas|aucune?|ningún|não|nenhum\w*|non|nessun\w*)\b|n't\b", re.IGNORECASE
)


class Sentence(Struct, frozen=True):
    """`start`, `end`: in characters of the text that it stands in. `text`: without bullet, place and citations."""

    start: int
    end: int
    text: str
    cited: tuple[int, ...] = ()

    @property
    def claims(self) -> bool:
        """Whether it states something of the documents.

        Questions, headings, and what is said of the conversation or of what documents lack state nothing.
        """
        if self.text.endswith((":", "?", "：", "？")):
            return False
        return bool(self.cited) or not (_SPOKEN.match(self.text) or self.denies)

    @property
    def denies(self) -> bool:
        """Whether it says that the documents do not say something."""
        return bool(_SOURCES.search(self.text) and _DENIES.search(self.text))


def sentences_of(text: str) -> Iterator[Sentence]:
    """The sentences that have letters or digits, in order."""
    start = 0
    for end in (*(found.end() for found in _END.finditer(text)), len(text)):
        piece = text[start:end]
        bullet = _BULLET.match(piece)
        first = bullet.end() if bullet else len(piece) - len(piece.lstrip())
        said = _PLACE.sub("", " ".join(_CITATION.sub("", piece[first:]).split()))
        if any(letter.isalnum() for letter in said):
            cited = tuple(int(each) for found in _CITATION.findall(piece) for each in re.split("[,;]", found))
            yield Sentence(start + first, start + len(piece.rstrip()), said, cited)
        start = end
