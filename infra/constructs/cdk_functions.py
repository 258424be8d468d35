"""The functions that the CDK adds, which run at deployment: they log to groups that the stack deletes with them.

By itself Lambda makes a function's log group at its first line. That group belongs to no stack, keeps its lines for
ever, and stays when the stack is deleted.
"""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import CfnResource, Fn, RemovalPolicy, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct, IConstruct


def log_with_the_stack(stack: Stack) -> None:
    """Let each of these functions write to a log group of the stack, and to no other. They have their roles in them."""
    for function in _of_kind(stack, "AWS::Lambda::Function"):
        roles = _of_kind(_scope(function), "AWS::IAM::Role")
        if roles:
            log = _log(stack, function) or _make_log(function)
            for role in roles:
                _let_write(role, log)


def _of_kind(scope: IConstruct, kind: str) -> list[CfnResource]:
    found = [each for each in scope.node.find_all() if isinstance(each, CfnResource)]
    return [each for each in found if each.cfn_resource_type == kind]


def _scope(function: CfnResource) -> Construct:
    scope = function.node.scope
    if not isinstance(scope, Construct):
        raise TypeError(f"{function.node.path} belongs to nothing.")
    return scope


def _log(stack: Stack, function: CfnResource) -> str | None:
    """The ARN of the log group that the function was given."""
    if not isinstance(function, lambda_.CfnFunction) or function.logging_config is None:
        return None
    group: Mapping[str, Mapping[str, str]] = stack.resolve(function.logging_config)
    return Fn.get_att(group["logGroup"]["Ref"], "Arn").to_string()


def _make_log(function: CfnResource) -> str:
    log = logs.LogGroup(
        _scope(function), "Log", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
    )
    function.add_property_override("LoggingConfig", {"LogGroup": log.log_group_name})
    return log.log_group_arn


def _let_write(role: CfnResource, log: str) -> None:
    """Let the function write its log, but not create it: a last line after a deletion must not make it again."""
    statement = {"Effect": "Allow", "Action": ["logs:CreateLogStream", "logs:PutLogEvents"], "Resource": log}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    role.add_property_deletion_override("ManagedPolicyArns")
    role.add_property_override("Policies", [{"PolicyName": "Log", "PolicyDocument": document}])
