"""Where passages are searched: a collection on AWS, an embedded index or a given server on the local stage."""

from __future__ import annotations

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.collection import Collection
from infra.constructs.models import model_arns
from infra.settings import StageSettings


class Search(Construct):
    """`environment` is what a function needs to search; the grants let it."""

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self._collection = None if settings.local else Collection(self, "Collection", settings=settings)

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
        }

    def grant_read(self, function: lambda_.Function) -> None:
        """Let the function embed a question and search."""
        self._grant_embedding(function)
        if self._collection:
            self._collection.grant_read(function)

    def grant_write(self, function: lambda_.Function) -> None:
        """Let the function embed passages and index them."""
        self._grant_embedding(function)
        if self._collection:
            self._collection.grant_write(function)

    def _grant_embedding(self, function: lambda_.Function) -> None:
        models = model_arns(self._settings.embedding_model_id)
        function.add_to_role_policy(iam.PolicyStatement(actions=["bedrock:InvokeModel"], resources=models))
