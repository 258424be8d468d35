"""Reading permissions: the only place that builds a search's filter from a user."""

from __future__ import annotations

from cicada.documents.filter import Condition, PassageFilter
from cicada.documents.model import KnowledgeBaseKey
from cicada.identity.principal import Principal


def readable_passages(
    principal: Principal, knowledge_base: str, conditions: tuple[Condition, ...] = ()
) -> PassageFilter:
    """The passages of a knowledge base of the user's tenant that the user may read and that meet all conditions.

    A passage that names readers must name this user or one of the user's groups.
    """
    base_key = KnowledgeBaseKey(principal.tenant, knowledge_base)
    return PassageFilter(base_key, conditions=conditions, reader=reader_names(principal))


def every_document(base_key: KnowledgeBaseKey, conditions: tuple[Condition, ...] = ()) -> PassageFilter:
    """The documents of a knowledge base, whoever may read them.

    For operators, who have the bucket too, for the cards of documents, which show a user nothing of another one, and
    for the number of documents in an index, which nobody is told.
    """
    return PassageFilter(base_key, conditions=conditions, reader=None)


def common_to_readers(base_key: KnowledgeBaseKey, readers: tuple[str, ...]) -> PassageFilter:
    """What everybody may read who may read a document with these readers: what is made of it shows nothing else.

    Of several readers no other document is known that all of them may read, but those for everybody.
    """
    return PassageFilter(base_key, reader=frozenset(readers if len(readers) == 1 else ()))


def reader_names(principal: Principal) -> frozenset[str]:
    """The names by which passages name this user as a reader."""
    return frozenset({f"user:{principal.user}", *(f"group:{name}" for name in principal.groups)})
