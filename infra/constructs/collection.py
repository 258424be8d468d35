"""The OpenSearch Serverless collection, on AWS stages."""

from __future__ import annotations

import json

from aws_cdk import Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_opensearchserverless as aoss
from constructs import Construct

from infra.constructs.data_key import DataKey
from infra.constructs.function import allow
from infra.settings import StageSettings

# Permissions of data access policies, on indices and on the collection's aliases. What each allows:
# https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-genref.html
READING = (("CreateIndex", "DescribeIndex", "ReadDocument"), ("CreateCollectionItems",))
WRITING = (
    ("CreateIndex", "DeleteIndex", "DescribeIndex", "ReadDocument", "WriteDocument"),
    ("CreateCollectionItems", "DeleteCollectionItems", "DescribeCollectionItems"),
)


class Collection(Construct):
    """A vector-search collection of the NextGen generation, which scales to zero when idle.

    Its index is not part of the template: the first function that needs it creates it. CloudFormation can give an index
    no alias, its role would need a data access policy of its own, and a rebuild replaces the index. The limits of
    capacity units bound the cost; they are the group's own, and the account's do not count.

    `endpoint`: the VPC endpoint from which alone it is reached, empty for anywhere.
    """

    def __init__(
        self, scope: Construct, id: str, *, settings: StageSettings, key: DataKey | None, endpoint: str = ""
    ) -> None:
        super().__init__(scope, id)
        self.name = settings.collection_name
        self._stage = settings.prefix
        self._key = key
        self._endpoint = endpoint
        group = self._group(settings)
        self._collection = aoss.CfnCollection(
            self,
            "Collection",
            name=self.name,
            type="VECTORSEARCH",
            collection_group_name=group.name,
            standby_replicas=group.standby_replicas,
            encryption_config=_encryption(key),
        )
        for needed in (group, *self._security_policies()):
            self._collection.add_resource_dependency(needed)

    def _group(self, settings: StageSettings) -> aoss.CfnCollectionGroup:
        return aoss.CfnCollectionGroup(
            self,
            "Group",
            name=self._stage,
            generation="NEXTGEN",
            # NextGen refuses groups without them, and scales to zero with them (docs/aws.md).
            standby_replicas="ENABLED",
            capacity_limits=aoss.CfnCollectionGroup.CapacityLimitsProperty(
                max_indexing_capacity_in_ocu=settings.indexing_units,
                max_search_capacity_in_ocu=settings.search_units,
                min_search_capacity_in_ocu=settings.warm_search_units,
            ),
        )

    def _security_policies(self) -> list[aoss.CfnSecurityPolicy]:
        """The policies that the collection needs first. Wherever it is reached from, IAM decides on access."""
        covered = {"ResourceType": "collection", "Resource": [f"collection/{self.name}"]}
        encryption = {"AWSOwnedKey": False, "KmsARN": self._key.arn} if self._key else {"AWSOwnedKey": True}
        alone = {"AllowFromPublic": False, "SourceVPCEs": [self._endpoint]}
        reached: dict[str, object] = alone if self._endpoint else {"AllowFromPublic": True}
        policies: dict[str, object] = {
            "encryption": {"Rules": [covered], **encryption},
            "network": [{"Rules": [covered], **reached}],
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
        """Let the function search, and create the index if it is the first."""
        self._grant(function, *READING)

    def grant_write(self, function: lambda_.Function) -> None:
        """Let the function search, change documents, and replace the live index by a new one."""
        self._grant(function, *WRITING)

    def _grant(self, function: lambda_.Function, on_indices: tuple[str, ...], on_aliases: tuple[str, ...]) -> None:
        """Both an IAM permission and a data access policy are needed."""
        allow(function, ["aoss:APIAccessAll"], self._collection.attr_arn)
        rules = [
            _rule("index", f"index/{self.name}/*", on_indices),
            _rule("collection", f"collection/{self.name}", on_aliases),
        ]
        policy = Stack.of(self).to_json_string([{"Rules": rules, "Principal": [_role_arn(function)]}])
        id = function.node.id
        aoss.CfnAccessPolicy(self, f"{id}Data", name=f"{self._stage}-{id.lower()}"[:32], type="data", policy=policy)


def _encryption(key: DataKey | None) -> aoss.CfnCollection.EncryptionConfigProperty | None:
    """The policy says the same, but a policy that changes leaves a collection with the key that it has, silently.

    Here another key is another collection, and CloudFormation replaces none under the same name: the data stays.
    https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-encryption.html
    """
    return aoss.CfnCollection.EncryptionConfigProperty(kms_key_arn=key.arn) if key else None


def _rule(kind: str, resource: str, permissions: tuple[str, ...]) -> dict[str, object]:
    return {"ResourceType": kind, "Resource": [resource], "Permission": [f"aoss:{name}" for name in permissions]}


def _role_arn(function: lambda_.Function) -> str:
    if function.role is None:
        raise ValueError(f"{function.node.path} has no role.")
    return function.role.role_arn
