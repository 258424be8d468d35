"""What document routing needs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cicada.documents.catalogue import DocumentRow


class CardRanker(Protocol):
    """Puts documents into order by their cards, which is all that it sees of them."""

    def rank(self, question: str, rows: Sequence[DocumentRow]) -> tuple[str, ...]:
        """The ids of those documents that the question is about, best first; the others are left out.

        Empty if the model said nothing of use. Failures are `DependencyError`s or a `ConfigurationError`.
        """
        ...
