"""`cicada cost`: what it multiplies is what the code does, and what it prints is what README says."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from cicada.answering.prompt import estimated_tokens
from cicada.answering.pump import STEADY, Pace
from cicada.conversation.delivery import Delivery
from cicada.conversation.protocol import Chunk
from cicada.understanding.plan import Intent
from cli.errors import CommandError
from cli.operator.month import CHUNKS, DOCUMENT, NEXT_CHUNK, ONE_CHUNK, WAYS
from cli.operator.prices import read_prices
from local.stage.settings import ROOT
from tests.cli.conftest import Shell
from tests.fakes.context_writer import ScriptedContextWriter
from tests.fakes.retrieval import FixedIndex
from tests.metered.pipeline import PacedModel, Pipeline
from tests.unit.answering.situation import Situation, passage
from tests.unit.ingest.scripts import play
from tests.unit.ingest.test_ingest import Stage

# Of a question and its answer: tables are asked so often, however large the rows are.
DATABASE_CALLS = 20
ROW = re.compile(r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|.* \$([\d,]+) \|$", re.MULTILINE)


def counted(act: Callable[[Pipeline], object], pipeline: Pipeline) -> dict[str, float]:
    """What the act takes, by the names of the prices."""
    tables = pipeline.aws.tables.metered
    writes, reads, posted = tables.write_units, tables.read_units, pipeline.aws.posted_messages
    act(pipeline)
    taken = (tables.write_units - writes, tables.read_units - reads, pipeline.aws.posted_messages - posted)
    names = ("dynamodb_write_unit", "dynamodb_read_unit", "api_gateway_message")
    return {name: amount for name, amount in zip(names, taken, strict=True) if amount}


@pytest.fixture
def pipeline() -> Pipeline:
    """A session with one question behind it."""
    made = Pipeline(PacedModel(["She should have died hereafter [1]."]), Pace())
    made.connect()
    made.accept()
    return made


def test_a_question_takes_the_calls_that_are_priced(pipeline: Pipeline) -> None:
    calls = pipeline.aws.tables.metered.calls
    found = counted(lambda each: each.process(each.accept()), pipeline)
    # One update less if the user's bucket of commands is full again.
    assert DATABASE_CALLS - (pipeline.aws.tables.metered.calls - calls) in (0, 1)
    # The question itself, and `accepted`, which the function returns.
    found["api_gateway_message"] += 2
    # A row near 1 KB is one unit more or less, and so is that update.
    assert ONE_CHUNK["dynamodb_write_unit"] - found.pop("dynamodb_write_unit") in (0, 1, 2)
    assert found.items() <= ONE_CHUNK.items()


def test_a_chunk_takes_the_calls_that_are_priced(pipeline: Pipeline) -> None:
    now = time.time()
    lease = pipeline.log.take_lease(pipeline.accept(), now, now + 60)
    assert lease
    delivery = Delivery(lease, pipeline.log, pipeline.processor.channel, time.time, 60)
    assert counted(lambda _: delivery.send(Chunk("She should have died")), pipeline) == NEXT_CHUNK


def test_an_answer_of_three_seconds_has_as_many_chunks() -> None:
    seconds, chunks = 0.0, 0
    while seconds < 3:
        seconds, chunks = seconds + STEADY.wait(seconds), chunks + 1
    assert chunks == CHUNKS


@pytest.mark.parametrize(
    ("way", "intent"), [("passages", Intent.SCRIPT_QUERY), ("conversation", Intent.GENERAL)], ids=str
)
def test_a_way_calls_the_model_as_often_as_is_priced(way: str, intent: Intent) -> None:
    situation = Situation().routed(intent)
    situation.parts()
    assert len(situation.model.prompts) == WAYS[way].calls
    assert round(sum(each.share for each in WAYS.values()), 9) == 1


def test_a_prompt_of_passages_has_no_more_tokens_than_are_priced() -> None:
    long = [passage(f"{number} " + "word " * 300, number) for number in range(1, 40)]
    situation = Situation(FixedIndex(*long))
    situation.parts()
    [prompt] = situation.model.prompts
    assert 3500 < estimated_tokens(prompt.system + prompt.user) <= WAYS["passages"].read


def test_a_document_embeds_and_describes_each_passage_once() -> None:
    stage, writer = Stage(), ScriptedContextWriter()
    stage.ingester = replace(stage.ingester, contexts=writer)
    passages = stage.upload(play("macbeth")).passages
    assert (len(stage.embedder.texts), len(writer.asked)) == (passages + 1, passages)
    assert DOCUMENT.passages > 0


def test_readme_says_what_the_command_computes(shell: Shell) -> None:
    rows = ROW.findall((ROOT / "README.md").read_text("utf-8"))
    assert len(rows) == 3
    for questions, hours, documents, total in rows:
        given = (each.replace(",", "") for each in (questions, hours, documents))
        options = zip(("--questions", "--hours", "--documents"), given, strict=True)
        assert shell("cost", "--json", *(text for option in options for text in option)) == 0
        assert f"{shell.json()['total']:,.0f}" == total


def test_one_question_alone_wakes_the_search_for_ten_minutes(shell: Shell) -> None:
    assert shell("cost", "--json", "--questions", "1", "--documents", "0") == 0
    assert shell.json()["parts"]["OpenSearch Serverless"] == 0.08


def test_units_that_never_rest_and_the_most_that_may_be_used_are_priced(shell: Shell) -> None:
    options = ["-c", "warmSearchUnits=2", "-c", "searchUnits=8"]
    assert shell("cost", "--json", "--questions", "0", "--documents", "0", *options) == 0
    found = shell.json()
    assert (found["parts"]["OpenSearch Serverless"], found["mostForSearch"]) == (350.4, 2102.4)


def test_scans_are_priced_by_the_page_where_their_text_is_recognised(shell: Shell) -> None:
    for options, dollars in ((["-c", "ocr=textract"], 1.5), ([], 0)):
        assert shell("cost", "--json", "--scanned-pages", "1000", *options) == 0
        assert shell.json()["parts"]["Text of scans"] == dollars


def test_parts_assumptions_and_sum_are_shown(shell: Shell) -> None:
    assert shell("cost", "--questions", "300", "-c", "chatModel=us.amazon.nova-pro-v1:0") == 0
    out = shell.out()
    assert re.search(r"^Models +\$\d", out, re.MULTILINE)
    assert re.search(r"^sum of a month +\$\d", out, re.MULTILINE)
    assert "300 questions in 176 hours of the month: 75% passages" in out


def test_a_model_without_a_price_is_refused_by_name(shell: Shell) -> None:
    assert shell("cost", "-c", "chatModel=us.meta.llama4-scout-17b-instruct-v1:0") == 1
    assert "There is no price of meta.llama4-scout-17b-instruct-v1:0 read: add it to prices.toml" in shell.err()


def test_a_price_without_a_day_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('[unit]\npart = "a"\ndollars = 1.0\nunit = "b"\nregion = "us-east-1"\nsource = "c"\n')
    with pytest.raises(CommandError, match=r"The price of unit cannot be used: .*`day`"):
        read_prices(table)
