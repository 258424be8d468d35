"""The search: a collection on AWS, an embedded index or a given server on the local stage."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Aws
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.collection import Collection
from infra.constructs.data_key import DataKey
from infra.constructs.function import allow
from infra.constructs.models import Models, foundation_model_arn
from infra.constructs.private_access import PrivateAccess
from infra.settings import StageSettings


class Search(Construct):
    """What functions need of the search, with the grants that allow it.

    `environment`: a function's settings for the index. `query_environment`: those for searching it.
    """

    def __init__(
        self, scope: Construct, id: str, *, settings: StageSettings, models: Models, key: DataKey | None
    ) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self._models = models
        network = settings.network
        self._access = PrivateAccess(self, "Access", settings=settings, network=network) if network else None
        self._collection = (
            None
            if settings.local
            else Collection(
                self, "Collection", settings=settings, key=key, endpoint=self._access.endpoint if self._access else ""
            )
        )

    @property
    def environment(self) -> dict[str, str]:
        embedding = {
            "embedding_model_id": self._settings.embedding_model_id,
            "embedding_dimension": str(self._settings.embedding_dimension),
        }
        local = self._settings.local
        if local:
            return embedding | {
                "search_engine": local.search_engine,
                "index_path": local.index_path,
                "opensearch_url": local.opensearch_url,
            }
        return embedding | {
            "search_engine": "opensearch",
            "opensearch_url": self._collection.endpoint if self._collection else "",
            "opensearch_region": Aws.REGION,
            "opensearch_vector_engine": "",
            "opensearch_vector_compression": self._settings.vector_compression,
        }

    @property
    def query_environment(self) -> dict[str, str]:
        models = [foundation_model_arn(model_id) for model_id in self._settings.rerank_model_ids]
        return self.environment | {"rerank_models": ",".join(models), "query_model_id": self._settings.query_model_id}

    def grant_read(self, function: lambda_.Function) -> None:
        """Let the function translate a question, embed it, search, and rerank."""
        self.grant_look_up(function)
        self._grant_embedding(function)
        self._grant_models(function, [self._settings.query_model_id])
        if self._settings.rerank_model_ids:
            self._grant_reranking(function)

    def grant_look_up(self, function: lambda_.Function) -> None:
        """Let the function read the index, and call no model."""
        if self._collection:
            self._collection.grant_read(function)
        if self._access:
            self._access.join(function)

    def grant_write(self, function: lambda_.Function) -> None:
        """Let the function embed passages and index them."""
        self._grant_embedding(function)
        if self._collection:
            self._collection.grant_write(function)
        if self._access:
            self._access.join(function)

    def _grant_embedding(self, function: lambda_.Function) -> None:
        self._grant_models(function, [self._settings.embedding_model_id])

    def _grant_reranking(self, function: lambda_.Function) -> None:
        """The Rerank action has no resources, so it is restricted by the models that may be invoked."""
        self._grant_models(function, self._settings.rerank_model_ids)
        allow(function, ["bedrock:Rerank"], "*")

    def _grant_models(self, function: lambda_.Function, model_ids: Sequence[str]) -> None:
        self._models.allow(function, ["bedrock:InvokeModel"], model_ids)
