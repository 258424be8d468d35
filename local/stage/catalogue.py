"""What the knowledge bases have, as `cicada documents list` shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from local.stage.aws import aws_client, deployed_name
from local.stage.settings import StageConfig

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

_PAGE = 500


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """The version of a document that the index has, and its number of passages."""

    version: str
    passages: int


def indexed_documents(config: StageConfig, knowledge_base: str) -> dict[str, IndexedDocument]:
    """The documents of a knowledge base, by their ids; none if the function fails, which an ingest will report."""
    client: LambdaClient = aws_client(config, "lambda")
    found: dict[str, IndexedDocument] = {}
    offset: int | None = 0
    while offset is not None:
        page = _page(client, {"documents": "list", "knowledgeBase": knowledge_base, "limit": _PAGE, "offset": offset})
        found |= {each["documentId"]: IndexedDocument(each["version"], each["passages"]) for each in page["documents"]}
        offset = page["nextOffset"]
    return found


def _page(client: LambdaClient, event: dict[str, Any]) -> dict[str, Any]:
    reply = client.invoke(FunctionName=deployed_name("ingest_document"), Payload=json.dumps(event).encode())
    if "FunctionError" in reply:
        return {"documents": [], "nextOffset": None}
    page: dict[str, Any] = json.loads(reply["Payload"].read())
    return page
