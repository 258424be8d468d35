"""Other queries for a question whose evidence was weak, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.languages.terms import words
from cicada.retrieval.quality.content_words import content_words, is_named, stem

# Words added from the schema at most; more would bury the user's own.
_ADDED_WORDS = 8
_STRONG_LETTERS = 5


class WordRewriter(Struct, frozen=True):
    """First the content words with the schema's synonyms for them, then the names and long words among them."""

    def rewrite(self, question: str, tried: Sequence[str], base: KnowledgeBase) -> str | None:
        before = {tuple(words(each)) for each in tried}
        for query in self._queries(question, base):
            if query and tuple(words(query)) not in before:
                return query
        return None

    def _queries(self, question: str, base: KnowledgeBase) -> Iterator[str]:
        kept = _content(question, base.content_language or "en")
        synonyms = _synonyms(question, base.schema)
        yield " ".join([*kept, *synonyms])
        strong = [word for word in kept if is_named(word) or len(word) >= _STRONG_LETTERS]
        yield " ".join([*strong, *synonyms])


def _content(question: str, language: str) -> list[str]:
    """The question's content words as they were written, each once."""
    left = list(content_words(question, language))
    found = []
    for word in question.replace("’", "'").split():
        bare = word.strip(".,;:!?\"'()[]{}“”„«»…").removesuffix("'s")
        stems = [stem(each) for each in words(bare)]
        if any(each in left for each in stems):
            left = [each for each in left if each not in stems]
            found.append(bare)
    return found


def _synonyms(question: str, schema: Schema) -> list[str]:
    """Other words for the values and fields that the question names, in the schema's order."""
    said = f" {' '.join(words(question))} "
    found: list[str] = []
    for group in _groups(schema):
        if any(f" {' '.join(words(each))} " in said for each in group):
            found += [each for each in group if f" {' '.join(words(each))} " not in said]
    return list(dict.fromkeys(found))[:_ADDED_WORDS]


def _groups(schema: Schema) -> Iterator[tuple[str, ...]]:
    """Words of one meaning."""
    for each in schema.fields.values():
        for value, others in each.synonyms.items():
            yield (value, *others)
