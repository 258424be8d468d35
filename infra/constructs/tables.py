"""The DynamoDB tables."""

from __future__ import annotations

from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.constructs.retention import when_protected
from infra.settings import StageSettings

HISTORY_INDEX = "history"
NOTED_INDEX = "noted"
OWNERS_INDEX = "owners"


class Tables(Construct):
    """The tables of a stage. `requests`: the request log. `connections`: each connection's principal.

    `entries`: the users' profiles and theories. `access_lists`: who may read which document, asked before an excerpt is
    shown again, and the settings and fields of knowledge bases.
    """

    def __init__(self, scope: Construct, id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self.requests = self._table("Requests", sorted_by="sk")
        self.requests.add_global_secondary_index(
            index_name=HISTORY_INDEX,
            partition_key=dynamodb.Attribute(name="historyKey", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="historyOrder", type=dynamodb.AttributeType.NUMBER),
            # No event updates these attributes, so the index is written once for each request.
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=["title", "expiresAt"],
        )
        # Only the heads of requests that were rated or have failed have this key, so no other answer costs a write.
        self.requests.add_global_secondary_index(
            index_name=NOTED_INDEX,
            partition_key=dynamodb.Attribute(name="notedFor", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="createdAt", type=dynamodb.AttributeType.NUMBER),
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=["status", "failure", "feedback", "knowledgeBase", "expiresAt"],
        )
        self.connections = self._table("Connections", sorted_by=None)
        self.connections.add_global_secondary_index(
            index_name=OWNERS_INDEX,
            partition_key=dynamodb.Attribute(name="owner", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="connectedAt", type=dynamodb.AttributeType.NUMBER),
        )
        self.entries = self._table("Entries", sorted_by="sk")
        self.access_lists = self._table("Readers", sorted_by=None, expires=False)

    @property
    def outputs(self) -> dict[str, str]:
        """The tables that operators' commands read."""
        return {
            "ConnectionsTable": self.connections.table_name,
            "RequestsTable": self.requests.table_name,
            "EntriesTable": self.entries.table_name,
            "ReadersTable": self.access_lists.table_name,
        }

    def _table(self, id: str, *, sorted_by: str | None, expires: bool = True) -> dynamodb.TableV2:
        kept = self._settings.retain_data
        return dynamodb.TableV2(
            self,
            id,
            # A table that is kept keeps its name, which a later deployment could not use.
            table_name=None if kept else f"{self._settings.prefix}-{id.lower()}",
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name=sorted_by, type=dynamodb.AttributeType.STRING) if sorted_by else None,
            time_to_live_attribute="expiresAt" if expires else None,
            billing=dynamodb.Billing.on_demand(),
            encryption=dynamodb.TableEncryptionV2.aws_managed_key(),
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=kept
            ),
            deletion_protection=self._settings.protect_data,
            removal_policy=when_protected(self._settings),
        )
