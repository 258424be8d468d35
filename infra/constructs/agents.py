"""The two agents. Where Bedrock Agents run them, their tools are functions; on AWS these agents are deployed too."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aws_cdk import Aws
from aws_cdk import aws_bedrock as bedrock
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.audit_log import AuditLog
from infra.constructs.data_key import DataKey
from infra.constructs.function import Functions, allow
from infra.constructs.models import Models, invocations
from infra.constructs.search import Search
from infra.constructs.tables import Tables
from infra.settings import StageSettings

_TOOLS = Path(__file__).resolve().parents[2] / "layers" / "shared" / "python" / "cicada" / "agents" / "tools.json"
# The tools' actions on the users' entries. A transaction needs the actions of its items.
_KEEP = ("DeleteItem", "PutItem", "Query")


class Agents(Construct):
    """`environment` and `grant_use` are for the function that passes messages to the agents.

    On the local stage the Bedrock stand-in runs the agents; their names are their ids.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Functions,
        models: Models,
        tables: Tables,
        search: Search,
        audit: AuditLog,
        key: DataKey | None,
    ) -> None:
        super().__init__(scope, id)
        self._settings = functions.settings
        self._models = models
        self._tables = tables
        self._agents: dict[str, Agent] = {}
        if not self._settings.has_agent_functions:
            return
        tools = self._tools(functions, search)
        # Its search shows documents to the agent; the profiles show none.
        audit.let_write(tools["theories"])
        if self._settings.local is None:
            self._agents = {
                name: Agent(self, name.capitalize(), name=name, settings=self._settings, tools=function, key=key)
                for name, function in tools.items()
            }

    def _tools(self, functions: Functions, search: Search) -> dict[str, lambda_.Function]:
        entries = {"entries_table": self._tables.entries.table_name}
        profiles = functions.add(self, "agent_profiles", environment=entries)
        theories = functions.add(
            self,
            "agent_theories",
            environment=entries | search.query_environment | {"readers_table": self._tables.access_lists.table_name},
            searches=True,
            timeout_seconds=60,
        )
        self._grant_entries(profiles)
        self._grant_entries(theories)
        search.grant_read(theories)
        # The settings of the base that is searched.
        allow(theories, ["dynamodb:BatchGetItem"], self._tables.access_lists.table_arn)
        return {"profiles": profiles, "theories": theories}

    @property
    def environment(self) -> dict[str, str]:
        ids = {
            "agents": self._settings.agents,
            "agent_model_id": self._settings.agent_model_id,
            "entries_table": self._tables.entries.table_name,
        }
        if not self._settings.has_agent_functions:
            return ids
        for name in ("profiles", "theories"):
            agent = self._agents.get(name)
            ids[f"{name}_agent_id"] = agent.agent_id if agent else name
            ids[f"{name}_agent_alias_id"] = agent.alias_id if agent else self._settings.name
        return ids

    def grant_use(self, function: lambda_.Function) -> None:
        """Let the function use the agents' tools itself, and invoke the Bedrock agents if there are any."""
        self._grant_entries(function)
        self._models.allow(function, ["bedrock:InvokeModelWithResponseStream"], [self._settings.agent_model_id])
        for agent in self._agents.values():
            agent.grant_invoke(function)

    def _grant_entries(self, function: lambda_.Function) -> None:
        allow(function, [f"dynamodb:{action}" for action in _KEEP], self._tables.entries.table_arn)


class Agent(Construct):
    """An agent with one action group, and the alias by which it is invoked."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        name: str,
        settings: StageSettings,
        tools: lambda_.Function,
        key: DataKey | None,
    ) -> None:
        super().__init__(scope, id)
        described = agent_descriptions()[name]
        self._key = key
        self._agent = self._add_agent(name, described, settings, tools)
        self._alias = bedrock.CfnAgentAlias(
            self,
            "Alias",
            agent_id=self._agent.attr_agent_id,
            agent_alias_name=settings.name,
            # An alias points to the version of its last update, so it must change whenever the agent does.
            description=f"Definition {_digest(described, settings.agent_model_id, settings.data_key)}",
        )
        tools.add_permission(
            "Agent", principal=iam.ServicePrincipal("bedrock.amazonaws.com"), source_arn=self._agent.attr_agent_arn
        )

    def _add_agent(
        self, name: str, described: Mapping[str, Any], settings: StageSettings, tools: lambda_.Function
    ) -> bedrock.CfnAgent:
        role = self._role(settings)
        agent = bedrock.CfnAgent(
            self,
            "Agent",
            agent_name=f"{settings.prefix}-{name}",
            agent_resource_role_arn=role.role_arn,
            foundation_model=settings.agent_model_id,
            instruction=described["instruction"],
            idle_session_ttl_in_seconds=1800,
            auto_prepare=True,
            customer_encryption_key_arn=self._key.arn if self._key else None,
            action_groups=[_action_group(name, described["functions"], tools)],
        )
        agent.node.add_dependency(role)
        return agent

    def _role(self, settings: StageSettings) -> iam.Role:
        """Bedrock takes it, for this account, to call the agent's model."""
        in_this_account = {"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}}
        principal = iam.ServicePrincipal("bedrock.amazonaws.com", conditions=in_this_account)
        role = iam.Role(self, "Role", assumed_by=principal)
        actions = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"]
        for statement in invocations(actions, [settings.agent_model_id], settings.region):
            role.add_to_policy(statement)
        return role

    @property
    def agent_id(self) -> str:
        return self._agent.attr_agent_id

    @property
    def alias_id(self) -> str:
        return self._alias.attr_agent_alias_id

    def grant_invoke(self, function: lambda_.Function) -> None:
        """Let the function invoke this alias."""
        allow(function, ["bedrock:InvokeAgent"], self._alias.attr_agent_alias_arn)
        if self._key:
            self._let_decrypt(function, self._key.arn)

    def _let_decrypt(self, function: lambda_.Function, key: str) -> None:
        """https://docs.aws.amazon.com/bedrock/latest/userguide/cmk-agent-resources.html."""
        of_this_agent = {"kms:EncryptionContext:aws:bedrock:arn": self._agent.attr_agent_arn}
        function.add_to_role_policy(
            iam.PolicyStatement(
                actions=["kms:Decrypt", "kms:GenerateDataKey"],
                resources=[key],
                conditions={"StringEquals": of_this_agent},
            )
        )


def agent_descriptions() -> Mapping[str, Any]:
    """The agents' instructions and functions, from the description that the library also uses."""
    described: dict[str, Any] = json.loads(_TOOLS.read_text("utf-8"))
    return described


def _digest(described: Mapping[str, Any], model_id: str, key: str) -> str:
    """A version stays encrypted with the key that it was made with."""
    definition = [described, model_id, key] if key else [described, model_id]
    return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()[:12]


def _action_group(
    name: str, functions: list[dict[str, Any]], tools: lambda_.Function
) -> bedrock.CfnAgent.AgentActionGroupProperty:
    return bedrock.CfnAgent.AgentActionGroupProperty(
        action_group_name=name,
        action_group_executor=bedrock.CfnAgent.ActionGroupExecutorProperty(lambda_=tools.function_arn),
        function_schema=bedrock.CfnAgent.FunctionSchemaProperty(
            functions=[
                bedrock.CfnAgent.FunctionProperty(
                    name=function["name"],
                    description=function["description"],
                    parameters={
                        key: bedrock.CfnAgent.ParameterDetailProperty(**detail)
                        for key, detail in function["parameters"].items()
                    },
                )
                for function in functions
            ]
        ),
    )
