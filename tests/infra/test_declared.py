"""The tables and queues that the contract tests work on are those of the templates.

`python -m tests.infra.test_declared` stores them anew after a change of the CDK app.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.contract.declared import STORED
from tests.infra.conftest import Template, resources, template_of
from tests.infra.deployed import Deployed

_OF_A_TABLE = ("AttributeDefinitions", "BillingMode", "GlobalSecondaryIndexes", "KeySchema", "TimeToLiveSpecification")
_OF_A_QUEUE = (
    "DeduplicationScope",
    "DelaySeconds",
    "FifoQueue",
    "FifoThroughputLimit",
    "MessageRetentionPeriod",
    "VisibilityTimeout",
)


def declared(template: Template) -> dict[str, dict[str, Any]]:
    """What decides how tables and named queues behave, by kind and by name without the stage."""
    tables = _properties(template, "AWS::DynamoDB::GlobalTable")
    names = {each: name for name, each in zip(Deployed(template).tables(), tables, strict=True)}
    queues = _properties(template, "AWS::SQS::Queue")
    return {
        "tables": {names[id]: _some(tables[id], _OF_A_TABLE) for id in sorted(tables, key=names.__getitem__)},
        "queues": {
            _short(queue["QueueName"]): _some(queue, _OF_A_QUEUE) | _redrive(queue, queues)
            for queue in queues.values()
            if queue.get("FifoQueue")
        },
    }


def _redrive(queue: dict[str, Any], queues: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if "RedrivePolicy" not in queue:
        return {}
    [target, _] = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"]
    count = queue["RedrivePolicy"]["maxReceiveCount"]
    return {"RedrivePolicy": {"deadLetterTarget": _short(queues[target]["QueueName"]), "maxReceiveCount": count}}


def _properties(template: Template, kind: str) -> dict[str, dict[str, Any]]:
    return {id: resource["Properties"] for id, resource in resources(template, kind).items()}


def _some(properties: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: properties[name] for name in names if name in properties}


def _short(name: str) -> str:
    """`cicada-<stage>-requests` is `requests`."""
    return name.split("-", 2)[2]


@pytest.mark.parametrize("stage", ["local", "dev", "prod"])
def test_the_contract_tests_work_on_what_the_app_declares(stage: str) -> None:
    assert json.loads(STORED.read_text("utf-8")) == declared(template_of(stage))


if __name__ == "__main__":
    STORED.write_text(json.dumps(declared(template_of("dev")), indent=2) + "\n", "utf-8")
