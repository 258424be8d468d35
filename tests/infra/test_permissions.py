"""Every role can do exactly what it needs: the templates' policies compared with the needed permissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from infra.model_choice import GEOGRAPHIES as ALL_GEOGRAPHIES
from infra.settings import StageSettings, stage_settings
from tests.infra.conftest import Template, template_of
from tests.infra.deployed import Deployed
from tests.infra.names import Names, NotUnderstood
from tests.infra.needed_permissions import API_LOGS, invoking, needed
from tests.infra.policies import Call, Policies, Statement

# What is deployed, and each setting that grants or takes away.
DEPLOYMENTS: Mapping[str, Mapping[str, str]] = {
    "local": {"stage": "local"},
    "dev": {"stage": "dev"},
    "prod": {"stage": "prod"},
    "reranked by Cohere": {"stage": "dev", "agents": "bedrock", "rerank": "cohere", "region": "eu-central-1"},
    "Bedrock agents": {"stage": "dev", "agents": "bedrock"},
    "no contexts, no planning model, no page": {
        "stage": "dev",
        "contextModel": "none",
        "planModels": "none",
        "page": "none",
    },
    "administrators, a limit of tokens, another name of the collection": {
        "stage": "dev",
        "collectionName": "elsewhere",
        "dataKey": "create",
        "administrators": "admins",
        "tenantTokensPerDay": "100000",
    },
    "a data key of the stack, and editors": {
        "stage": "dev",
        "dataKey": "create",
        "agents": "bedrock",
        "dataEvents": "create",
        "editors": "librarians",
    },
    "originals and scans, with a data key and a guardrail": {
        "stage": "dev",
        "ocr": "textract",
        "originals": "on",
        "dataKey": "create",
        "guardrail": "gr1abc:7",
    },
    "a data key of the account, another collection": {
        "stage": "prod",
        "dataKey": "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        "collectionName": "another",
    },
    "a collection reached from a VPC": {
        "stage": "dev",
        "agents": "bedrock",
        "vpc": "vpc-0123456789abcdef0",
        "vpcSubnets": "subnet-0123456789abcdef0, subnet-0123456789abcdef1",
    },
    "inference profiles": {
        "stage": "dev",
        "region": "us-west-1",
        "agents": "bedrock",
        "chatModels": "us.amazon.nova-lite-v1:0, global.amazon.nova-2-lite-v1:0",
        "agentModel": "us.amazon.nova-pro-v1:0",
        "queryModel": "global.amazon.nova-2-lite-v1:0",
        "planModels": "us.amazon.nova-premier-v1:0, us.amazon.nova-2-lite-v1:0",
        "contextModel": "us.somebody.small-v1:0",
        "cardModel": "amazon.unheard-of-v1:0",
    },
    "inference profiles of the stage's own": {
        "stage": "dev",
        "agents": "bedrock",
        "chatModels": "us.amazon.nova-lite-v1:0, global.amazon.nova-2-lite-v1:0",
        "cardModel": "amazon.unheard-of-v1:0",
        "modelProfiles": "on",
    },
}


@dataclass(frozen=True, slots=True)
class Deployment:
    settings: StageSettings
    template: Mapping[str, Any]
    policies: Policies


@pytest.fixture(params=DEPLOYMENTS, scope="module")
def deployment(request: pytest.FixtureRequest) -> Deployment:
    context = DEPLOYMENTS[request.param]
    template = template_of(**context)
    return Deployment(stage_settings(context.get), template, Policies(template))


def test_every_role_is_allowed_what_it_needs(deployment: Deployment) -> None:
    refused = [
        f"{role}: {need.action} on {need.resource}"
        for role, needs in needed(deployment.settings).items()
        for need in needs
        if not deployment.policies.allow(Call(role, need.action, need.resource, dict(need.context)))
    ]
    assert refused == []


# A region of each geography, and what is called with the models that a function's settings name.
GEOGRAPHIES = {
    "ca": "ca-central-1",
    "us": "us-west-1",
    "eu": "eu-central-1",
    "apac": "ap-southeast-1",
    "jp": "ap-northeast-3",
    "au": "ap-southeast-2",
    "region": "us-gov-west-1",
    "global": "sa-east-1",
}
INVOKED_BY = {
    "CICADA_AGENT_MODEL_ID": "bedrock:InvokeModelWithResponseStream",
    "CICADA_CARD_MODEL_ID": "bedrock:InvokeModel",
    "CICADA_CHAT_MODEL_IDS": "bedrock:InvokeModelWithResponseStream",
    "CICADA_CONTEXT_MODEL_ID": "bedrock:InvokeModel",
    "CICADA_EMBEDDING_MODEL_ID": "bedrock:InvokeModel",
    "CICADA_PLAN_MODEL_IDS": "bedrock:InvokeModel",
    "CICADA_QUERY_MODEL_ID": "bedrock:InvokeModel",
}


@pytest.mark.parametrize(("geography", "region"), GEOGRAPHIES.items())
def test_every_function_may_invoke_the_models_that_its_settings_name(geography: str, region: str) -> None:
    context = {"stage": "dev", "geography": geography, "region": region, "agents": "bedrock", "page": "none"}
    template = template_of(**context)
    settings, policies, stage = stage_settings(context.get), Policies(template), Deployed(template)
    refused, invoked = [], set()
    # Who opens documents has the embedding model in the index's name alone.
    for name in stage.functions().keys() - {"ws-open"}:
        for variable, models in stage.environment(name).items():
            if "MODEL" not in variable or not models or variable == "CICADA_RERANK_MODELS":
                continue
            invoked.add(variable)
            needs = [need for model in models.split(",") for need in invoking(settings, model, INVOKED_BY[variable])]
            calls = [Call(name.replace("-", "_"), each.action, each.resource, dict(each.context)) for each in needs]
            refused += [(variable, call) for call in calls if not policies.allow(call)]
    assert refused == []
    assert invoked == set(INVOKED_BY) - {"CICADA_CARD_MODEL_ID"}


def test_the_geographies_are_all_that_a_stage_can_be_in() -> None:
    assert set(GEOGRAPHIES) == set(ALL_GEOGRAPHIES)


def test_what_is_allowed_on_a_condition_is_not_allowed_without_it(deployment: Deployment) -> None:
    conditional = [
        Call(role, need.action, need.resource, {"aws:RequestedRegion": "elsewhere"})
        for role, needs in needed(deployment.settings).items()
        for need in needs
        if need.context
    ]
    assert [call for call in conditional if deployment.policies.allow(call)] == []
    assert conditional


def test_no_role_is_allowed_what_it_does_not_need(deployment: Deployment) -> None:
    needs = {
        role: {(need.action, need.resource) for need in needs} for role, needs in needed(deployment.settings).items()
    }
    unneeded = [
        f"{role}: {action} on {resource}"
        for role, allowed in deployment.policies.grants().items()
        for action, resource in allowed - needs.get(role, set())
    ]
    assert unneeded == []


def test_services_may_invoke_the_functions_that_they_are_to_invoke(deployment: Deployment) -> None:
    """API Gateway those of its routes and its authorizer, Bedrock the agents' tools; each for its own purpose."""
    refused = [
        invocation for invocation in invocations(deployment.template) if not deployment.policies.allow(invocation)
    ]
    assert refused == []
    others = {"aws:SourceArn": "arn:aws:execute-api:REGION:ACCOUNT:another/v1/ping"}
    for invocation in invocations(deployment.template):
        assert not deployment.policies.allow(replace(invocation, context=others)), invocation


def test_uploads_may_be_announced_to_ingest(deployment: Deployment) -> None:
    """Only this bucket may announce, and only while it is this account's: its ARN names no account."""
    bucket = {"aws:SourceArn": "documents bucket", "aws:SourceAccount": "ACCOUNT"}
    assert deployment.policies.allow(Call("s3.amazonaws.com", "sqs:SendMessage", "document changes", bucket))
    for others in ({"aws:SourceArn": "arn:aws:s3:::somebody-elses"}, {"aws:SourceAccount": "another"}):
        call = Call("s3.amazonaws.com", "sqs:SendMessage", "document changes", bucket | others)
        assert not deployment.policies.allow(call)


# Services that take on a role for resources of the role's own account only: a role cannot be passed to another account
# (https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html).
WITHOUT_A_SOURCE = {
    "lambda.amazonaws.com": "Lambda's `aws:SourceArn` is about policies of functions, not about their roles.",
    "apigateway.amazonaws.com": "The role is the account's setting for all its APIs; its guide names no source.",
}


def test_every_service_is_allowed_to_act_for_this_account_alone(deployment: Deployment) -> None:
    """The confused deputy: https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html."""
    anybodys = [
        statement
        for statement in deployment.policies.services()
        if not names_this_account(statement)
        and not (statement.actions == ("sts:AssumeRole",) and set(statement.principals) <= set(WITHOUT_A_SOURCE))
    ]
    assert anybodys == []


# CloudWatch Logs names the group that it encrypts by the encryption context:
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
_SOURCES = ("aws:sourcearn", "kms:encryptioncontext:aws:logs:arn")


def names_this_account(statement: Statement) -> bool:
    """Whether the statement names the account itself, or the ARN of a source with the account in it."""
    return any(
        (key.lower() == "aws:sourceaccount" and values == ("ACCOUNT",))
        or (key.lower() in _SOURCES and all(of_this_account(value) for value in values))
        for (_, key), values in statement.conditions.items()
    )


def of_this_account(arn: str) -> bool:
    """Agents are named by what they are (tests/infra/names.py)."""
    return ":ACCOUNT:" in arn or arn.endswith(" agent")


def test_the_pages_files_are_read_by_its_own_distribution_alone(aws: Template) -> None:
    policies = Policies(aws)
    for distribution, allowed in (("page distribution", True), ("EANOTHERS", False)):
        source = {"AWS:SourceArn": f"arn:aws:cloudfront::ACCOUNT:distribution/{distribution}"}
        call = Call("cloudfront.amazonaws.com", "s3:GetObject", "page bucket/index.html", source)
        assert policies.allow(call) == allowed
    anybody = Call("arn:aws:iam::ACCOUNT:user/anybody", "s3:GetObject", "page bucket/index.html")
    assert not policies.allow(anybody)


def test_services_are_allowed_nothing_else(deployment: Deployment) -> None:
    """Whom alarms tell is in test_alarms.py, who uses the data key in test_data_key.py."""
    wanted = [(each.principal, each.action, each.resource) for each in invocations(deployment.template)]
    # The notification's grant is the CDK's; S3 reads the queue's attributes to see that it is there.
    wanted += [
        ("s3.amazonaws.com", f"sqs:{action}", "document changes")
        for action in ("SendMessage", "GetQueueAttributes", "GetQueueUrl")
    ]
    if deployment.settings.local is None and deployment.settings.addresses.has_page:
        wanted += [("cloudfront.amazonaws.com", "s3:GetObject", "page bucket/*")]
    if deployment.settings.data_events == "create":
        wanted += [("cloudtrail.amazonaws.com", "s3:GetBucketAcl", "trail bucket")]
        wanted += [("cloudtrail.amazonaws.com", "s3:PutObject", "trail bucket/AWSLogs/ACCOUNT/*")]
    wanted += [(assumed_by(role), "sts:AssumeRole", role) for role in needed(deployment.settings)]
    allowed = [
        (principal, action, resource)
        for statement in deployment.policies.services()
        for principal in statement.principals
        for action in statement.actions
        for resource in statement.resources
        if resource not in ("alarm topic", "data key")
    ]
    assert sorted(allowed) == sorted(wanted)


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_bedrock_takes_on_the_agents_roles_for_this_account_alone(stage: str) -> None:
    policies = Policies(template_of(stage, agents="bedrock"))
    for agent in ("profiles agent", "theories agent"):
        for account, allowed in (("ACCOUNT", True), ("another", False)):
            call = Call("bedrock.amazonaws.com", "sts:AssumeRole", agent, {"aws:SourceAccount": account})
            assert policies.allow(call) == allowed


def assumed_by(role: str) -> str:
    if role == API_LOGS:
        return "apigateway.amazonaws.com"
    return "bedrock.amazonaws.com" if role.endswith(" agent") else "lambda.amazonaws.com"


def invocations(template: Mapping[str, Any]) -> list[Call]:
    """The calls of functions by services that the template has."""
    resources: Mapping[str, Any] = template["Resources"]
    names = Names(template)
    calls = []
    for resource in resources.values():
        properties = resource.get("Properties", {})
        match resource["Type"]:
            case "AWS::ApiGatewayV2::Route":
                integration = resources[properties["Target"]["Fn::Join"][1][1]["Ref"]]["Properties"]
                calls.append(_of_api(invoked(integration["IntegrationUri"], names), f"v1/{properties['RouteKey']}"))
            case "AWS::ApiGatewayV2::Authorizer":
                calls.append(_of_api(invoked(properties["AuthorizerUri"], names), "authorizers/Authorizer"))
            case "AWS::Bedrock::Agent":
                [group] = properties["ActionGroups"]
                tools = names.text(group["ActionGroupExecutor"]["Lambda"])
                agent = {"aws:SourceArn": f"{properties['AgentName'].rpartition('-')[2]} agent"}
                calls.append(Call("bedrock.amazonaws.com", "lambda:InvokeFunction", tools, agent))
    return calls


def invoked(uri: Any, names: Names) -> str:
    """The function in an integration's URI."""
    return names.text(uri).rpartition("functions/")[2].removesuffix("/invocations")


def _of_api(function: str, path: str) -> Call:
    source = {"aws:SourceArn": f"arn:aws:execute-api:REGION:ACCOUNT:WebSocketApi/{path}"}
    return Call("apigateway.amazonaws.com", "lambda:InvokeFunction", function, source)


def test_what_is_not_understood_is_an_error() -> None:
    role = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {"Statement": []}}}
    function = {
        "Type": "AWS::Lambda::Function",
        "Properties": {"FunctionName": "cicada-dev-ws-message", "Role": {"Fn::GetAtt": ["R", "Arn"]}},
    }

    def policies(kind: str = "AWS::IAM::Policy", **changes: Any) -> Policies:
        statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"} | changes
        properties = {"PolicyDocument": {"Statement": [statement]}, "PolicyName": "P", "Roles": [{"Ref": "R"}]}
        policy = {"Type": kind, "Properties": properties}
        return Policies({"Resources": {"F": function, "R": role, "P": policy}})

    assert policies().allow(Call("ws_message", "s3:GetObject", "anything"))
    with pytest.raises(NotUnderstood, match="NotAction"):
        policies(NotAction="s3:PutObject")
    with pytest.raises(NotUnderstood, match="IpAddress"):
        policies(Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}})
    with pytest.raises(NotUnderstood, match="AWS::IAM::UserPolicy"):
        policies("AWS::IAM::UserPolicy")
    with pytest.raises(NotUnderstood, match="PolicyName"):
        policies("AWS::IAM::ManagedPolicy")
    with pytest.raises(NotUnderstood, match="Fn::ImportValue"):
        policies(Resource={"Fn::ImportValue": "elsewhere"})


def test_a_deny_prevails_and_conditions_are_heeded(aws: Template) -> None:
    policies = Policies(aws)
    insecure = {"aws:SecureTransport": "false"}
    assert not policies.allow(Call("ws_message", "sqs:SendMessage", "request queue", insecure))
    assert not policies.allow(Call("ws_message", "sqs:SendMessage", "request dead letters"))
    assert not policies.allow(Call("ingest_document", "s3:GetObject", "documents bucket/secrets/key"))
