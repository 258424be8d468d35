"""Both retrievers of a search: vectors and word counts in the first request, words in the second."""

from __future__ import annotations

import logging

from msgspec import Struct

from cicada.adapters.opensearch.client import TooManyClauses
from cicada.adapters.opensearch.lexical import Idfs, LexicalSearch
from cicada.adapters.opensearch.queries import Body
from cicada.adapters.opensearch.requests import Requests
from cicada.adapters.opensearch.staleness import Hits
from cicada.adapters.opensearch.waiting import Say

logger = logging.getLogger(__name__)


class Retrievers(Struct, frozen=True):
    """`nearest`: the body of the kNN search. `words`: None for a text without words."""

    requests: Requests
    index: str
    nearest: Body | None
    words: LexicalSearch | None

    def hits(self, refused: Say) -> list[Hits]:
        """Of words, with BM25 as the score, and of vectors. `refused`: see `Requests.searches`."""
        bodies = {"nearest": self.nearest, "statistics": self.words.statistics_body() if self.words else None}
        asked = {name: body for name, body in bodies.items() if body}
        if not asked:
            return [[], []]
        found = dict(zip(asked, self.requests.searches(self.index, list(asked.values()), refused), strict=True))
        semantic = found["nearest"]["hits"]["hits"] if "nearest" in found else []
        idfs = self.words.idfs(found["statistics"]) if self.words else {}
        return [self._lexical(self.words, idfs, refused) if self.words and idfs else [], semantic]

    def _lexical(self, words: LexicalSearch, idfs: Idfs, refused: Say) -> Hits:
        """No hits if the question has more words than the server accepts; a retry would not help."""
        try:
            [found] = self.requests.searches(self.index, [words.candidates_body(idfs)], refused)
        except TooManyClauses:
            if self.nearest is None:
                raise
            logger.warning("A question has more words than the search index takes: vectors alone answer it")
            return []
        return [*words.scored(found["hits"]["hits"], idfs)]
