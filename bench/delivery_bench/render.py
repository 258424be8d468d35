"""The bench's results as tables of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from bench.delivery_bench.cost import FIRST_TOKEN_SECONDS, TOKENS_PER_SECOND, TURN_TOKENS, Cost
from bench.delivery_bench.crowd import Crowd
from bench.delivery_bench.growth import Growth
from bench.delivery_bench.overhead import Overhead

# Columns: the fields of `Growth`, in their order.
_COLUMNS = (
    "tokens",
    "bytes",
    "events",
    "chunks",
    "1st chunk B",
    "payload B",
    "event rows B",
    "head rows B",
    "write units",
    "list B",
    "list units",
    "list of tokens B",
    "token units",
)


@dataclass(frozen=True, slots=True)
class Results:
    """`crowd` is None without a stage. `load`: the machine's one-minute load average before and after."""

    growth: Sequence[Growth]
    overhead: Overhead
    costs: Sequence[Cost]
    crowd: Crowd | None
    load: tuple[float, float]


def render(found: Results) -> str:
    parts = [_growth(found.growth), _slope(found.growth[-2:]), _overhead(found.overhead), _costs(found.costs)]
    if found.crowd:
        parts.append(_crowd(found.crowd))
    parts.append(iter([f"Load of the machine over the last minute: {found.load[0]:.1f}, then {found.load[1]:.1f}."]))
    return "\n\n".join("\n".join(part) for part in parts)


def _growth(rows: Sequence[Growth]) -> Iterator[str]:
    yield "One answer, 100 tokens/s; event rows and head rows are whole items, each time that they are written"
    yield "".join(f"{name:>{_width(name)}}" for name in _COLUMNS)
    for row in rows:
        values = asdict(row).values()
        yield "".join(f"{round(value):>{_width(name)},}" for name, value in zip(_COLUMNS, values, strict=True))


def _slope(ends: Sequence[Growth]) -> Iterator[str]:
    """Marginal cost between the two longest answers: of one more byte, and of a thousand more tokens."""
    short, long = ends
    more = long.answer_bytes - short.answer_bytes
    thousands = (long.tokens - short.tokens) / 1000
    yield f"Each further byte of answer, from {short.tokens:,} to {long.tokens:,} tokens:"
    yield f"  payload {(long.payload_bytes - short.payload_bytes) / more:.2f} bytes"
    yield f"  event rows {(long.event_bytes - short.event_bytes) / more:.2f} bytes"
    yield f"  head rows {(long.head_bytes - short.head_bytes) / more:.2f} bytes"
    yield f"  list, same chunks {(long.list_bytes - short.list_bytes) / more:.1f} bytes"
    yield f"  list of tokens {(long.list_of_tokens_bytes - short.list_of_tokens_bytes) / more:,.0f} bytes"
    yield f"Each further 1,000 tokens: {(long.write_units - short.write_units) / thousands:.0f} write units, against"
    yield f"  {(long.list_units - short.list_units) / thousands:,.0f} of the list with the same chunks and"
    yield f"  {(long.list_of_tokens_units - short.list_of_tokens_units) / thousands:,.0f} of the list of tokens"


def _overhead(found: Overhead) -> Iterator[str]:
    yield f"Added to the first token, warm, medians of {found.runs}, without a network"
    yield f"  CPU {found.first_token_cpu_ms:.1f} ms for {found.first_token_calls} calls and what leads to them"
    yield f"  of it the AWS SDK {found.first_token_sdk_cpu_ms:.1f} ms"
    yield f"  wall {found.first_token_wall_ms:.1f} ms from the model to the post"
    yield f"  90 % of these within {found.first_token_wall_p90_ms:.1f} ms"
    yield f"  events through the pipeline {found.events_per_second:,.0f}/s"
    yield f"  tokens {found.pipeline_tokens_per_second:,.0f}/s, the bare stream {found.bare_tokens_per_second:,.0f}/s"


def _costs(found: Sequence[Cost]) -> Iterator[str]:
    yield f"1,000 turns in dollars, beside model and search; prices of {found[0].priced}, to be checked"
    yield f"  a turn: {TURN_TOKENS} tokens at {TOKENS_PER_SECOND}/s, the first after {FIRST_TOKEN_SECONDS} s"
    heads = "".join(f"{f'{each.pace.least_seconds}–{each.pace.most_seconds} s apart':>30}" for each in found)
    yield f"  {'chunks leave':<32}{heads}"
    for name in found[0].counts:
        cells = "".join(f"{each.counts[name]:>18.1f}{each.dollars[name]:>12.4f}" for each in found)
        yield f"  {name:<32}{cells}"
    yield f"  {'total':<32}" + "".join(f"{each.total:>30.4f}" for each in found)


def _crowd(found: Crowd) -> Iterator[str]:
    yield f"{found.sockets} sockets and {found.answers} answers at once on the local stage"
    yield f"  connected in {found.connect_seconds:.1f} s"
    yield f"  complete {found.complete}, exact {found.exact}, at most {found.most_streaming} streaming at once"
    yield f"  first token after {found.first_token[0]:.1f} s (median), {found.first_token[1]:.1f} s (longest)"
    yield f"  ended after {found.end[0]:.1f} s (median), {found.end[1]:.1f} s (longest)"
    yield f"  {found.events} events, {found.events_per_second:.0f}/s"


def _width(name: str) -> int:
    return max(len(name) + 2, 10)
