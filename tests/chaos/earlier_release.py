"""The message processor of an earlier commit, which takes its share of the queue of a running stage."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from local.stage.aws import aws_client
from local.stage.settings import ROOT, StageError
from tests.chaos.target import Target

_LIBRARY, _FUNCTION = "layers/shared/python/cicada", "functions/message_processor"
_COPIED = ("Runtime", "Role", "Handler", "Timeout", "MemorySize", "Environment", "Architectures")


def code_of(commit: str, repository: Path = ROOT) -> bytes:
    """The function's package, with the commit's library beside the handler, where it precedes that of the layers.

    Raises `StageError` for a commit that the repository does not have.
    """
    command = ["git", "-C", str(repository), "archive", "--format=tar", commit, _LIBRARY, _FUNCTION]
    archived = subprocess.run(command, capture_output=True, check=False)
    if archived.returncode:
        raise StageError(f"There is no processor of {commit} in this repository: {archived.stderr.decode().strip()}")
    package = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(archived.stdout)) as tree, zipfile.ZipFile(package, "w") as into:
        for member in tree:
            if content := tree.extractfile(member):
                name = member.name.removeprefix(f"{_FUNCTION}/").removeprefix(f"{Path(_LIBRARY).parent}/")
                into.writestr(name, content.read())
    return package.getvalue()


def worked_on(target: Target, function: str, requests: Iterable[str]) -> set[str]:
    """Those of the requests that are named in the function's log: it answered them, or began to."""
    logs = aws_client(target.config, "logs")
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=f"/aws/lambda/{function}")
    logged = "\n".join(event["message"] for page in pages for event in page["events"])
    return {each for each in requests if each in logged}


def share_with(target: Target, commit: str) -> str:
    """Give half of the queue's event source mappings to the commit's processor, whose name is returned.

    For a stage of one's own: nothing is taken back.
    """
    functions = aws_client(target.config, "lambda")
    today = target.info["functions"]["message_processor"]
    name = f"{today}-before"
    found = functions.get_function_configuration(FunctionName=today)
    layers = [each["Arn"] for each in found.get("Layers", [])]
    copied: dict[str, Any] = {key: found[key] for key in _COPIED if key in found}
    copied["Environment"] = {"Variables": found["Environment"]["Variables"]}
    functions.create_function(FunctionName=name, Code={"ZipFile": code_of(commit)}, Layers=layers, **copied)
    functions.get_waiter("function_active_v2").wait(FunctionName=name)
    for mapping in functions.list_event_source_mappings(FunctionName=today)["EventSourceMappings"][::2]:
        functions.delete_event_source_mapping(UUID=mapping["UUID"])
        functions.create_event_source_mapping(
            FunctionName=name,
            EventSourceArn=mapping["EventSourceArn"],
            BatchSize=1,
            FunctionResponseTypes=["ReportBatchItemFailures"],
        )
    return name
