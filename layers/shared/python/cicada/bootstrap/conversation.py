"""The conversation's stores and limits, and the planner of questions."""

from __future__ import annotations

import secrets
import time
from functools import cache

from msgspec import Struct

from cicada.adapters.api_gateway_channel import ApiGatewayChannel
from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.share_table import DynamoShareTable
from cicada.adapters.dynamodb.table import delete_partition
from cicada.adapters.sqs import SqsRequestQueue
from cicada.bootstrap.audit import record_audit
from cicada.bootstrap.aws import client, connection_endpoint, database
from cicada.bootstrap.bases import knowledge_bases
from cicada.bootstrap.command_guard import command_guard
from cicada.conversation.accept import Accepter
from cicada.conversation.limits import UsageLimits
from cicada.conversation.ports import RequestLog
from cicada.conversation.resume import Resumer
from cicada.conversation.sessions import Sessions
from cicada.conversation.sharing import Sharing
from cicada.conversation.withholding import Withholding
from cicada.errors import ConfigurationError
from cicada.identity import Principal
from cicada.observability.log import report_plan_fallback
from cicada.permissions import PermissionGate
from cicada.settings import ConversationSettings, EntrySettings, PlannerSettings, load
from cicada.understanding.plan import Planner
from cicada.understanding.planners import ChosenPlanner, PlannerMode

# One call of a planning model, and all calls for one plan.
_CALL_SECONDS = 4
_PLAN_SECONDS = 6


def chosen_planner(settings: PlannerSettings, rules: Planner, sure_of_intent: float) -> ChosenPlanner:
    """`rules`, and the models where the settings name any. `sure_of_intent`: the classifier's threshold.

    Raises `ConfigurationError` for an unknown mode.
    """
    if settings.planner not in tuple(PlannerMode):
        raise ConfigurationError(f"CICADA_PLANNER is {settings.planner!r}; it must be auto, rules or model.")
    mode = PlannerMode(settings.planner)
    models = [] if mode is PlannerMode.RULES else [each.strip() for each in settings.plan_model_ids.split(",")]
    planner = _models(settings, [each for each in models if each])
    return ChosenPlanner(rules, planner, report_plan_fallback, mode, sure_of_intent)


def _models(settings: PlannerSettings, model_ids: list[str]) -> Planner | None:
    if not model_ids:
        return None
    # Imported here: only where a model plans are its prompts and forms needed.
    from cicada.adapters.bedrock.plan_model import BedrockPlanModel
    from cicada.knowledge_bases.plan_guide import load_plan_guide
    from cicada.understanding.by_model.prompt import PlanPrompts
    from cicada.understanding.planners import LimitedPlanner, PlanCache, PlannerChain

    bedrock = client("bedrock-runtime", read_timeout_seconds=_CALL_SECONDS, attempts=1)
    prompts = PlanPrompts(load_plan_guide)
    models = [BedrockPlanModel(bedrock, model_id, prompts) for model_id in model_ids]
    chain = PlannerChain(models, report_plan_fallback, time.monotonic)
    limited = LimitedPlanner(chain, _PLAN_SECONDS, time.monotonic)
    # Guides and these settings cannot change while the container lives; a request has those of its base with it.
    version = repr(settings)
    return PlanCache(limited, time.monotonic, version)


class Conversation(Struct, frozen=True):
    """The use cases of a connection's commands, and the ports that the smaller ones take."""

    log: RequestLog
    accepter: Accepter
    resumer: Resumer
    limits: UsageLimits
    withholding: Withholding
    sessions: Sessions
    sharing: Sharing


@cache
def conversation() -> Conversation:
    settings = load(ConversationSettings)
    tables = database()
    log = DynamoRequestLog(tables, settings.requests_table, time.time)
    shares = DynamoShareTable(tables, settings.requests_table, time.time)
    queue = SqsRequestQueue(client("sqs"), settings.requests_queue_url)
    channel = ApiGatewayChannel(connection_endpoint(settings.callback_url))
    limits = command_guard().limits
    withholding = Withholding(PermissionGate(DynamoAccessListTable(tables, settings.readers_table)), knowledge_bases)
    resumer = Resumer(log, queue, channel, time.time, withholding, limits, record_audit, settings.lease_seconds)
    accepter = Accepter(log, queue, resumer, time.time, settings.retention_seconds, limits, knowledge_bases, shares)
    sessions = Sessions(log, shares, limits, record_audit, time.time, _erase_entries)
    sharing = Sharing(log, shares, withholding, limits, record_audit, time.time, _new_share_id)
    return Conversation(log, accepter, resumer, limits, withholding, sessions, sharing)


def _new_share_id() -> str:
    """128 random bits: 22 characters that an address may have."""
    return secrets.token_urlsafe(16)


def _erase_entries(principal: Principal) -> int:
    """Delete the user's profiles and theories with their earlier states; how many rows there were."""
    return len(delete_partition(database(), load(EntrySettings).entries_table, principal.owner))
