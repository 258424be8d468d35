"""Values of the audit trail: who connected from where, and who was shown which documents.

Records hold ids, names of users, addresses and counts: no text of a question, an answer or a document, and no title.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Outcome = Literal["complete", "failed", "cancelled", "interrupted", "replayed", "tool"]


class ShownDocument(Struct, frozen=True, rename="camel"):
    """A document of which a user, or the model that answers the user, was shown something."""

    knowledge_base: str
    document_id: str
    version: str


class Handshake(Struct, frozen=True, tag="connection", tag_field="kind", rename="camel", omit_defaults=True):
    """A handshake. `at`: epoch seconds. `address` and `user_agent`: of the client, as API Gateway saw them.

    `refused`: why the connection was not opened; then nobody is known to have asked for it.
    """

    at: float
    connection_id: str
    address: str
    user_agent: str = ""
    tenant: str = ""
    user: str = ""
    login: str = ""
    refused: str = ""


class DocumentsShown(Struct, frozen=True, tag="answer", tag_field="kind", rename="camel", omit_defaults=True):
    """What one attempt at an answer has shown. `at`: epoch seconds.

    `outcome`: how the attempt ended. `interrupted`: its processor died, and the next attempt's wrote the record.
    `replayed`: stored events were sent again, by `resume` or a repeated message. `tool`: an agent of Bedrock was given
    the documents by a tool; the record of its answer has the same `request_id` and `attempt`.
    `code`: of the error in which the answer ended. `models`: that wrote the answer. `repeated`: another record of the
    same attempt may have been written before.
    """

    at: float
    tenant: str
    user: str
    request_id: str
    attempt: int
    knowledge_base: str
    outcome: Outcome
    documents: tuple[ShownDocument, ...]
    login: str = ""
    connection_id: str = ""
    intent: str = ""
    path: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    code: str = ""
    repeated: bool = False


AuditRecord = Handshake | DocumentsShown
