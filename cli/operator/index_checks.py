"""Whether a stage's index has the documents of the ground truth, for `cicada status` and `cicada doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cli.operator.findings import Finding
from cli.operator.ingest_function import IngestFunction

# A collection that has scaled to zero needs up to half a minute for the first search.
SEARCH_SECONDS = 90.0


def missing_documents(client: Any, function: str, flag: str) -> Iterator[Finding]:
    """The bases of which the index lacks most documents. Reading the names of all documents may take a while.

    `client`: of Lambda. `flag`: what makes a command work on the same stage.
    """
    for each in IngestFunction(client, function, "No comparison").call({"documents": "compare"})["bases"]:
        if each["isIncomplete"]:
            text = (
                f"it lacks most of the {each['kept']} documents in {each['knowledgeBase']} of the tenant"
                f" {each['tenant']}: run `cicada rebuild{flag}`, or most questions there end in an error."
            )
            yield Finding("index", "problem", text)
