"""Reranking over Bedrock's Rerank: Cohere Rerank 3.5, Amazon Rerank 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import bedrock_errors
from cicada.documents.model import Passage
from cicada.errors import UnavailableError
from cicada.retrieval.model import Candidate, EncodedQuery, RankedPassage, Ranking

if TYPE_CHECKING:
    from mypy_boto3_bedrock_agent_runtime import AgentsforBedrockRuntimeClient
    from mypy_boto3_bedrock_agent_runtime.type_defs import RerankRequestTypeDef

# One billed query covers 100 documents of up to 500 tokens each, including the question's: about 2,000 characters of
# English. The service takes up to 1,000 documents of 32,000 characters and bills them as more queries.
# https://aws.amazon.com/bedrock/pricing/, https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html
BILLED_DOCUMENTS = 100
BILLED_CHARACTERS = 2_000


class BedrockReranker:
    """One call of the model behind `model_arn` for the first 100 candidates; the others are left out.

    `name` is shown in the answer's path. It does not retry: the fallback reranks instead.
    """

    def __init__(self, client: AgentsforBedrockRuntimeClient, model_arn: str, name: str) -> None:
        self._client = client
        self._model_arn = model_arn
        self._name = name

    def rerank(self, query: EncodedQuery, candidates: Sequence[Candidate]) -> Ranking:
        passages = [each.passage for each in candidates[:BILLED_DOCUMENTS]]
        if not passages:
            return Ranking((), self._name)
        scores = self._scores(self._request(query.text, passages))
        if not scores or not {index for index, _ in scores} <= set(range(len(passages))):
            raise UnavailableError("The reranking model's reply is empty, or names a document that it was not given.")
        best = sorted(dict(scores).items(), key=lambda score: (-score[1], score[0]))
        return Ranking(
            tuple(RankedPassage(passages[index], min(1.0, max(0.0, relevance))) for index, relevance in best),
            self._name,
        )

    def _request(self, text: str, passages: Sequence[Passage]) -> RerankRequestTypeDef:
        return {
            "queries": [{"type": "TEXT", "textQuery": {"text": text[:BILLED_CHARACTERS]}}],
            "sources": [
                {
                    "type": "INLINE",
                    "inlineDocumentSource": {"type": "TEXT", "textDocument": {"text": _document(passage)}},
                }
                for passage in passages
            ],
            "rerankingConfiguration": {
                "type": "BEDROCK_RERANKING_MODEL",
                "bedrockRerankingConfiguration": {
                    "modelConfiguration": {"modelArn": self._model_arn},
                    "numberOfResults": len(passages),
                },
            },
        }

    def _scores(self, request: RerankRequestTypeDef) -> list[tuple[int, float]]:
        """Indices in the request with their relevance."""
        with bedrock_errors():
            reply = self._client.rerank(**request)
        try:
            return [(int(result["index"]), float(result["relevanceScore"])) for result in reply["results"]]
        except (KeyError, TypeError, ValueError) as error:
            raise UnavailableError("The reranking model's reply has an unknown form.") from error


def _document(passage: Passage) -> str:
    """The passage as sent to the model: its context, then its text."""
    return f"{passage.context}\n{passage.text}".strip()[:BILLED_CHARACTERS] or passage.title or passage.passage_id
