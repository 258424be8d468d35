"""CloudFormation's references as text that a person reads: `requests table/index/history`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


class NotUnderstood(ValueError):
    """A template says something that is not read here; it must not be passed over."""


_PSEUDO = {
    "AWS::Partition": "aws",
    "AWS::Region": "REGION",
    "AWS::AccountId": "ACCOUNT",
    "AWS::URLSuffix": "amazonaws.com",
}
# The CDK's ids, without the digest at their end.
_NAMES = {
    "AgentsProfilesAgent": "profiles agent",
    "AgentsProfilesAlias": "profiles agent's alias",
    "AgentsTheoriesAgent": "theories agent",
    "AgentsTheoriesAlias": "theories agent's alias",
    "AlarmsTopic": "alarm topic",
    "AuditLog": "audit log",
    "ConversationWebSocketApi": "WebSocketApi",
    "ConversationWebSocketApiAccount": "API logs",
    "ConversationWebSocketApiAuthorizer": "Authorizer",
    "DataKey": "data key",
    "DocumentTrailEvents": "trail bucket",
    "DocumentTrailTrail": "trail",
    "IdentityUsers": "user pool",
    "IngestDocumentsBucket": "documents bucket",
    "IngestDocumentsChanges": "document changes",
    "IngestDocumentsDeadLetters": "document dead letters",
    "MessageProcessorGroundingGuardrail": "grounding guardrail",
    "PageDistribution": "page distribution",
    "PageFiles": "page bucket",
    "RequestQueueDeadLetters": "request dead letters",
    "RequestQueueRequests": "request queue",
    "SearchCollection": "collection",
    "TablesConnections": "connections table",
    "TablesEntries": "entries table",
    "TablesReaders": "readers table",
    "TablesRequests": "requests table",
}
# Attributes that are ARNs. `Ref` gives one of a topic, and an id that is part of ARNs of the others.
_ARNS = {"Arn", "AgentArn", "AgentAliasArn", "GuardrailArn", "InferenceProfileArn"}
_REFERABLE = {
    "AWS::SNS::Topic",
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Authorizer",
    "AWS::CloudFront::Distribution",
}
# The CDK writes the stack's region into ARNs that it makes itself, and into the name of its bucket of assets.
_OF_THE_STACK = re.compile(r"(:execute-api:(?=[a-z0-9-]+:)|-assets-ACCOUNT-)[a-z0-9-]+")
_FUNCTION = re.compile(r"(?:/aws/lambda/)?cicada-[a-z]+-([a-z-]+)")


class Names:
    """`roles`: what each role is for, by its id in the template."""

    def __init__(self, template: Mapping[str, Any]) -> None:
        self._resources: Mapping[str, Any] = template["Resources"]
        self.roles: dict[str, str] = {}
        for id, resource in self._resources.items():
            if role := {**resource.get("Properties", {})}.get(_ROLE_OF.get(resource["Type"], "")):
                self.roles[role["Fn::GetAtt"][0]] = self._name(id)

    def text(self, value: Any) -> str:
        """The text of a string with references in it."""
        match value:
            case str():
                return value
            case {"Ref": str(id)}:
                return _PSEUDO.get(id) or self._reference(id)
            case {"Fn::GetAtt": [str(id), str(attribute)]} if attribute in _ARNS:
                return self._name(id)
            case {"Fn::Join": [str(separator), list(parts)]}:
                return _OF_THE_STACK.sub(r"\1REGION", separator.join(self.text(part) for part in parts))
            case {"Fn::Sub": str(pattern)}:
                return re.sub(r"\$\{([^}]+)}", lambda name: _PSEUDO[name[1]], pattern)
            case {"Fn::Sub": [str(pattern), dict(values)]}:
                return re.sub(r"\$\{([^}]+)}", lambda name: _PSEUDO.get(name[1]) or self.text(values[name[1]]), pattern)
        raise NotUnderstood(f"{value} is no text that is understood here.")

    def _reference(self, id: str) -> str:
        if self._resources[id]["Type"] not in _REFERABLE:
            raise NotUnderstood(f"A Ref to {id} is no ARN.")
        return self._name(id)

    def _name(self, id: str) -> str:
        properties = self._resources[id].get("Properties", {})
        match self._resources[id]["Type"]:
            case "AWS::IAM::Role":
                return self.roles[id]
            case "AWS::Bedrock::ApplicationInferenceProfile":
                source = properties["ModelSource"]["CopyFrom"]
                return f"profile of {self.text(source).rpartition('/')[2]}"
            case "AWS::Lambda::Function" if "FunctionName" in properties:
                return _function(properties["FunctionName"])
            case "AWS::Logs::LogGroup" if "LogGroupName" in properties:
                return f"log of {_function(properties['LogGroupName'])}"
            case "AWS::Logs::LogGroup" if id[:-8] in _LOGS_OF_THE_CDK:
                return f"log of {_LOGS_OF_THE_CDK[id[:-8]]}"
        name = re.sub("[0-9A-F]{8}$", "", id)
        return _NAMES.get(name) or name


_ROLE_OF = {
    "AWS::ApiGateway::Account": "CloudWatchRoleArn",
    "AWS::Bedrock::Agent": "AgentResourceRoleArn",
    "AWS::Lambda::Function": "Role",
}
# The CDK's own functions by the ids of their logs.
_NOTIFIER, _EMPTIER = "BucketNotificationsHandler050a0587b7544547bf325f094a3db834", "CustomS3AutoDeleteObjects"
_LOGS_OF_THE_CDK = {
    f"{_NOTIFIER}Log": _NOTIFIER,
    f"{_EMPTIER}CustomResourceProviderLog": f"{_EMPTIER}CustomResourceProviderHandler",
    "PageDeploymentLog": "CustomCDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C512MiB",
}


def _function(text: str) -> str:
    """The name of the function's folder."""
    found = _FUNCTION.fullmatch(text)
    if found is None:
        raise NotUnderstood(f"{text} is the name of no function.")
    return found[1].replace("-", "_")


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
