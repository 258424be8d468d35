"""The OpenSearch Serverless collection, on AWS stages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aws_cdk import DefaultStackSynthesizer, Fn, RemovalPolicy, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_opensearchserverless as aoss
from constructs import Construct

from infra.constructs.function import allow
from infra.settings import StageSettings

_LIBRARY = Path(__file__).resolve().parents[2] / "layers" / "shared" / "python" / "cicada"
# The library's definition of its index.
_MAPPING = _LIBRARY / "adapters" / "opensearch" / "mapping.json"
_INDEX = _LIBRARY / "adapters" / "opensearch" / "index.json"


class Collection(Construct):
    """A vector-search collection of the NextGen generation, which scales to zero when idle, and its index.

    The limit of capacity units bounds its cost.
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        self.name = settings.prefix
        self.index_name = _index_name(settings)
        group = aoss.CfnCollectionGroup(
            self,
            "Group",
            name=self.name,
            generation="NEXTGEN",
            # NextGen refuses groups without them, and scales to zero with them (docs/aws.md).
            standby_replicas="ENABLED",
            capacity_limits=aoss.CfnCollectionGroup.CapacityLimitsProperty(
                max_indexing_capacity_in_ocu=4, max_search_capacity_in_ocu=4
            ),
        )
        self._collection = aoss.CfnCollection(
            self,
            "Collection",
            name=self.name,
            type="VECTORSEARCH",
            collection_group_name=group.name,
            standby_replicas=group.standby_replicas,
        )
        for needed in (group, *self._security_policies()):
            self._collection.add_resource_dependency(needed)
        self._index = aoss.CfnIndex(
            self,
            "Index",
            collection_endpoint=self.endpoint,
            index_name=self.index_name,
            mappings=_mappings(settings),
            settings=aoss.CfnIndex.IndexSettingsProperty(index=aoss.CfnIndex.IndexProperty(knn=True)),
        )
        # A rebuild replaces the index by another one, with an alias of the old name.
        self._index.apply_removal_policy(RemovalPolicy.RETAIN)
        deployer = ["aoss:CreateIndex", "aoss:DescribeIndex", "aoss:UpdateIndex", "aoss:DeleteIndex"]
        self._index.add_resource_dependency(self._data_policy("Deployer", _deployer(), deployer))

    def _security_policies(self) -> list[aoss.CfnSecurityPolicy]:
        """The policies that the collection needs first. It is reachable from outside a VPC: IAM decides on access."""
        covered = {"ResourceType": "collection", "Resource": [f"collection/{self.name}"]}
        policies: dict[str, object] = {
            "encryption": {"Rules": [covered], "AWSOwnedKey": True},
            "network": [{"Rules": [covered], "AllowFromPublic": True}],
        }
        return [
            aoss.CfnSecurityPolicy(self, kind.capitalize(), name=self.name, type=kind, policy=json.dumps(policy))
            for kind, policy in policies.items()
        ]

    @property
    def endpoint(self) -> str:
        """The collection's address."""
        return self._collection.attr_collection_endpoint

    def grant_read(self, function: lambda_.Function) -> None:
        """Let the function search."""
        self._grant(function, ["aoss:DescribeIndex", "aoss:ReadDocument"])

    def grant_write(self, function: lambda_.Function) -> None:
        """Let the function search, change documents, and replace the live index by a new one."""
        documents = ["aoss:ReadDocument", "aoss:WriteDocument"]
        indices = [f"aoss:{verb}Index" for verb in ("Create", "Delete", "Describe", "Update")]
        aliases = [f"aoss:{verb}CollectionItems" for verb in ("Create", "Delete", "Describe", "Update")]
        self._grant(function, [*indices, *documents], aliases)

    def _grant(self, function: lambda_.Function, permissions: list[str], on_aliases: Sequence[str] = ()) -> None:
        """Both an IAM permission and a data policy are needed."""
        allow(function, ["aoss:APIAccessAll"], self._collection.attr_arn)
        self._data_policy(function.node.id, _role_arn(function), permissions, on_aliases)

    def _data_policy(
        self, id: str, principal: str, permissions: list[str], on_aliases: Sequence[str] = ()
    ) -> aoss.CfnAccessPolicy:
        rules = [{"ResourceType": "index", "Resource": [f"index/{self.name}/*"], "Permission": permissions}]
        if on_aliases:
            resource = [f"collection/{self.name}"]
            rules.append({"ResourceType": "collection", "Resource": resource, "Permission": list(on_aliases)})
        policy = Stack.of(self).to_json_string([{"Rules": rules, "Principal": [principal]}])
        return aoss.CfnAccessPolicy(
            self, f"{id}Data", name=f"{self.name}-{id.lower()}"[:32], type="data", policy=policy
        )


def _role_arn(function: lambda_.Function) -> str:
    if function.role is None:
        raise ValueError(f"{function.node.path} has no role.")
    return function.role.role_arn


def _deployer() -> str:
    """CloudFormation's role of the CDK bootstrap stack, which creates the index."""
    return Fn.sub(
        "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/"
        "cdk-${qualifier}-cfn-exec-role-${AWS::AccountId}-${AWS::Region}",
        {"qualifier": DefaultStackSynthesizer.DEFAULT_QUALIFIER},
    )


def _index_name(settings: StageSettings) -> str:
    """The index's name, as the library makes it: each embedder has its own index."""
    form = json.loads(_INDEX.read_text("utf-8"))
    model = re.sub(form["replaced_by_hyphen"], "-", settings.embedding_model_id.lower()).strip("-")
    return str(form["name"].format(model=model, dimension=settings.embedding_dimension))


def _mappings(settings: StageSettings) -> aoss.CfnIndex.MappingsProperty:
    """The library's mapping with vectors of the size of this stage's embedder; the service chooses the k-NN engine."""
    fields: dict[str, dict[str, Any]] = json.loads(_MAPPING.read_text("utf-8"))
    properties = {name: aoss.CfnIndex.PropertyMappingProperty(**field) for name, field in fields.items()}
    form = json.loads(_INDEX.read_text("utf-8"))
    vector = aoss.CfnIndex.PropertyMappingProperty(
        type="knn_vector",
        dimension=settings.embedding_dimension,
        method=aoss.CfnIndex.MethodProperty(**form["vector_method"]),
    )
    return aoss.CfnIndex.MappingsProperty(properties={**properties, **dict.fromkeys(form["vectors"], vector)})
