"""Reads the CDK's context values, given as `cdk … -c name=value`, and refuses those that are not allowed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from infra.concurrency import NEW_ACCOUNT, ConcurrencyBudget, concurrency_budget
from infra.model_choice import GEOGRAPHIES, ModelChoice, geography_of, require_collections
from infra.model_regions import model_regions

# The CDK's context value for a name, None if it is not set.
Context = Callable[[str], Any]
# Each model with its fallback; the local reranker comes last. By default no paid model reranks: at $1 (Amazon) or $2
# (Cohere) for 1,000 questions a reranking model costs more than the chat model that answers them (docs/reranking.md).
# `auto` is the cheaper one that the region has. Which questions are put to it is each knowledge base's setting.
_RERANK_MODELS: Mapping[str, tuple[str, ...]] = {
    "local": (),
    "amazon": ("amazon.rerank-v1:0",),
    "cohere": ("cohere.rerank-v3-5:0", "amazon.rerank-v1:0"),
    "auto": ("amazon.rerank-v1:0", "cohere.rerank-v3-5:0"),
}
# Every name that a stage knows.
NAMES = frozenset(
    (
        *("stage", "region", "geography", "accountConcurrency", "alarmEmail", "apiLogRole", "leaseSeconds", "releases"),
        # Models and what is asked of them.
        *("agentModel", "cardModel", "chatModel", "chatModels", "contextModel", "embeddingModel", "planModels"),
        *("queryModel", "rerank", "modelProfiles", "agents", "planner", "grounding", "guardrail", "ocr"),
        *("chatMaxTokens", "chatTemperature", "firstTextSeconds", "nextTextSeconds"),
        # The index and its network.
        *("collectionName", "searchUnits", "vectorCompression", "warmSearchUnits"),
        *("vpc", "vpcEndpoint", "vpcSecurityGroups", "vpcSubnets"),
        # Users, what they may do, and how much of it.
        *("administrators", "defaultTenant", "editors", "mfa", "originals"),
        *("identityProvider", "oidcClientId", "oidcIssuer", "oidcSecretName", "samlMetadataUrl"),
        *("commandsPerMinute", "connectionsPerUser", "messagesPerMinute", "requestsInFlight"),
        *("monthlyBudget", "tenantTokensPerDay"),
        # What is kept.
        *("auditDays", "backup", "dataEvents", "dataKey", "protect", "requestDays"),
        # Addresses.
        *("hostedZone", "page", "pageCertificate", "pageDomain", "signInCertificate", "signInDomain"),
        *("socketCertificate", "socketDomain"),
        # The parts of the local stage.
        *("awsUrl", "bedrockUrl", "callsUrl", "databaseUrl", "indexPath", "opensearchUrl", "processors", "search"),
        "tracesAddress",
    )
)
_ALIKE = 0.8  # of difflib's ratio: one letter too few, too many or wrong in a name of five
_NONE = "none"
# Of the vectors of a new index; 1x is none.
COMPRESSIONS = ("1x", "8x", "16x", "32x")
# One after the other they are silent for 45 s at the most.
_MOST_CHAT_MODELS = 3
# botocore: logs PutRetentionPolicy retentionInDays.
_RETENTIONS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)
# https://docs.aws.amazon.com/opensearch-service/latest/developerguide/collection-groups-capacity-limits.html
_FEW_UNITS, _MANY_UNITS, _MOST_UNITS = (0, 1, 2, 4, 8), 16, 1696
# As AWS::OpenSearchServerless::Collection has it; names of the data access policies are made of the stage's name.
_COLLECTION = re.compile(r"[a-z][a-z0-9-]{2,31}")
# botocore: bedrock-runtime GuardrailStreamConfiguration.
_GUARDRAIL = re.compile(r"[a-z0-9]{1,64}:([1-9][0-9]{0,7}|DRAFT)")
# botocore: cognito-idp GroupNameType; printable signs alone, as names of viewers have in `cicada.permissions`.
_GROUP = re.compile(r"[^\s\x00-\x1f\x7f]{1,128}")
# As in `cicada.identity`.
_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,62}")


class ContextValueError(ValueError):
    """A context value is not allowed, or one is missing. The message says what to use."""


def refuse_misspelt(names: Iterable[str]) -> None:
    """Raises `ContextValueError` for a name that looks like one of a stage's; the CDK ignores names that nobody reads.

    Other names are those of the CDK, of its plugins, or of whoever wraps this app.
    """
    for name in sorted(set(names) - NAMES):
        meant = get_close_matches(name.lower(), [known.lower() for known in NAMES], n=1, cutoff=_ALIKE)
        if meant:
            [known] = (each for each in NAMES if each.lower() == meant[0])
            raise ContextValueError(f"-c {name}=… is not known: did you mean -c {known}=…?")


def choice(context: Context, name: str, *allowed: str, called: str = "") -> str:
    """One of the allowed values, by default the first. `called`: what the value is the name of."""
    value = str(context(name) or allowed[0])
    if value not in allowed:
        known = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        raise ContextValueError(f"There is no {called or name} {value!r}: use -c {name}={known}.")
    return value


def text(context: Context, name: str, default: object = "") -> str:
    """Any text."""
    return str(context(name) or default)


def whole_number(context: Context, name: str, default: int, least: int = 1) -> int:
    """A whole number from `least` on."""
    value = text(context, name, default)
    if not re.fullmatch("[0-9]+", value) or int(value) < least:
        raise ContextValueError(f"-c {name}={value} cannot be used: give a whole number from {least} on.")
    return int(value)


def number(context: Context, name: str, default: str, allowed: Callable[[float], bool], hint: str) -> str:
    """A number, as it was given. `hint` says which ones are allowed."""
    value = text(context, name, default)
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not allowed(found):
        raise ContextValueError(f"-c {name}={value} cannot be used: give {hint}.")
    return value


def text_or_none(context: Context, name: str) -> str:
    """Any text; `none`, as in `-c cardModel=none`, is the empty one."""
    return "" if context(name) == _NONE else text(context, name)


def listed(context: Context, name: str) -> tuple[str, ...]:
    """The texts between commas; `none` is an empty list."""
    return tuple(each.strip() for each in text_or_none(context, name).split(",") if each.strip())


def tenant(context: Context, name: str) -> str:
    """The name of a tenant, empty for none."""
    found = text(context, name)
    if found and not _TENANT.fullmatch(found):
        raise ContextValueError(
            f"{found!r} cannot be the name of a tenant: use -c {name}=… with letters, digits and hyphens, 63 at most."
        )
    return found


def guardrail(context: Context) -> str:
    """`-c guardrail`: the id and the version of a guardrail of the account and the region, empty for none."""
    found = text_or_none(context, "guardrail")
    if found and not _GUARDRAIL.fullmatch(found):
        raise ContextValueError(
            f"-c guardrail={found} cannot be used: give ID:VERSION, as abc123def456:1, of a guardrail in this region."
        )
    return found


def group(context: Context, name: str, default: str = "") -> str:
    """The group whose members may do what the value is named after, such as `editors`; empty for nobody."""
    found = text(context, name, default)
    if found and not _GROUP.fullmatch(found):
        raise ContextValueError(f"-c {name}={found} cannot be used: give a group's name of at most 128 characters.")
    return found


def collection_name(context: Context, default: str) -> str:
    """`-c collectionName`: another name is another collection, with an empty index (docs/operations/keys.md)."""
    value = text(context, "collectionName", default)
    if not _COLLECTION.fullmatch(value):
        raise ContextValueError(
            f"-c collectionName={value} cannot be used: give 3 to 32 lowercase letters, digits and hyphens, "
            "a letter first."
        )
    return value


def retention_days(context: Context, name: str, default: int) -> int:
    """How many days a log group keeps its events."""
    found = text(context, name, default)
    if found not in map(str, _RETENTIONS):
        raise ContextValueError(
            f"CloudWatch Logs keeps nothing for {found!r} days: use -c {name}={', '.join(map(str, _RETENTIONS))}."
        )
    return int(found)


def capacity_units(context: Context, name: str, default: int, *, least: int, most: int = _MOST_UNITS) -> int:
    """Units of OpenSearch Serverless, of those numbers that a collection group can have."""
    value = text(context, name, default)
    if not re.fullmatch("[0-9]+", value) or not (
        least <= int(value) <= most and (int(value) in _FEW_UNITS or int(value) % _MANY_UNITS == 0)
    ):
        allowed = [str(each) for each in (*_FEW_UNITS, _MANY_UNITS) if least <= each <= most]
        more = f" or a multiple of 16 up to {most:,}" if most > _MANY_UNITS else ""
        raise ContextValueError(f"-c {name}={value} cannot be used: give {', '.join(allowed)}{more}.")
    return int(value)


def backup(context: Context, stage: str, region: str) -> str:
    """`-c backup`: empty for none, the stage's own region for `on`, or the region that copies go to."""
    value = text_or_none(context, "backup")
    regions = model_regions().collections - {region}
    if value and stage != "prod":
        raise ContextValueError(f"-c backup={value} is for prod: {stage} keeps nothing when its stack goes.")
    if value and value != "on" and value not in regions:
        raise ContextValueError(
            f"-c backup={value} cannot be used: give on, none, or the region that copies go to, another than {region} "
            f"and one of {', '.join(sorted(regions))}."
        )
    return region if value == "on" else value


def ocr(context: Context, region: str) -> str:
    """`-c ocr=textract`: what recognises the text of scans in the region, empty for nothing."""
    value = choice(context, "ocr", _NONE, "textract", called="recognition of text")
    offered = model_regions().textract
    if value != _NONE and region not in offered:
        raise ContextValueError(
            f"{region} has no Amazon Textract: leave out -c ocr={value}, or deploy to {', '.join(sorted(offered))}."
        )
    return "" if value == _NONE else value


def tokens_per_day(context: Context) -> int:
    """`-c tenantTokensPerDay`: 0 or `none` is no limit."""
    return 0 if context("tenantTokensPerDay") == _NONE else whole_number(context, "tenantTokensPerDay", 0, least=0)


def commands_per_minute(context: Context, messages: int) -> str:
    """`-c commandsPerMinute=…`, by default so many that a message is as dear as twenty of them, and at least 1,200.

    The entry of a message costs five (`cicada.conversation.limits`), so there must be five for each message a minute.
    """
    messages = whole_number(context, "messagesPerMinute", messages)
    return str(whole_number(context, "commandsPerMinute", max(1200, 20 * messages), max(60, 5 * messages)))


def concurrency(context: Context) -> ConcurrencyBudget:
    """`-c accountConcurrency=1000`: the account's quota. By default that of a new account, which every account has."""
    return concurrency_budget(whole_number(context, "accountConcurrency", NEW_ACCOUNT, least=NEW_ACCOUNT))


def rerank_models(context: Context) -> tuple[str, ...]:
    """The reranking models in the order of fallback, none to rerank locally."""
    return _RERANK_MODELS[choice(context, "rerank", *_RERANK_MODELS, called="reranker")]


def models_of(context: Context, region: str) -> ModelChoice:
    """The models of the region that the stack is deployed to, in the geography that models may answer in."""
    table = model_regions()
    require_collections(table, region)
    geography = text(context, "geography") or geography_of(table, region)
    if geography not in GEOGRAPHIES:
        raise ContextValueError(f"There is no geography {geography!r}: use -c geography={', '.join(GEOGRAPHIES)}.")
    return ModelChoice(table, region, geography)


def model(context: Context, purpose: str, models: ModelChoice) -> str:
    """The model that the context names, otherwise the best one for the purpose."""
    id = text(context, purpose)
    return models.checked(purpose, id) if id else models.first(purpose)


def model_or_none(context: Context, purpose: str, models: ModelChoice) -> str:
    """`none`, as in `-c contextModel=none`, is no model."""
    return "" if context(purpose) == _NONE else model(context, purpose, models)


def named_model(context: Context, purpose: str, models: ModelChoice) -> str:
    """The model that the context names, empty for none."""
    id = text_or_none(context, purpose)
    return models.checked(purpose, id) if id else ""


def chat_models(context: Context, models: ModelChoice) -> tuple[str, ...]:
    """`-c chatModels=a,b` in the order of fallback; `-c chatModel=a` is a list of one, and so is the best model."""
    chosen = listed(context, "chatModels")
    if not chosen:
        return (model(context, "chatModel", models),)
    if context("chatModel"):
        raise ContextValueError("-c chatModel and -c chatModels cannot be used together: name all in chatModels.")
    if len(chosen) > _MOST_CHAT_MODELS:
        raise ContextValueError(f"-c chatModels can be used with {_MOST_CHAT_MODELS} models at most.")
    return tuple(models.checked("chatModels", each) for each in chosen)


def first_text_seconds(context: Context) -> str:
    """`-c firstTextSeconds=12`: every chat model is waited for so long, in turn."""
    return _seconds(context, "firstTextSeconds", "12", 15)


def next_text_seconds(context: Context) -> str:
    return _seconds(context, "nextTextSeconds", "20", 45)


def _seconds(context: Context, name: str, default: str, most: int) -> str:
    return number(context, name, default, lambda value: 1 <= value <= most, f"seconds from 1 to {most}, as {default}")


def plan_models(context: Context, models: ModelChoice) -> tuple[str, ...]:
    """The planning models in the order of fallback. `-c planModels=none` leaves planning to the rules."""
    if not context("planModels"):
        return tuple(models.best("planModels", 2))
    return tuple(models.checked("planModels", each) for each in listed(context, "planModels"))
