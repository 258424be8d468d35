"""The order that a model gives, put into a routing."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.document_routing.model import RoutedDocument
from cicada.documents.catalogue import DocumentRow


def ranked_by(
    documents: Sequence[RoutedDocument], order: Sequence[str], shown: Sequence[DocumentRow]
) -> tuple[RoutedDocument, ...]:
    """First what the model named of the documents that it was shown, in its order; then all others in theirs."""
    by_id = {each.document.document_id: each for each in documents}
    known = {row.document.document_id for row in shown}
    named = list(dict.fromkeys(each for each in order if each in known))
    rest = [each for each in documents if each.document.document_id not in set(named)]
    return (*(by_id[each] for each in named), *rest)
