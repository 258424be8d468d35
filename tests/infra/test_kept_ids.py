"""What holds data keeps its id in the template: under another id, CloudFormation makes another, empty resource."""

from __future__ import annotations

from tests.infra.deployed import deployed

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
    "TablesRequests3CA232D6",
}


def test_what_holds_data_keeps_its_id() -> None:
    # The page's bucket holds what each deployment writes again.
    assert {id for id, _ in deployed("prod").of_kind(*KINDS) if not id.startswith("Page")} == KEPT
