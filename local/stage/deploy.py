"""Deploys the CDK app to the emulator with the CDK's own command line."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from infra.layer_build import LOCAL_PACKAGES
from local.stage.aws import aws_client, client_environment
from local.stage.processes import finish
from local.stage.settings import ACCOUNT, REGION, ROOT, StageConfig, StageError, process_environment

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_cloudformation.type_defs import StackTypeDef

STACK = "Cicada-local"
_CDK = ROOT / "node_modules" / ".bin" / "cdk"
_DEPLOYED = ("app.py", "cdk.json", "package-lock.json", "infra", "functions", "layers")
# Any name will do: the stand-in forwards the calls of every model to the one server.
_PLAN_MODEL = "cicada.local-model"
_FINGERPRINT_TAG = "fingerprint"
# Others that end in COMPLETE are of deployments that failed and were rolled back.
_COMPLETE = ("CREATE_COMPLETE", "UPDATE_COMPLETE")


@dataclass(frozen=True, slots=True)
class Deployed:
    """A finished stack in the emulator: the fingerprint of what it was deployed from, and its outputs by name."""

    fingerprint: str
    outputs: Mapping[str, str]


def deploy(config: StageConfig, fingerprint: str, say: Callable[[str], None]) -> Deployed:
    """The stack of this version. It is synthesised and deployed unless the emulator has it already."""
    assembly = config.folder / "cdk.out"
    if not LOCAL_PACKAGES.exists():
        # The built layers refer to packages that no longer exist.
        shutil.rmtree(assembly, ignore_errors=True)
    elif (found := deployed(config)) and found.fingerprint == fingerprint:
        say("  nothing has changed since the last deployment")
        return found
    _deploy(config, fingerprint, assembly, say)
    if (made := deployed(config)) is None:
        raise StageError(f"The stack {STACK} is not complete; see {_log(config)}.")
    return made


def _deploy(config: StageConfig, fingerprint: str, assembly: Path, say: Callable[[str], None]) -> None:
    log = _log(config)
    context = [f"--context={name}={value}" for name, value in _context(config).items()]
    say("  synthesising the templates, building the layers …")
    _cdk(config, log, "synth", "--quiet", "--output", str(assembly), *context)
    say("  bootstrapping the emulator's account …")
    _cdk(config, log, "bootstrap", f"aws://{ACCOUNT}/{REGION}", "--app", str(assembly))
    say("  creating or updating the stack …")
    _cdk(
        config,
        log,
        "deploy",
        STACK,
        "--app",
        str(assembly),
        "--require-approval",
        "never",
        "--tags",
        f"{_FINGERPRINT_TAG}={fingerprint}",
    )


def destroy(config: StageConfig) -> None:
    """Delete the stack that was deployed from this folder."""
    _cdk(config, _log(config), "destroy", STACK, "--app", str(config.folder / "cdk.out"), "--force")


def deployed(config: StageConfig) -> Deployed | None:
    """The deployed stage, None without a finished stack."""
    stack = _stack(config)
    if stack is None or stack["StackStatus"] not in _COMPLETE:
        return None
    tags = {tag["Key"]: tag["Value"] for tag in stack.get("Tags", [])}
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}
    return Deployed(tags.get(_FINGERPRINT_TAG, ""), outputs)


def has_ever_been_complete(config: StageConfig) -> bool:
    """Whether there is a stack whose creation succeeded, whatever became of later updates."""
    stack = _stack(config)
    return stack is not None and (stack["StackStatus"] in _COMPLETE or stack["StackStatus"].startswith("UPDATE_"))


def _stack(config: StageConfig) -> StackTypeDef | None:
    client: CloudFormationClient = aws_client(config, "cloudformation")
    try:
        return client.describe_stacks(StackName=STACK)["Stacks"][0]
    except client.exceptions.ClientError:
        return None


def _log(config: StageConfig) -> Path:
    return config.folder / "logs" / "deploy.log"


def _context(config: StageConfig) -> dict[str, str]:
    return {
        "stage": "local",
        "awsUrl": config.aws_url,
        "bedrockUrl": config.bedrock_url,
        "search": config.search,
        "indexPath": str(config.index_path),
        "opensearchUrl": config.opensearch_url,
        # The stand-in's own model can plan no more than a search for the message.
        "planModels": _PLAN_MODEL if config.model_url else "none",
        **config.context,
    }


def _cdk(config: StageConfig, log: Path, *arguments: str) -> None:
    environment = (
        process_environment() | client_environment(config) | {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20"}
    )
    command = [str(_CDK), *arguments, "--no-color", "--no-notices", "--ci"]
    log.parent.mkdir(parents=True, exist_ok=True)
    status = finish("CDK", command, environment, log)
    if status:
        end = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise StageError(f"`cdk {arguments[0]}` failed. Its log, {log}, ends with:\n{end}")


def fingerprint_of(config: StageConfig) -> str:
    """A digest of everything that the deployment depends on."""
    digest = hashlib.sha256(repr(sorted(_context(config).items())).encode())
    for name in _DEPLOYED:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:32]
