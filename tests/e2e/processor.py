"""The deployed processor of messages with other settings, as a deployment with another context would give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from local.stage.aws import aws_client
from tests.chaos.target import Target


@contextmanager
def processor_with(stage: Target, **variables: str) -> Iterator[None]:
    """Meanwhile the processor's environment has these variables."""
    functions = aws_client(stage.config, "lambda")
    name = stage.info["functions"]["message_processor"]
    usual = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
    assert usual != usual | variables

    def change(environment: Mapping[str, str]) -> None:
        functions.update_function_configuration(FunctionName=name, Environment={"Variables": dict(environment)})
        functions.get_waiter("function_updated_v2").wait(FunctionName=name)

    change(usual | variables)
    try:
        yield
    finally:
        change(usual)
