"""What `cicada ingest --prune` removes: what the bucket holds of a knowledge base and the folder does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.arguments import Options
from cli.errors import library_errors
from cli.operator.document_states import document_files
from cli.operator.tenants import tenant_of_documents
from cli.screen import ask_first
from cli.text import clean_line

if TYPE_CHECKING:
    from cicada.documents.model import DocumentKey
    from cli.deployment_target import DeploymentTarget
    from clients.documents.files import Upload

# More than so many documents, or more than half of a base, are removed only after a confirmation.
_FEW = 10
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Surplus:
    """`documents` are not in the folder. `sidecars` are of documents that are there, without a sidecar.

    `stored`: how many documents the base has.
    """

    documents: Sequence[DocumentKey]
    sidecars: Sequence[DocumentKey]
    stored: int

    @property
    def needs_confirmation(self) -> bool:
        """Whether to ask before the removal, also of a sidecar: without its access list nobody may see a document."""
        many = len(self.documents)
        return bool(self.sidecars) or many > _FEW or 2 * many > self.stored


def surplus_of(target: DeploymentTarget, uploads: Sequence[Upload], options: Options) -> Surplus:
    """What is to be removed so that the base holds what the folder holds."""
    from cicada.documents.model import KnowledgeBaseKey

    here = {each.document: each for each in uploads}
    base_key = KnowledgeBaseKey(tenant_of_documents(options), options.knowledge_base)
    with document_files(target) as files:
        stored = files.stored(base_key)
    return Surplus(
        documents=[each.document for each in stored if each.document not in here],
        sidecars=[
            each.document
            for each in stored
            if each.has_sidecar and each.document in here and here[each.document].sidecar is None
        ],
        stored=len(stored),
    )


def described(surplus: Surplus) -> list[str]:
    """One line for each document and sidecar, of many the first ones."""
    lines = [f"  {clean_line(each.document_id)}" for each in surplus.documents]
    lines += [
        f"  {clean_line(each.document_id)}.metadata.json: if it names readers, nobody may read the document then"
        for each in surplus.sidecars
    ]
    more = len(lines) - _SHOWN
    return [*lines[:_SHOWN], *([f"  and {more} more"] if more > 0 else [])]


def confirm(surplus: Surplus, options: Options) -> None:
    """Ask if that is wanted, where it has to be. Raises `CommandError` if it is not, or if there is nobody to ask."""
    if options.yes or not surplus.needs_confirmation:
        return
    removed = len(surplus.documents) + len(surplus.sidecars)
    ask_first("Upload the folder and remove these?", f"give --yes to remove {removed} of {surplus.stored} documents.")


def remove_sidecars(target: DeploymentTarget, surplus: Surplus) -> None:
    """Remove sidecars before the upload of the documents, whose version includes the sidecar."""
    from cicada.adapters.aws_errors import s3_errors
    from cicada.adapters.s3.keys import sidecar_key

    client = target.client("s3")
    with library_errors(), s3_errors():
        for document in surplus.sidecars:
            client.delete_object(Bucket=target.output("DocumentsBucket"), Key=sidecar_key(document))
