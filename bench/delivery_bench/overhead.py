"""Overhead of the pipeline over the bare model stream, both measured in the same run."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from cicada.answering.parts import Prompt
from cicada.answering.pump import Pace
from cicada.conversation.delivery import Delivery
from cicada.conversation.protocol import Chunk
from cicada.generation import ModelUsage
from tests.metered.aws import MeteredAws
from tests.metered.pipeline import PacedModel, Pipeline, tokens

_WARM_UP = 5
# Long enough that everything before the answer is sent before the model's first token.
_THINKING_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Overhead:
    """Medians, warm. CPU of everything from taking the request to the first chunk's post, beyond the bare stream.

    `first_token_sdk_cpu_ms` is the AWS SDK's part of it. `first_token_wall_ms` is from the model's first piece to its
    post: the earlier work overlaps with the model's delay. No network is in any of these.
    """

    runs: int
    first_token_cpu_ms: float
    first_token_sdk_cpu_ms: float
    first_token_calls: int
    first_token_wall_ms: float
    first_token_wall_p90_ms: float
    bare_tokens_per_second: float
    pipeline_tokens_per_second: float
    events_per_second: float


@dataclass(frozen=True, slots=True)
class _First:
    cpu_ms: float
    sdk_cpu_ms: float
    wall_ms: float
    calls: int


def overhead(runs: int) -> Overhead:
    """Measure `runs` first tokens, one after the other, then the throughputs."""
    pipeline = Pipeline(PacedModel(tokens(2), first_after_seconds=_THINKING_SECONDS))
    pipeline.connect()
    found = [_first(pipeline) for _ in range(_WARM_UP + runs)][_WARM_UP:]
    bare_cpu = statistics.median(_bare_first_cpu_ms() for _ in range(runs))
    walls = [each.wall_ms for each in found]
    return Overhead(
        runs=runs,
        first_token_cpu_ms=statistics.median(each.cpu_ms for each in found) - bare_cpu,
        first_token_sdk_cpu_ms=statistics.median(each.sdk_cpu_ms for each in found),
        first_token_calls=found[0].calls,
        first_token_wall_ms=statistics.median(walls),
        first_token_wall_p90_ms=statistics.quantiles(walls, n=10)[-1] if runs > 1 else walls[0],
        bare_tokens_per_second=_bare_rate(200_000),
        pipeline_tokens_per_second=_pipeline_rate(50_000),
        events_per_second=_event_rate(1_000),
    )


def _first(pipeline: Pipeline) -> _First:
    """One answer, stopped at its first chunk's post."""
    key = pipeline.accept()
    aws, ends = pipeline.aws, list[_First]()
    began, sdk_began, calls = _cpu_seconds(aws), aws.sdk_cpu_seconds, aws.tables.metered.calls + aws.posted_messages

    def note(frame: str) -> None:
        if not ends and '"type":"chunk"' in frame:
            ends.append(
                _First(
                    (_cpu_seconds(aws) - began) * 1000,
                    (aws.sdk_cpu_seconds - sdk_began) * 1000,
                    (time.perf_counter() - pipeline.model.first_at) * 1000,
                    aws.tables.metered.calls + aws.posted_messages - calls,
                )
            )

    aws.on_post = note
    pipeline.process(key)
    return ends[0]


def _cpu_seconds(aws: MeteredAws) -> float:
    """CPU time of this process, without the meter's own."""
    return time.process_time() - aws.meter_cpu_seconds


def _bare_first_cpu_ms() -> float:
    model = PacedModel(tokens(2))
    began = time.process_time()
    next(model.stream(Prompt("", "")))
    return (time.process_time() - began) * 1000


def _bare_rate(count: int) -> float:
    model = PacedModel(tokens(count))
    began = time.perf_counter()
    for piece in model.stream(Prompt("", "")):
        if isinstance(piece, ModelUsage):
            break
    return count / (time.perf_counter() - began)


def _pipeline_rate(count: int) -> float:
    """Throughput with tokens as fast as the model can: they are sent in large chunks."""
    pipeline = Pipeline(PacedModel(tokens(count)), pace=Pace())
    pipeline.connect()
    key = pipeline.accept()
    began = time.perf_counter()
    pipeline.process(key)
    return count / (time.perf_counter() - began)


def _event_rate(count: int) -> float:
    """Throughput of events of one token each, stored and posted one after the other."""
    pipeline = Pipeline(PacedModel(()))
    pipeline.connect()
    lease = pipeline.log.take_lease(pipeline.accept(), time.time(), time.time() + 60)
    if lease is None:
        raise RuntimeError("The lease was refused.")
    delivery = Delivery(lease, pipeline.log, pipeline.processor.channel, time.time, 60)
    began = time.perf_counter()
    for piece in tokens(count):
        delivery.send(Chunk(content=piece))
    return count / (time.perf_counter() - began)
