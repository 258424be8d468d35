"""Deploys the CDK app to the emulator with the CDK's own command line."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from infra.layer_build import LOCAL_PACKAGES
from local.stage.aws import aws_client, client_environment
from local.stage.processes import finish
from local.stage.settings import ACCOUNT, REGION, ROOT, StageConfig, StageError, inherited

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient

STACK = "Cicada-local"
_CDK = ROOT / "node_modules" / ".bin" / "cdk"
_DEPLOYED = ("app.py", "cdk.json", "package-lock.json", "infra", "functions", "layers")
_FINGERPRINT_TAG = "fingerprint"


def deploy(config: StageConfig) -> bool:
    """Synthesise, bootstrap and deploy, unless the emulator already has this version. True if it deployed."""
    fingerprint = _fingerprint(config)
    assembly = config.folder / "cdk.out"
    if not LOCAL_PACKAGES.exists():
        # The built layers refer to packages that no longer exist.
        shutil.rmtree(assembly, ignore_errors=True)
    elif deployed_fingerprint(config) == fingerprint:
        return False
    log = config.folder / "logs" / "deploy.log"
    context = [f"--context={name}={value}" for name, value in _context(config).items()]
    _cdk(config, log, "synth", "--quiet", "--output", str(assembly), *context)
    _cdk(config, log, "bootstrap", f"aws://{ACCOUNT}/{REGION}", "--app", str(assembly))
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
    return True


def outputs(config: StageConfig) -> dict[str, str]:
    """The deployed stack's outputs, by name."""
    stack = _cloudformation(config).describe_stacks(StackName=STACK)["Stacks"][0]
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def deployed_fingerprint(config: StageConfig) -> str | None:
    """The version that a stack in the emulator was deployed from; None without a finished stack."""
    client = _cloudformation(config)
    try:
        stack = client.describe_stacks(StackName=STACK)["Stacks"][0]
    except client.exceptions.ClientError:
        return None
    if not stack["StackStatus"].endswith("_COMPLETE"):
        return None
    return next((tag["Value"] for tag in stack.get("Tags", []) if tag["Key"] == _FINGERPRINT_TAG), None)


def _context(config: StageConfig) -> dict[str, str]:
    return {
        "stage": "local",
        "awsUrl": config.aws_url,
        "bedrockUrl": config.bedrock_url,
        "search": config.search,
        "indexPath": str(config.index_path),
        "opensearchUrl": config.opensearch_url,
        **config.context,
    }


def _cdk(config: StageConfig, log: Path, *arguments: str) -> None:
    environment = inherited() | client_environment(config) | {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20"}
    command = [str(_CDK), *arguments, "--no-color", "--no-notices", "--ci"]
    log.parent.mkdir(parents=True, exist_ok=True)
    status = finish("CDK", command, environment, log)
    if status:
        end = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise StageError(f"`cdk {arguments[0]}` failed. Its log, {log}, ends with:\n{end}")


def _fingerprint(config: StageConfig) -> str:
    """A digest of everything that the deployment depends on."""
    digest = hashlib.sha256(repr(sorted(_context(config).items())).encode())
    for name in _DEPLOYED:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:32]


def _cloudformation(config: StageConfig) -> CloudFormationClient:
    client: CloudFormationClient = aws_client(config, "cloudformation")
    return client
