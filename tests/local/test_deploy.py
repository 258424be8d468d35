"""What is deployed: nothing twice, and every change at the next start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from local.stage import deploy as deployment
from local.stage.deploy import Deployed, deploy, deployed, fingerprint_of
from local.stage.settings import StageConfig, StageError, load

OUTPUTS = {"DocumentsBucket": "documents"}


class StackMissingError(Exception):
    pass


class CloudFormation:
    """The emulator's stacks: none, or one."""

    exceptions = SimpleNamespace(ClientError=StackMissingError)

    def __init__(self) -> None:
        self.stack: dict[str, Any] | None = None

    def describe_stacks(self, StackName: str) -> dict[str, Any]:  # noqa: N803 - boto3's name
        if self.stack is None:
            raise StackMissingError(StackName)
        return {"Stacks": [self.stack]}

    def create(self, tag: str, status: str = "CREATE_COMPLETE") -> None:
        name, value = tag.split("=")
        outputs = [{"OutputKey": key, "OutputValue": output} for key, output in OUTPUTS.items()]
        self.stack = {"StackStatus": status, "Tags": [{"Key": name, "Value": value}], "Outputs": outputs}


class Emulator:
    """Counts the deployments."""

    def __init__(self) -> None:
        self.stacks = CloudFormation()
        self.deployments = 0
        self.commands: list[str] = []
        self.context: set[str] = set()

    def cdk(self, config: StageConfig, log: Path, *arguments: str) -> None:
        self.commands.append(arguments[0])
        self.context |= {each.removeprefix("--context=") for each in arguments if each.startswith("--context=")}
        if arguments[0] == "deploy":
            self.deployments += 1
            self.stacks.create(arguments[-1])


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Emulator:
    """The project is a small tree, and its layers' packages are installed."""
    for file in ("app.py", "cdk.json", "package-lock.json", "infra/a.py", "functions/ask/handler.py", "layers/l.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("before", "utf-8")
    emulator = Emulator()
    monkeypatch.setattr(deployment, "ROOT", tmp_path)
    monkeypatch.setattr(deployment, "LOCAL_PACKAGES", tmp_path / "infra")
    monkeypatch.setattr(deployment, "aws_client", lambda config, service: emulator.stacks)
    monkeypatch.setattr(deployment, "_cdk", emulator.cdk)
    return emulator


def stage_in(folder: Path) -> StageConfig:
    return StageConfig(folder / "stage", 1, 2, 3, 4, "embedded", "")


def start(config: StageConfig) -> Deployed:
    return deploy(config, fingerprint_of(config), lambda line: None)


def test_what_has_not_changed_is_not_deployed_again(emulator: Emulator, tmp_path: Path) -> None:
    first = start(stage_in(tmp_path))
    assert first.outputs == OUTPUTS
    assert start(stage_in(tmp_path)) == first
    assert emulator.commands == ["synth", "bootstrap", "deploy"]


@pytest.mark.parametrize(
    "file", ["app.py", "cdk.json", "package-lock.json", "infra/a.py", "functions/ask/handler.py", "layers/l.py"]
)
def test_a_changed_file_is_deployed_at_the_next_start(emulator: Emulator, tmp_path: Path, file: str) -> None:
    start(stage_in(tmp_path))
    (tmp_path / file).write_text("after", "utf-8")
    start(stage_in(tmp_path))
    assert emulator.deployments == 2


def test_a_new_file_and_another_setting_are_deployed_too(emulator: Emulator, tmp_path: Path) -> None:
    start(stage_in(tmp_path))
    (tmp_path / "functions" / "ask" / "new.py").write_text("", "utf-8")
    start(stage_in(tmp_path))
    start(replace(stage_in(tmp_path), context={"processors": "2"}))
    assert emulator.deployments == 3


@pytest.mark.parametrize(
    ("environment", "models"), [({}, "none"), ({"CICADA_LLM_URL": "http://m/v1"}, "cicada.local-model")]
)
def test_a_model_server_plans_beside_the_rules(
    emulator: Emulator, tmp_path: Path, environment: dict[str, str], models: str
) -> None:
    start(load(environment | {"CICADA_STAGE_DIR": str(tmp_path / "stage")}))
    assert f"planModels={models}" in emulator.context


def test_byte_code_is_no_change(emulator: Emulator, tmp_path: Path) -> None:
    start(stage_in(tmp_path))
    cache = tmp_path / "functions" / "ask" / "__pycache__"
    cache.mkdir()
    (cache / "handler.cpython-311.pyc").write_bytes(b"code")
    start(stage_in(tmp_path))
    assert emulator.deployments == 1


@pytest.mark.parametrize(
    "status", ["CREATE_IN_PROGRESS", "ROLLBACK_COMPLETE", "UPDATE_FAILED", "UPDATE_ROLLBACK_COMPLETE"]
)
def test_a_deployment_that_was_broken_off_is_made_again(emulator: Emulator, tmp_path: Path, status: str) -> None:
    config = stage_in(tmp_path)
    emulator.stacks.create(f"fingerprint={fingerprint_of(config)}", status)
    assert deployed(config) is None
    start(config)
    assert emulator.deployments == 1


def test_layers_whose_packages_are_gone_are_built_again(
    emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = stage_in(tmp_path)
    start(config)
    (config.folder / "cdk.out").mkdir(parents=True)
    monkeypatch.setattr(deployment, "LOCAL_PACKAGES", tmp_path / "gone")
    start(config)
    assert emulator.deployments == 2
    assert not (config.folder / "cdk.out").exists()


def test_a_stack_that_is_not_complete_after_its_deployment_is_an_error(
    emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deployment, "_cdk", lambda config, log, *arguments: None)
    with pytest.raises(StageError, match="Cicada-local is not complete"):
        start(stage_in(tmp_path))
    assert emulator.deployments == 0
