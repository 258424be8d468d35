"""Answer with the documents about a subject: a search finds them, and they are listed as others are, best first."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.listing import ListingAnswerer
from cicada.answering.matches import documents_about
from cicada.answering.parts import AnswerPart, Finished, Listed, Progress
from cicada.conversation.model import Question
from cicada.identity import Principal
from cicada.observability.telemetry import phase
from cicada.permissions import readable_passages
from cicada.retrieval.search import BELOW_THRESHOLD, KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, FILTERED
from cicada.understanding.last_answer import listed_page
from cicada.understanding.plan import Plan


class SubjectListing(Struct, frozen=True):
    """What a search finds of a subject is never all that there is: the answer says that it was found."""

    search: KnowledgeSearch
    listings: ListingAnswerer

    def answer(
        self, plan: Plan, question: Question, principal: Principal, documents: frozenset[str] | None = None
    ) -> Iterator[AnswerPart]:
        """The documents, then sentences about them. Failures are `DependencyError`s, never an empty list.

        `documents`: the ids of those that count, None for all.
        """
        yield Progress("searching")
        readable = readable_passages(principal, plan.knowledge_base, (*question.scope, *plan.filters), documents)
        strategy = FILTERED if readable.conditions or documents is not None else DEFAULT
        with phase("searching"):
            found = self.search.search(plan.search_value, readable, strategy, plan.key_concepts)
        about = documents_about(plan.search_value, found.ranked)
        # All that was found is looked at, whatever is too weak to answer a question from.
        steps = (
            *(each for each in found.path if each != BELOW_THRESHOLD),
            f"subject:{len(about)}/{len(found.documents)}",
        )
        page = listed_page(plan, question.knowledge_base)
        for part in self.listings.about(plan, readable, principal, about):
            if isinstance(part, Listed) and page:
                page = replace(page, documents=tuple(row.document.document_id for row in part.rows))
            yield replace(part, path=(*steps, *part.path), listing=page) if isinstance(part, Finished) else part
