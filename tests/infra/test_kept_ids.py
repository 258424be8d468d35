"""What holds data, and what has a name, keeps its id in the template.

Under another id CloudFormation makes another resource before it deletes the old one: an empty one instead of the data,
and for one with a name an update that fails, because the name is taken.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html

`python -m tests.infra.test_kept_ids` stores the ids of what has a name, after something with a name is added.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.infra.deployed import Deployed, deployed

NAMED = Path(__file__).with_name("named_ids.json")
_NAMES = ("AgentName", "AlarmName", "DashboardName", "FunctionName", "LogGroupName", "Name", "QueueName", "TopicName")

KINDS = (
    "AWS::ApiGatewayV2::Api",
    "AWS::Cognito::UserPool",
    "AWS::Cognito::UserPoolClient",
    "AWS::DynamoDB::GlobalTable",
    "AWS::OpenSearchServerless::Collection",
    "AWS::S3::Bucket",
    "AWS::SQS::Queue",
)
KEPT = {
    "ConversationWebSocketApi05C623EF",
    "IdentityUsers61009EFD",
    "IdentityUsersChat774A7E2E",
    "IngestDocumentsBucket551D14AF",
    "IngestDocumentsChanges0E6E28B2",
    "IngestDocumentsDeadLetters0A823EBC",
    "RequestQueueDeadLetters67DE61DF",
    "RequestQueueRequests279D70D2",
    "SearchCollectionDFFB7B0E",
    "TablesConnectionsF6D675B1",
    "TablesEntriesB4C203C1",
    "TablesReaders95262459",
    "TablesRequests3CA232D6",
}


def test_what_holds_data_keeps_its_id() -> None:
    # The page's bucket holds what each deployment writes again.
    assert {id for id, _ in deployed("prod").of_kind(*KINDS) if not id.startswith("Page")} == KEPT


def named(stage: Deployed) -> dict[str, str]:
    """Ids by kind and name, the name without that of the stage."""
    prefix = stage.environment("authorizer")["CICADA_STAGE"]
    return {
        f"{resource['Type']} {name.replace(prefix, 'cicada')}": id
        for id, resource in sorted(stage.resources.items())
        for property in _NAMES
        if isinstance(name := resource.get("Properties", {}).get(property), str) and prefix in name
    }


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_what_has_a_name_keeps_its_id(stage: str) -> None:
    assert named(deployed(stage, "bedrock")) == json.loads(NAMED.read_text("utf-8"))


if __name__ == "__main__":
    found = named(deployed("dev", agents="bedrock"))
    NAMED.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
