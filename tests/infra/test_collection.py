"""The collection can be made, and its index takes vectors."""

from __future__ import annotations

import pytest

from tests.infra.deployed import Deployed, deployed

AOSS = "AWS::OpenSearchServerless"


@pytest.fixture(params=["dev", "prod"])
def stage(request: pytest.FixtureRequest) -> Deployed:
    return deployed(request.param)


def test_the_collection_waits_for_its_group_and_policies(stage: Deployed) -> None:
    """Without an encryption policy that names it, a collection is refused."""
    [(id, collection)] = stage.of_kind(f"{AOSS}::Collection")
    needed = {each for each, _ in stage.of_kind(f"{AOSS}::CollectionGroup", f"{AOSS}::SecurityPolicy")}
    assert len(needed) == 3
    assert needed <= set(stage.resources[id]["DependsOn"])
    [(_, group)] = stage.of_kind(f"{AOSS}::CollectionGroup")
    assert collection["CollectionGroupName"] == group["Name"]


def test_the_deployment_may_make_the_index_before_it_does(stage: Deployed) -> None:
    [(id, index)] = stage.of_kind(f"{AOSS}::Index")
    [needed] = stage.resources[id]["DependsOn"]
    policy = stage.resources[needed]["Properties"]
    assert policy["Type"] == "data"
    assert "aoss:CreateIndex" in str(policy["Policy"])
    assert "cfn-exec-role" in str(policy["Policy"])
    assert index["Settings"] == {"Index": {"Knn": True}}
    fields = index["Mappings"]["Properties"]
    assert fields["card_vector"] == fields["vector"]
    assert fields["vector"]["Type"] == "knn_vector"
    assert fields["card_head_english"] == {"Type": "text", "Analyzer": "english"}


def test_the_collection_has_the_standby_replicas_that_its_generation_needs(stage: Deployed) -> None:
    [(_, group)] = stage.of_kind(f"{AOSS}::CollectionGroup")
    [(_, collection)] = stage.of_kind(f"{AOSS}::Collection")
    assert (group["Generation"], group["StandbyReplicas"]) == ("NEXTGEN", "ENABLED")
    assert collection["StandbyReplicas"] == "ENABLED"
