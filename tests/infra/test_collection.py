"""The collection can be made."""

from __future__ import annotations

from tests.infra.deployed import Deployed, with_additions

AOSS = "AWS::OpenSearchServerless"


def test_the_collection_waits_for_its_group_and_policies(stage: Deployed) -> None:
    """Without an encryption policy that names it, a collection is refused."""
    [(id, collection)] = stage.of_kind(f"{AOSS}::Collection")
    needed = {each for each, _ in stage.of_kind(f"{AOSS}::CollectionGroup", f"{AOSS}::SecurityPolicy")}
    assert len(needed) == 3
    assert needed <= set(stage.resources[id]["DependsOn"])
    group = stage.only(f"{AOSS}::CollectionGroup")
    assert collection["CollectionGroupName"] == group["Name"]


def test_the_search_scales_between_what_is_given() -> None:
    limits = with_additions().only(f"{AOSS}::CollectionGroup")["CapacityLimits"]
    assert (limits["MinSearchCapacityInOcu"], limits["MaxSearchCapacityInOcu"]) == (2, 16)


def test_the_index_is_left_to_the_functions(stage: Deployed) -> None:
    """The role of the deployment needs no data access policy, so no bootstrap of the account is assumed."""
    assert list(stage.of_kind(f"{AOSS}::Index")) == []
    assert "cfn-exec-role" not in str(list(stage.of_kind(f"{AOSS}::AccessPolicy")))


def test_the_collection_has_the_standby_replicas_that_its_generation_needs(stage: Deployed) -> None:
    group = stage.only(f"{AOSS}::CollectionGroup")
    collection = stage.only(f"{AOSS}::Collection")
    assert (group["Generation"], group["StandbyReplicas"]) == ("NEXTGEN", "ENABLED")
    assert collection["StandbyReplicas"] == "ENABLED"
