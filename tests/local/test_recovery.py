"""What a killed emulator leaves, and what a stage makes of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from local.stage.aws import aws_client
from local.stage.isolated import isolated
from local.stage.processes import Running
from local.stage.recovery import is_torso, set_aside
from local.stage.servers import start_emulator
from local.stage.settings import StageConfig

BUCKET = "cdk-assets"
TEMPLATE = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'


@contextmanager
def emulated(config: StageConfig) -> Iterator[Running]:
    running = start_emulator(config)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.stop()


def killed(running: Running) -> None:
    """The guard's child, which is the leader of a group of its own, with the whole group."""
    children = Path(f"/proc/{running.guard.pid}/task/{running.guard.pid}/children").read_text().split()
    os.killpg(int(children[0]), signal.SIGKILL)
    running.guard.wait()


def store_an_object(config: StageConfig) -> None:
    client = aws_client(config, "s3")
    client.create_bucket(Bucket=BUCKET)
    client.put_object(Bucket=BUCKET, Key="asset", Body=b"content")


def buckets(config: StageConfig) -> list[Any]:
    return [bucket["Name"] for bucket in aws_client(config, "s3").list_buckets()["Buckets"]]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the emulator's process in /proc")
def test_what_a_stage_leaves_that_was_killed_before_its_first_end_is_set_aside(tmp_path: Path) -> None:
    config = isolated(tmp_path)
    with emulated(config) as emulator:
        assert not is_torso(config)
        store_an_object(config)
        killed(emulator)
    with emulated(config):
        assert is_torso(config)
    kept = set_aside(config)
    assert list(kept.rglob(BUCKET))
    with emulated(config):
        assert not is_torso(config)
        assert buckets(config) == []


def test_a_stage_that_was_complete_once_keeps_its_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("local.stage.deploy.STACK", "Once")
    config = isolated(tmp_path)
    with emulated(config):
        store_an_object(config)
        assert is_torso(config)
        stacks = aws_client(config, "cloudformation")
        stacks.create_stack(StackName="Once", TemplateBody=TEMPLATE)
        stacks.get_waiter("stack_create_complete").wait(StackName="Once", WaiterConfig={"Delay": 1})
        assert not is_torso(config)
    with emulated(config):
        assert not is_torso(config)
        assert buckets(config) == [BUCKET]
