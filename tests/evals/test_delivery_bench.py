"""The meter of the delivery bench counts as DynamoDB does, and the figures it gives have the right shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from cicada.answering.pump import Pace
from evals.delivery_bench.cost import PRICES, turn
from evals.delivery_bench.growth import growth, listed
from evals.delivery_bench.metered_table import MeteredTables, item_size
from evals.delivery_bench.pipeline import PacedModel, Pipeline, tokens

KEY = {"pk": {"S": "a"}, "sk": {"S": "HEAD"}}


def put(tables: MeteredTables, **attributes: Mapping[str, object]) -> None:
    tables.call("PutItem", {"TableName": "t", "Item": {**KEY, **attributes}})


def update(tables: MeteredTables, expression: str, **values: Mapping[str, object]) -> None:
    body = {"TableName": "t", "Key": KEY, "UpdateExpression": expression}
    tables.call("UpdateItem", body | {"ExpressionAttributeValues": {f":{name}": held for name, held in values.items()}})


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"name": {"S": "é"}}, 4 + 2),
        ({"n": {"N": "1234567"}}, 1 + 5),
        ({"n": {"N": "0"}}, 1 + 1),
        ({"b": {"BOOL": True}}, 1 + 1),
        ({"l": {"L": [{"S": "ab"}, {"S": "c"}]}}, 1 + 3 + (1 + 2) + (1 + 1)),
        ({"m": {"M": {"k": {"S": "ab"}}}}, 1 + 3 + (1 + 1 + 2)),
    ],
)
def test_an_items_size_is_that_of_its_names_and_values(item: dict[str, object], size: int) -> None:
    assert item_size(item) == size


def test_a_write_costs_a_unit_for_each_begun_kilobyte_of_the_larger_item() -> None:
    tables = MeteredTables()
    put(tables, body={"S": "x" * 1500})
    assert tables.metered.write_units == 2
    put(tables)
    assert tables.metered.write_units == 4
    put(tables)
    assert tables.metered.write_units == 5


def test_an_update_leaves_the_item_and_its_size_as_a_put_of_the_result_would() -> None:
    tables = MeteredTables()
    put(tables, old={"S": "x"}, kept={"S": "y"}, count={"N": "1"}, chunks={"L": []})
    update(tables, "SET kept = if_not_exists(kept, :new), added = :new ADD count :one", new={"S": "zz"}, one={"N": "1"})
    update(tables, "REMOVE old")
    before = tables.metered.update_bytes
    update(tables, "SET chunks = list_append(chunks, :more)", more={"L": [{"S": "abc"}]})
    expected = {
        **KEY,
        "kept": {"S": "y"},
        "count": {"N": "2"},
        "chunks": {"L": [{"S": "abc"}]},
        "added": {"S": "zz"},
    }
    assert tables.call("GetItem", {"TableName": "t", "Key": KEY})["Item"] == expected
    assert tables.metered.update_bytes - before == item_size(expected)


def test_a_transaction_costs_twice() -> None:
    tables = MeteredTables()
    tables.call("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "t", "Item": KEY}}]})
    assert tables.metered.write_units == 2


def test_the_index_is_written_when_what_it_holds_changes() -> None:
    tables = MeteredTables()
    entry = {"historyKey": {"S": "h"}, "historyOrder": {"N": "1"}}
    put(tables, **entry)
    assert tables.metered.write_units == 2
    update(tables, "SET other = :x", x={"S": "x"})
    assert tables.metered.write_units == 3
    update(tables, "SET title = :x", x={"S": "x"})
    assert tables.metered.write_units == 5
    update(tables, "SET historyOrder = :x", x={"N": "2"})
    assert tables.metered.write_units == 8


def test_a_consistent_read_costs_a_unit_for_each_begun_four_kilobytes() -> None:
    tables = MeteredTables()
    put(tables, body={"S": "x" * 5000})
    tables.call("GetItem", {"TableName": "t", "Key": KEY, "ConsistentRead": True})
    assert tables.metered.read_units == 2
    tables.call("GetItem", {"TableName": "t", "Key": KEY})
    assert tables.metered.read_units == 3


def test_a_list_in_one_item_costs_more_for_each_chunk_than_for_the_one_before() -> None:
    short, long = listed(tokens(1000)), listed(tokens(2000))
    assert long.written_bytes > 3.5 * short.written_bytes


def test_the_answer_goes_through_the_metered_pipeline_whole() -> None:
    pipeline = Pipeline(PacedModel(tokens(500)), pace=Pace())
    pipeline.connect()
    pipeline.process(pipeline.accept())
    frames = [json.loads(frame) for frame in pipeline.aws.frames]
    assert "".join(frame["content"] for frame in frames if frame["type"] == "chunk") == "".join(tokens(500))
    assert frames[-1]["type"] == "complete"
    assert pipeline.aws.queued == 1


def test_each_chunk_more_is_one_row_and_one_update_of_the_head() -> None:
    short, long = (growth(length, haste=50) for length in (20, 200))
    assert long.events > short.events
    assert long.write_units - short.write_units == 2 * (long.events - short.events)
    assert long.answer_bytes == len("".join(tokens(200)))


def test_every_count_of_a_turn_has_a_price() -> None:
    priced = json.loads(Path(PRICES).read_text("utf-8"))
    counts = turn(Pace(), length=10)
    assert set(counts) == set(priced["dollars"])
    assert min(counts.values()) > 0
    assert priced["noted"]
    assert priced["sources"]
