"""A function of a stack, called as the Lambda console calls it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from typing import Any

from cli.errors import CommandError
from cli.operator.findings import Finding
from cli.text import clean_line

# A collection that has scaled to zero needs up to half a minute for the first search.
SEARCH_SECONDS = 90.0


class DeployedFunction:
    """`failing`: what a failure is called, such as "The rebuild failed"."""

    def __init__(self, client: Any, name: str, failing: str) -> None:
        self._client = client
        self._name = name
        self._failing = failing

    def call(self, event: dict[str, Any]) -> dict[str, Any]:
        """The function's result. Raises `CommandError` with the reason."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            reply = self._client.invoke(FunctionName=self._name, Payload=json.dumps(event).encode())
            result: dict[str, Any] = json.loads(reply["Payload"].read())
        except ClientError as error:
            raise CommandError(
                f"The function {self._name} cannot be invoked: {error.response['Error']['Code']}."
            ) from error
        except BotoCoreError as error:
            raise CommandError(f"{self._failing}: the function {self._name} does not answer.") from error
        if "FunctionError" in reply:
            reason = clean_line(str(result.get("errorMessage", "its log says why")))
            raise CommandError(f"{self._failing}: {reason}")
        return result


def index_findings(client: Any, function: str, flag: str, well: str) -> Iterator[Finding]:
    """Bases of which the index lacks most documents, or `well` for none; how it keeps vectors; the function's packages.

    Reading the names of all documents may take a while. `client`: of Lambda. `flag`: what makes a command work on the
    same stage.
    """
    compared = DeployedFunction(client, function, "No comparison").call({"documents": "compare"})
    yield from [*_missing(compared["bases"], flag)] or [Finding("index", "ok", well)]
    # A stage without a server has no such thing to tell, nor has one of an earlier version.
    if vectors := compared.get("vectors"):
        yield _kept(vectors, flag)
    if packages := compared.get("packages"):
        named = ", ".join(f"{name} {version}" for name, version in packages.items())
        yield Finding("packages", "ok", f"the functions run with {named}; tested with {_tested(packages)}.")


def _tested(names: Iterable[str]) -> str:
    """The versions that are installed here are those of the lock file, which all tests ran with."""
    return ", ".join(f"{name} {metadata.version(name)}" for name in names)


def _kept(vectors: Mapping[str, str], flag: str) -> Finding:
    engine = vectors["engine"] or "of the server's choice"
    text = f"engine {engine}, space {vectors['space']}, compression {vectors['compression']}"
    if vectors["compression"] == vectors["wanted"]:
        return Finding("vectors", "ok", f"{text}.")
    return Finding("vectors", "note", f"{text}; `cicada rebuild{flag}` makes it {vectors['wanted']}, as deployed.")


def _missing(bases: Iterable[Mapping[str, Any]], flag: str) -> Iterator[Finding]:
    for each in bases:
        if each["isIncomplete"]:
            text = (
                f"it lacks most of the {each['kept']} documents in {each['knowledgeBase']} of the tenant"
                f" {each['tenant']}: run `cicada rebuild{flag}`, or most questions there end in an error."
            )
            yield Finding("index", "problem", text)
