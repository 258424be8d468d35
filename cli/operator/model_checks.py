"""Whether the models of a deployed stage answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from botocore.exceptions import ClientError

from cicada.settings import ModelProfileSettings
from cli.aws_failures import aws_calls, failure_of, is_denied
from cli.deployment_target import DeploymentTarget
from cli.operator.findings import Finding, checked
from cli.operator.model_lifecycle import retiring

_BEDROCK_ENDPOINT = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"
_EMBEDDING = "CICADA_EMBEDDING_MODEL_ID"
_PROFILES = "CICADA_MODEL_PROFILES"
_DIMENSION = "CICADA_EMBEDDING_DIMENSION"
# The settings of the functions that name models for Converse, one or several by comma.
_CONVERSE = (
    "CICADA_CHAT_MODEL_IDS",
    "CICADA_AGENT_MODEL_ID",
    "CICADA_QUERY_MODEL_ID",
    "CICADA_PLAN_MODEL_IDS",
    "CICADA_CONTEXT_MODEL_ID",
    "CICADA_CARD_MODEL_ID",
)


def model_findings(target: DeploymentTarget, functions: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """A finding on each model that the functions' settings name. Each is asked for a word, as nothing else tells."""
    found: list[Finding] = []
    variables = [each.get("Environment", {}).get("Variables", {}) for each in functions]
    endpoint = next((each[_BEDROCK_ENDPOINT] for each in variables if _BEDROCK_ENDPOINT in each), None)
    bedrock = _client(target, endpoint)
    own = {
        model: arn
        for each in variables
        for model, arn in ModelProfileSettings(each.get(_PROFILES, "")).by_model.items()
    }
    for model_id in _named(variables):
        found += checked("models", partial(_asked, model_id, partial(_converses, bedrock, model_id, own.get(model_id))))
    for model_id, dimension in dict.fromkeys(
        (each[_EMBEDDING], int(each[_DIMENSION])) for each in variables if _EMBEDDING in each
    ):
        found += checked("models", partial(_asked, model_id, partial(_embeds, bedrock, model_id, dimension)))
    ids = [*_named(variables), *dict.fromkeys(each[_EMBEDDING] for each in variables if _EMBEDDING in each)]
    return found + checked("models", partial(retiring, target.client("bedrock"), ids))


def _client(target: DeploymentTarget, endpoint: str | None) -> Any:
    import boto3

    options = dict(target.options) | ({"endpoint_url": endpoint} if endpoint else {})
    with aws_calls():
        return boto3.client("bedrock-runtime", **options)


def _named(variables: Sequence[Mapping[str, str]]) -> list[str]:
    texts = [each[name] for each in variables for name in _CONVERSE if each.get(name)]
    return sorted({model_id.strip() for text in texts for model_id in text.split(",") if model_id.strip()})


def _asked(model_id: str, ask: Callable[[], str]) -> Iterator[Finding]:
    """A refusal of the operator's own credentials says nothing about the model."""
    try:
        yield Finding("models", "ok", ask())
    except ClientError as error:
        failure = failure_of(error)
        if is_denied(error) or failure is None:
            raise
        yield Finding("models", "problem", f"{model_id} does not answer: {failure}")


def _converses(bedrock: Any, model_id: str, profile: str | None) -> str:
    """The model is asked as the functions ask it: through the stage's own profile, where it has one."""
    bedrock.converse(
        modelId=profile or model_id,
        messages=[{"role": "user", "content": [{"text": "Say yes."}]}],
        inferenceConfig={"maxTokens": 8},
    )
    return f"{model_id} answers."


def _embeds(bedrock: Any, model_id: str, dimension: int) -> str:
    from cicada.adapters.bedrock.embedder import embedding_model

    model = embedding_model(model_id, dimension)
    body = json.dumps(model.request(["Say yes."], query=True))
    reply = bedrock.invoke_model(modelId=model_id, body=body, contentType="application/json")
    [vector] = model.vectors(json.loads(reply["body"].read()))
    return f"{model_id} embeds in {len(vector)} dimensions."
