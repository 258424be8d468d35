"""The parts of a stage know each other: variables, routes and outputs lead where their names say."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import fields

from cicada.settings import AuditSettings, MetricSettings
from infra.routes import ROUTES
from tests.infra.deployed import Deployed, deployed
from tests.infra.test_templates import AUDITED, SETTINGS

STAGES = (("local", "converse"), ("dev", "converse"), ("prod", "converse"), ("dev", "bedrock"))
API = "https://{api}.execute-api.us-east-1.amazonaws.com/v1"
LOCAL_API = "http://127.0.0.1:4566/_aws/execute-api/{api}/v1"
# What only some of the functions that could read it need: a take-over is queued where requests are resumed.
NOT_EVERYWHERE = {
    "CICADA_LEASE_SECONDS": {"message-processor", "ws-message", "ws-resume"},
    "CICADA_RETENTION_SECONDS": {"ws-message"},
    "CICADA_RERANK_MODELS": {"message-processor", "agent-theories"},
    "CICADA_QUERY_MODEL_ID": {"message-processor", "agent-theories"},
}
# https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-logging.html
HARMLESS = {"requestId", "connectionId", "eventType", "routeKey", "status", "error.message"}


@pytest.fixture(params=STAGES, ids=" ".join)
def stage(request: pytest.FixtureRequest) -> Deployed:
    return deployed(*request.param)


def is_local(stage: Deployed) -> bool:
    return stage is deployed("local", "converse")


def documents_bucket(stage: Deployed) -> str:
    [id] = [id for id, _ in stage.of_kind("AWS::S3::Bucket") if not id.startswith("Page")]
    return id


def audit_log(stage: Deployed) -> str:
    [id] = [id for id, _ in stage.of_kind("AWS::Logs::LogGroup") if id.startswith("Audit")]
    return id


def places(stage: Deployed) -> dict[str, str]:
    """Where each variable that names a part of the stage leads."""
    pool, client = stage.id_of("AWS::Cognito::UserPool"), stage.id_of("AWS::Cognito::UserPoolClient")
    requests, dead_letters = (stage.text({"Ref": id}) for id in stage.queues_of("message-processor"))
    issuer = f"https://cognito-idp.us-east-1.amazonaws.com/{pool}"
    keys = f"http://127.0.0.1:4566/{pool}" if is_local(stage) else issuer
    api = stage.id_of("AWS::ApiGatewayV2::Api")
    tables = stage.tables()
    return {
        "CICADA_REQUESTS_TABLE": tables["requests"],
        "CICADA_CONNECTIONS_TABLE": tables["connections"],
        "CICADA_ENTRIES_TABLE": tables["entries"],
        "CICADA_READERS_TABLE": tables["readers"],
        "CICADA_REQUESTS_QUEUE_URL": requests,
        "CICADA_DEAD_LETTER_QUEUE_URL": dead_letters,
        "CICADA_DOCUMENTS_BUCKET": documents_bucket(stage),
        "CICADA_AUDIT_LOG_GROUP": audit_log(stage),
        "CICADA_CALLBACK_URL": (LOCAL_API if is_local(stage) else API).format(api=api),
        "CICADA_USER_POOL_ID": pool,
        "CICADA_TOKEN_ISSUER": issuer,
        "CICADA_TOKEN_CLIENT_ID": client,
        "CICADA_TOKEN_KEYS_URL": f"{keys}/.well-known/jwks.json",
        **search_places(stage),
        **agent_places(stage),
    }


def search_places(stage: Deployed) -> dict[str, str]:
    if is_local(stage):
        return {"CICADA_SEARCH_ENGINE": "embedded", "CICADA_OPENSEARCH_URL": "", "CICADA_INDEX_PATH": "index.sqlite"}
    collection = stage.id_of("AWS::OpenSearchServerless::Collection")
    return {
        "CICADA_SEARCH_ENGINE": "opensearch",
        "CICADA_OPENSEARCH_URL": f"{collection}.CollectionEndpoint",
        "CICADA_OPENSEARCH_REGION": "us-east-1",
        # What the service supports.
        "CICADA_OPENSEARCH_VECTOR_ENGINE": "",
        "CICADA_OPENSEARCH_VECTOR_COMPRESSION": "1x",
    }


def agent_places(stage: Deployed) -> dict[str, str]:
    """An agent and its alias by the agent's name; the stand-in knows them by it."""
    found: dict[str, str] = {}
    if not is_local(stage) and not list(stage.of_kind("AWS::Bedrock::Agent")):
        return found
    for name in ("profiles", "theories"):
        agent, alias = name, "local"
        if not is_local(stage):
            [agent_id] = [id for id, each in stage.of_kind("AWS::Bedrock::Agent") if each["AgentName"].endswith(name)]
            agent = f"{agent_id}.AgentId"
            [alias_id] = [
                id for id, each in stage.of_kind("AWS::Bedrock::AgentAlias") if stage.text(each["AgentId"]) == agent
            ]
            alias = f"{alias_id}.AgentAliasId"
        found |= {f"CICADA_{name.upper()}_AGENT_ID": agent, f"CICADA_{name.upper()}_AGENT_ALIAS_ID": alias}
    return found


def all_of(stage: Deployed, kind: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in stage.resources.values() if each["Type"].endswith(f"::{kind}")]


def readable(kind: type[Struct]) -> set[str]:
    """The variables that these settings are read from."""
    nested = [each for each in fields(kind) if issubclass(each.type, Struct)]
    own = {f"CICADA_{each.name.upper()}" for each in fields(kind) if each not in nested}
    return own.union(*(readable(each.type) for each in nested))


def test_variables_lead_to_the_parts_that_they_name(stage: Deployed) -> None:
    known = places(stage)
    for function in stage.functions():
        named = {name: value for name, value in stage.environment(function).items() if name in known}
        assert named == {name: known[name] for name in named}, function
        assert named, function


def test_every_function_has_what_is_set_for_its_settings_and_nothing_else(stage: Deployed) -> None:
    environments = {function: stage.environment(function) for function in stage.functions()}
    given = {name: value for each in environments.values() for name, value in each.items()}
    for function, environment in environments.items():
        # Whatever a function does, it is counted as part of its stage.
        wanted = (readable(SETTINGS[function]) | readable(MetricSettings)) & set(given)
        wanted |= readable(AuditSettings) if function in AUDITED else set()
        wanted -= {name for name, functions in NOT_EVERYWHERE.items() if function not in functions}
        own = {name: value for name, value in environment.items() if name.startswith("CICADA_")}
        assert own == {name: given[name] for name in wanted}
    assert set(places(stage)) <= set(given)


def test_only_the_local_stages_functions_have_other_endpoints_than_aws(stage: Deployed) -> None:
    bedrock = {f"AWS_ENDPOINT_URL_BEDROCK_{name}": "http://127.0.0.1:4567" for name in ("RUNTIME", "AGENT_RUNTIME")}
    endpoints = {"AWS_ENDPOINT_URL": "http://127.0.0.1:4566"} | bedrock
    for function in stage.functions():
        expected = endpoints | {"AWS_SDK_UA_APP_ID": function.replace("-", "_")} if is_local(stage) else {}
        environment = stage.environment(function)
        assert {name: value for name, value in environment.items() if not name.startswith("CICADA_")} == expected


def test_every_route_leads_to_its_function(stage: Deployed) -> None:
    lead = {"$connect": "ws-connect", "$disconnect": "ws-disconnect"}
    lead |= {route: function.replace("_", "-") for route, function in ROUTES.items()}
    integrations = dict(stage.of_kind("AWS::ApiGatewayV2::Integration"))
    found = {}
    for _, route in stage.of_kind("AWS::ApiGatewayV2::Route"):
        target = stage.text(route["Target"]).removeprefix("integrations/")
        found[route["RouteKey"]] = _called(stage, integrations[target]["IntegrationUri"])
    assert found == lead
    [authorizer] = all_of(stage, "Authorizer")
    assert _called(stage, authorizer["AuthorizerUri"]) == "authorizer"
    # A token comes in a header or in the query string, and API Gateway would demand all that are named here.
    assert authorizer["IdentitySource"] == []


def _called(stage: Deployed, uri: dict[str, Any]) -> str:
    [id] = re.findall(r"/functions/(\w+)\.Arn/invocations$", stage.text(uri))
    return str(stage.resources[id]["Properties"]["FunctionName"].split("-", 2)[2])


def test_the_outputs_name_what_operators_need(stage: Deployed) -> None:
    known = places(stage)
    assert {name: stage.text(output["Value"]) for name, output in stage.outputs.items()} == {
        "WebSocketUrl": known["CICADA_CALLBACK_URL"].replace("http", "ws", 1),
        "UserPoolId": stage.id_of("AWS::Cognito::UserPool"),
        "UserPoolClientId": known["CICADA_TOKEN_CLIENT_ID"],
        "DocumentsBucket": known["CICADA_DOCUMENTS_BUCKET"],
        "AuditLogGroup": known["CICADA_AUDIT_LOG_GROUP"],
        "IngestFunction": stage.functions()["ingest-document"]["FunctionName"],
        "ProcessorFunction": stage.functions()["message-processor"]["FunctionName"],
        "CallbackUrl": known["CICADA_CALLBACK_URL"],
        "ConnectionsTable": known["CICADA_CONNECTIONS_TABLE"],
        "RequestsTable": known["CICADA_REQUESTS_TABLE"],
        "EntriesTable": known["CICADA_ENTRIES_TABLE"],
        "ReadersTable": known["CICADA_READERS_TABLE"],
        "RequestsQueueUrl": known["CICADA_REQUESTS_QUEUE_URL"],
        "DeadLetterQueueUrl": known["CICADA_DEAD_LETTER_QUEUE_URL"],
        **({"DefaultTenant": "default"} if is_local(stage) else {}),
        **(
            {} if is_local(stage) else {"PageUrl": f"https://{stage.id_of('AWS::CloudFront::Distribution')}.DomainName"}
        ),
    }


def test_every_function_logs_json_to_a_group_of_its_own(stage: Deployed) -> None:
    for function in stage.functions().values():
        logging = function["LoggingConfig"]
        assert logging["LogFormat"] == "JSON"
        assert stage.text(logging["LogGroup"]) == f"/aws/lambda/{function['FunctionName']}"


def test_the_access_log_says_what_failed_and_holds_no_secret(stage: Deployed) -> None:
    """Tokens come in a header or the query string, and what users ask in the body."""
    [each] = all_of(stage, "Stage")
    # API Gateway fills in `messageString` with its own quotation marks.
    filled = re.sub(r"\$context\.error\.messageString", '"Forbidden"', each["AccessLogSettings"]["Format"])
    fields_of_the_log = json.loads(filled)
    logged = {name: value.removeprefix("$context.") for name, value in fields_of_the_log.items()}
    assert set(logged.values()) == HARMLESS
    assert all(value.startswith(name) for name, value in logged.items())
    group = stage.resources[each["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]]
    assert group["Type"] == "AWS::Logs::LogGroup"
    assert each["AutoDeploy"]


def test_resources_bear_the_stages_name(stage: Deployed) -> None:
    """Two stages share an account without meeting."""
    prefixes = {
        "-".join(each[name].split("-")[:2])
        for each in (resource.get("Properties", {}) for resource in stage.resources.values())
        for name in ("FunctionName", "TableName", "QueueName", "UserPoolName", "TopicName", "AlarmName", "AgentName")
        if isinstance(each.get(name), str)
    }
    [api] = all_of(stage, "Api")
    assert len(prefixes) == 1
    assert api["Name"] == f"{prefixes.pop()}-chat"


def test_the_local_stage_has_a_fixed_address_and_several_processors() -> None:
    """The emulator takes an API's id from the tag, and works on one message at a time for each mapping."""
    local, dev = deployed("local"), deployed("dev")
    assert [each["Tags"].get("ms-custom-id") for each in all_of(local, "Api") + all_of(dev, "Api")] == ["cicada", None]
    assert [len(each.mappings_of("message-processor")) for each in (local, dev)] == [8, 1]
