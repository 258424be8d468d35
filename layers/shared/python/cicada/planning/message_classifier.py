"""How a message is classified, by what its knowledge base holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.planning.classifier import classify
from cicada.planning.documents import classify_for_documents
from cicada.planning.model import Classification
from cicada.planning.rule_book import RuleBook
from cicada.planning.rules import load_rules


@dataclass(frozen=True, slots=True)
class MessageClassifier:
    """Tells small talk, questions about documents, and requests on profiles and theories apart."""

    bases: KnowledgeBases
    rules: RuleBook = field(default_factory=load_rules)

    def classify(self, message: str, knowledge_base: str) -> Classification:
        """Scripts are of stories, which profiles and theories are about; other documents only ever get questions."""
        by = classify if self.bases.of(knowledge_base).holds == "scripts" else classify_for_documents
        return by(message, self.rules)
