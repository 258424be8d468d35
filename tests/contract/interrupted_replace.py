"""Replaces a document of an index file and stops in the middle: `python -m tests.contract.interrupted_replace FILE`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from cicada.retrieval.model import EmbeddedPassage
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.contract.card_index import card, described
from tests.contract.passage_indexes import DIMENSION, MODEL
from tests.contract.passages import MACBETH, embedded, vector


class Stalling(list[EmbeddedPassage]):
    """Gives half of its passages, says so, and then nothing more."""

    def __iter__(self) -> Iterator[EmbeddedPassage]:
        yield from list(super().__iter__())[: len(self) // 2]
        sys.stdout.write("half\n")
        sys.stdout.flush()
        time.sleep(600)


if __name__ == "__main__":
    passages = Stalling(embedded(MACBETH, *(f"new queen {number}" for number in range(400)), version="v2"))
    row = described(embedded(MACBETH, "new queen", version="v2"), card("New card"))
    SqlitePassageIndex(sys.argv[1], MODEL, DIMENSION).replace(MACBETH, passages, row, vector(1.0))
