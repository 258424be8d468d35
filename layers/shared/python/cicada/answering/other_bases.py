"""Which other knowledge bases may answer a message, by their own words."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from cicada.identity import Principal
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.languages.terms import words
from cicada.permissions import base_of, permitted_bases, readable_passages
from cicada.retrieval.ports import PassageIndex
from cicada.retrieval.quality import content_words, stem

_LEAST_KNOWN = 0.75
_MOST_BASES, _MOST_WORDS, _LEAST_WORDS = 2, 12, 2


class OtherBases(Struct, frozen=True):
    """Looks up a message's words in the passages that the user may read and in the schemas. Nothing is searched for."""

    index: PassageIndex
    bases: KnowledgeBases

    def knowing(self, message: str, asked: str, principal: Principal) -> list[str]:
        """The named bases that the user may ask and that have most of the message's words, the most of them first.

        A base has more of them than the one that was asked, or all. Failures are `DependencyError`s.
        """
        if len(own_words(message, base_of(self.bases, principal, asked))) < _LEAST_WORDS:
            return []  # One common word says nothing of a base.
        others = {name: each for name, each in permitted_bases(self.bases, principal).items() if name != asked}
        shares = {name: self._share(message, each, principal) for name, each in others.items()}
        known = [name for name, share in shares.items() if share >= _LEAST_KNOWN]
        if any(shares[name] < 1 for name in known):
            least = self._share(message, base_of(self.bases, principal, asked), principal)
            known = [name for name in known if shares[name] == 1 or shares[name] > least]
        return sorted(known, key=lambda name: -shares[name])[:_MOST_BASES]

    def has_words(self, message: str, knowledge_base: str, principal: Principal) -> bool:
        """Whether the base has most words of a message that has several."""
        base = base_of(self.bases, principal, knowledge_base)
        return len(own_words(message, base)) > 1 and self._share(message, base, principal) >= _LEAST_KNOWN

    def _share(self, message: str, base: KnowledgeBase, principal: Principal) -> float:
        """The share of the message's words that the base has."""
        asked = own_words(message, base)
        if not asked:
            return 0.0
        schema = _schema_stems(base.schema)
        unknown = [word for word in asked if stem(word) not in schema]
        found = self.index.passages_with(readable_passages(principal, base.name), unknown) if unknown else {}
        return 1 - sum(not found.get(word) for word in unknown) / len(asked)


def own_words(message: str, base: KnowledgeBase) -> Sequence[str]:
    """The words of a message that say what it is about, without numbers."""
    telling = frozenset(content_words(message, base.content_language or "en"))
    found = dict.fromkeys(word for word in words(message) if stem(word) in telling and not word.isdecimal())
    return list(found)[:_MOST_WORDS]


def _schema_stems(schema: Schema) -> frozenset[str]:
    """The words of the values, their synonyms, and what a record is called."""
    texts = [*schema.items]
    for field in schema.fields.values():
        texts += [*field.values, *(each for synonyms in field.synonyms.values() for each in synonyms)]
    return frozenset(stem(word) for text in texts for word in words(text))
