"""A template as it is after deployment: references are names, and resources are found by what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tests.infra.conftest import template_of

_PSEUDO = {
    "Ref AWS::Partition": "aws",
    "Ref AWS::Region": "us-east-1",
    "Ref AWS::AccountId": "111122223333",
    "Ref AWS::URLSuffix": "amazonaws.com",
}
# What `Ref` of a kind gives, where that is not an id that AWS chooses.
_NAMES = {
    "AWS::Lambda::Function": "FunctionName",
    "AWS::DynamoDB::GlobalTable": "TableName",
    "AWS::ApiGatewayV2::Stage": "StageName",
    "AWS::Logs::LogGroup": "LogGroupName",
}
Properties = dict[str, Any]
# Additions and choices that leave one another alone: synthesised once, for whoever asks about one of them.
ADDED = {
    "alarmEmail": "on-call@example.com",
    "apiLogRole": "existing",
    "auditDays": "2557",
    "chatModels": "amazon.chat-v1:0, amazon.chat-v2:0",
    "contextModel": "none",
    "dataEvents": "existing",
    "defaultTenant": "acme",
    "mfa": "required",
    "monthlyBudget": "500",
    "protect": "no",
    "searchUnits": "16",
    "tenantTokensPerDay": "500000",
    "warmSearchUnits": "2",
    "@aws-cdk/core:bootstrapQualifier": "acme4711",
}
# Other choices of the same kind, for a development stage.
OTHERS = {"accountConcurrency": "1000", "embeddingModel": "cohere", "grounding": "bedrock", "mfa": "off"}
# The CDK's id of a table.
_HELD = re.compile(r"Tables(\w+)[0-9A-F]{8}")


class Deployed:
    """The resources of one stage, by their ids in the template."""

    def __init__(self, template: Mapping[str, Any]) -> None:
        self.resources: dict[str, dict[str, Any]] = template["Resources"]
        self.outputs: dict[str, dict[str, Any]] = template["Outputs"]

    def of_kind(self, *kinds: str) -> Iterator[tuple[str, Properties]]:
        """Id and properties of every resource of these kinds."""
        for id, resource in self.resources.items():
            if resource["Type"] in kinds:
                yield id, resource["Properties"]

    def id_of(self, kind: str) -> str:
        """The id of the only resource of this kind."""
        [(id, _)] = self.of_kind(kind)
        return id

    def only(self, kind: str) -> Properties:
        """The properties of the only resource of this kind."""
        [(_, found)] = self.of_kind(kind)
        return found

    def text(self, value: Any) -> str:
        """The value with every reference replaced. An id that AWS chooses is the one of the template."""
        if isinstance(value, str):
            return value
        [(function, argument)] = value.items()
        if function == "Ref":
            return self._named(argument)
        if function == "Fn::GetAtt":
            return self._attribute(*argument)
        separator, parts = argument
        assert function == "Fn::Join", f"{function} is not known here."
        return str(separator).join(self.text(part) for part in parts)

    def _named(self, id: str) -> str:
        if f"Ref {id}" in _PSEUDO:
            return _PSEUDO[f"Ref {id}"]
        resource = self.resources[id]
        if resource["Type"] == "AWS::SQS::Queue":
            return f"https://sqs.us-east-1.amazonaws.com/111122223333/{self._attribute(id, 'QueueName')}"
        if resource["Type"] == "AWS::SNS::Topic":
            return f"arn:aws:sns:us-east-1:111122223333:{resource['Properties']['TopicName']}"
        return str(resource["Properties"].get(_NAMES.get(resource["Type"], ""), id))

    def _attribute(self, id: str, name: str) -> str:
        properties = self.resources[id].get("Properties", {})
        return str(properties.get(name, id if name == "QueueName" else f"{id}.{name}"))

    def tables(self) -> dict[str, str]:
        """The tables' names by what they hold. One that CloudFormation chooses is the id in the template."""
        return {_HELD.sub(r"\1", id).lower(): self._named(id) for id, _ in self.of_kind("AWS::DynamoDB::GlobalTable")}

    def functions(self) -> dict[str, Properties]:
        """The stage's own functions, by their names without the stage's."""
        found = [each for _, each in self.of_kind("AWS::Lambda::Function")]
        return {each["FunctionName"].split("-", 2)[2]: each for each in found if "FunctionName" in each}

    def environment(self, function: str) -> dict[str, str]:
        """The function's variables as it reads them."""
        variables = self.functions()[function]["Environment"]["Variables"]
        return {name: self.text(value) for name, value in variables.items()}

    def queues_of(self, function: str) -> tuple[str, str]:
        """Ids of the queue that the function works off, and of the one that takes what it gave up."""
        [queue] = {each["EventSourceArn"]["Fn::GetAtt"][0] for each in self.mappings_of(function)}
        dead_letters = self.resources[queue]["Properties"]["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
        return queue, dead_letters

    def mappings_of(self, function: str) -> list[Properties]:
        """The function's event source mappings."""
        name = self.functions()[function]["FunctionName"]
        mappings = [each for _, each in self.of_kind("AWS::Lambda::EventSourceMapping")]
        return [each for each in mappings if self.text(each["FunctionName"]) == name]


@cache
def deployed(stage: str, agents: str = "converse", **context: str) -> Deployed:
    """`context` as on the command line: `-c rerank=cohere`."""
    # The default is not named, so that the template is synthesised once for all tests.
    chosen = {} if agents == "converse" else {"agents": agents}
    return Deployed(template_of(stage, **chosen, **context))


def with_additions() -> Deployed:
    """The production stage with `ADDED`."""
    return deployed("prod", **ADDED)


def with_other_choices() -> Deployed:
    """The development stage with `OTHERS`."""
    return deployed("dev", **OTHERS)
