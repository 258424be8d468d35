"""Who may do what by a synthesized template: its policies with readable names, evaluated as IAM evaluates them.

Written for these templates: libraries that evaluate policies offline (parliament, policyuniverse, policy_sentry,
moto's) read no CloudFormation, know no data access policies, and pass over what they do not understand. Here that is
an error: `NotUnderstood`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tests.infra.names import Names, NotUnderstood, listed

# These say who may do what, and are read here. Anything else that sounds like it is an error.
_READ = {
    "AWS::IAM::Role",
    "AWS::IAM::Policy",
    "AWS::IAM::ManagedPolicy",
    "AWS::KMS::Key",
    "AWS::Lambda::Permission",
    "AWS::OpenSearchServerless::AccessPolicy",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::QueuePolicy",
}
# Encryption, the network's side, and headers of responses.
_ABOUT_OTHER_THINGS = {"AWS::OpenSearchServerless::SecurityPolicy", "AWS::CloudFront::ResponseHeadersPolicy"}
_BASIC_EXECUTION = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSLambdaBasicExecutionRole.html
_MANAGED = {
    _BASIC_EXECUTION: ("logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"),
    # https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonAPIGatewayPushToCloudWatchLogs.html
    "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs": (
        "logs:CreateLogGroup",
        "logs:CreateLogStream",
        "logs:DescribeLogGroups",
        "logs:DescribeLogStreams",
        "logs:FilterLogEvents",
        "logs:GetLogEvents",
        "logs:PutLogEvents",
    ),
}
_EVERYBODY = "*"
_ACCOUNT = "arn:aws:iam::ACCOUNT:root"
_STATEMENT_KEYS = {"Sid", "Effect", "Action", "Resource", "Principal", "Condition"}


@dataclass(frozen=True, slots=True)
class Call:
    """A call by a role or an AWS service; `context` as IAM's condition keys. Everybody here calls by TLS."""

    principal: str
    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement; `conditions` by operator and key, the values of one key being alternatives."""

    principals: tuple[str, ...]
    effect: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: Mapping[tuple[str, str], tuple[str, ...]]

    def applies_to(self, call: Call) -> bool:
        return (
            bool({call.principal, _EVERYBODY} & set(self.principals))
            and any(_matches(pattern.lower(), call.action.lower()) for pattern in self.actions)
            and any(_matches(pattern, call.resource) for pattern in self.resources)
            and all(self._holds(*test, call) for test in self.conditions)
        )

    def _holds(self, operator: str, key: str, call: Call) -> bool:
        value = ({"aws:SecureTransport": "true"} | dict(call.context)).get(key)
        expected = self.conditions[operator, key]
        if operator in ("ArnLike", "StringLike"):
            return value is not None and any(_matches(pattern, value) for pattern in expected)
        return value in expected


class Policies:
    """All statements of a template."""

    def __init__(self, template: Mapping[str, Any]) -> None:
        self.names = Names(template)
        self._resources: Mapping[str, Any] = template["Resources"]
        self.statements = [statement for id in self._resources for statement in self._of(id)]

    def allow(self, call: Call) -> bool:
        applying = [statement.effect for statement in self.statements if statement.applies_to(call)]
        return "Allow" in applying and "Deny" not in applying

    def grants(self) -> dict[str, set[tuple[str, str]]]:
        """Actions and resources of each role. Grants to services by policies of resources are left out."""
        found: dict[str, set[tuple[str, str]]] = {name: set() for name in self.names.roles.values()}
        for statement in self.statements:
            if statement.effect == "Allow":
                for principal in set(statement.principals) & set(found):
                    found[principal] |= {(action, on) for action in statement.actions for on in statement.resources}
        return found

    def services(self) -> list[Statement]:
        """What AWS services are allowed by policies of resources, roles' trust included."""
        roles = set(self.names.roles.values())
        return [each for each in self.statements if each.effect == "Allow" and not set(each.principals) <= roles]

    def _of(self, id: str) -> Iterator[Statement]:
        kind, properties = self._resources[id]["Type"], self._resources[id].get("Properties", {})
        if kind in _READ:
            yield from _PARSERS[kind](self, id, properties)
        elif kind.endswith(("Policy", "Permission")) and kind not in _ABOUT_OTHER_THINGS:
            raise NotUnderstood(f"{id} is of the kind {kind}.")

    def _role(self, id: str, properties: Mapping[str, Any]) -> Iterator[Statement]:
        if unknown := {"PermissionsBoundary"} & set(properties):
            raise NotUnderstood(f"{id} has {unknown}.")
        name = self.names.roles[id]
        yield from self._document(properties["AssumeRolePolicyDocument"], resource=name)
        for policy in properties.get("Policies", []):
            yield from self._document(policy["PolicyDocument"], principals=(name,))
        for managed in properties.get("ManagedPolicyArns", []):
            arn = self.names.text(managed)
            if arn not in _MANAGED:
                raise NotUnderstood(f"{id} has the managed policy {arn}.")
            yield Statement((name,), "Allow", _MANAGED[arn], ("*",), {})

    def _policy(self, id: str, properties: Mapping[str, Any]) -> Iterator[Statement]:
        if set(properties) != {"PolicyDocument", "PolicyName", "Roles"}:
            raise NotUnderstood(f"{id} has {sorted(properties)}.")
        roles = tuple(self.names.roles[role["Ref"]] for role in properties["Roles"])
        yield from self._document(properties["PolicyDocument"], principals=roles)

    def _overflow(self, id: str, properties: Mapping[str, Any]) -> Iterator[Statement]:
        """What the CDK takes out of a role's policy that would be too long for IAM."""
        if set(properties) != {"Description", "Path", "PolicyDocument", "Roles"}:
            raise NotUnderstood(f"{id} has {sorted(properties)}.")
        roles = tuple(self.names.roles[role["Ref"]] for role in properties["Roles"])
        yield from self._document(properties["PolicyDocument"], principals=roles)

    def _of_a_resource(self, _: str, properties: Mapping[str, Any]) -> Iterator[Statement]:
        yield from self._document(properties["PolicyDocument"])

    def _key_policy(self, id: str, properties: Mapping[str, Any]) -> Iterator[Statement]:
        """There `*` is the key. The account's root stands for its IAM policies, which are read by themselves."""
        for statement in self._document(properties["KeyPolicy"]):
            if statement.resources != ("*",):
                raise NotUnderstood(f"{id} has a policy for {statement.resources}.")
            if statement.principals != (_ACCOUNT,):
                yield replace(statement, resources=(self.names.text({"Fn::GetAtt": [id, "Arn"]}),))

    def _permission(self, _: str, properties: Mapping[str, Any]) -> Iterator[Statement]:
        conditions: dict[tuple[str, str], tuple[str, ...]] = {}
        if "SourceArn" in properties:
            conditions["ArnLike", "aws:SourceArn"] = (self.names.text(properties["SourceArn"]),)
        resource = self.names.text(properties["FunctionName"])
        principal = self.names.text(properties["Principal"])
        yield Statement((principal,), "Allow", (properties["Action"],), (resource,), conditions)

    def _data_policy(self, _: str, properties: Mapping[str, Any]) -> Iterator[Statement]:
        for policy in json.loads(self.names.text(properties["Policy"])):
            for rule in policy["Rules"]:
                yield Statement(
                    tuple(policy["Principal"]), "Allow", tuple(rule["Permission"]), tuple(rule["Resource"]), {}
                )

    def _document(
        self, document: Mapping[str, Any], principals: tuple[str, ...] = (), resource: str = ""
    ) -> Iterator[Statement]:
        for statement in document["Statement"]:
            if unknown := set(statement) - _STATEMENT_KEYS:
                raise NotUnderstood(f"A statement has {unknown}.")
            yield Statement(
                principals or tuple(self._principals(statement["Principal"])),
                statement["Effect"],
                tuple(listed(statement["Action"])),
                tuple(self.names.text(each) for each in listed(statement.get("Resource", resource))),
                self._conditions(statement.get("Condition", {})),
            )

    def _principals(self, principal: str | Mapping[str, Any]) -> Sequence[str]:
        if isinstance(principal, str):
            return [principal]
        return [self.names.text(each) for each in principal.values() for each in listed(each)]

    def _conditions(self, conditions: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, str], tuple[str, ...]]:
        if unknown := set(conditions) - {"ArnLike", "ArnEquals", "Bool", "StringEquals", "StringLike"}:
            raise NotUnderstood(f"A condition is {unknown}.")
        return {
            (operator, key): tuple(self.names.text(each) for each in listed(values))
            for operator, tests in conditions.items()
            for key, values in tests.items()
        }


_PARSERS = {
    "AWS::IAM::Role": Policies._role,
    "AWS::IAM::Policy": Policies._policy,
    "AWS::IAM::ManagedPolicy": Policies._overflow,
    "AWS::KMS::Key": Policies._key_policy,
    "AWS::Lambda::Permission": Policies._permission,
    "AWS::OpenSearchServerless::AccessPolicy": Policies._data_policy,
    "AWS::S3::BucketPolicy": Policies._of_a_resource,
    "AWS::SNS::TopicPolicy": Policies._of_a_resource,
    "AWS::SQS::QueuePolicy": Policies._of_a_resource,
}


@cache
def _matches(pattern: str, text: str) -> bool:
    """IAM's wildcards: `*` and `?`."""
    regex = "".join({"*": ".*", "?": "."}.get(character) or re.escape(character) for character in pattern)
    return re.fullmatch(regex, text, re.DOTALL) is not None
