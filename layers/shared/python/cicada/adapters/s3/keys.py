"""The bucket's keys: documents, sidecars, reports, ground truth and the rebuild record.

documents/<tenant>/<knowledge base>/<file…>                  the file; what follows the knowledge base is its id
documents/<tenant>/<knowledge base>/<file…>.metadata.json    its sidecar, which describes it
reports/<tenant>/<knowledge base>/<file…>.json               the report on it
truth/<tenant>/<knowledge base>/<file…>.jsonl.gz             its ground truth, from which indexes are built
vectors/<tenant>/<knowledge base>/<file…>/<part>             vectors of a part of it, kept for a day
scans/<tenant>/<knowledge base>/<digest>.pdf                 a scan whose text is being recognised, kept for a day
rebuild/record.json.gz                                       the progress of a rebuild
"""

from __future__ import annotations

import re

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import DocumentRejectedError

_DOCUMENTS, _REPORTS, _TRUTH, _VECTORS, _SCANS = "documents", "reports", "truth", "vectors", "scans"
_SIDECAR, _TRUTH_SUFFIX = ".metadata.json", ".jsonl.gz"
TRUTH_PREFIX = f"{_TRUTH}/"
REBUILD_KEY = "rebuild/record.json.gz"
# The protocol's form of knowledge bases' names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
# The report's key is longer than the file's; S3 takes 1,024 bytes.
_LONGEST_ID_BYTES = 800


def document_key(key: str) -> DocumentKey:
    """The document of its own or its sidecar's object key, not percent-encoded. Raises `DocumentRejectedError`."""
    place, _, rest = (key[: -len(_SIDECAR)] if is_sidecar(key) else key).partition("/")
    tenant, _, rest = rest.partition("/")
    knowledge_base, _, document_id = rest.partition("/")
    if place != _DOCUMENTS or not document_id:
        raise DocumentRejectedError(
            "A document belongs at documents/<tenant>/<knowledge base>/<file>; upload it there."
        )
    for name in (tenant, knowledge_base):
        if not is_name(name):
            raise DocumentRejectedError(
                "The names of tenant and knowledge base have 1 to 64 letters, digits and the signs . _ : - and start "
                "with a letter or digit; upload the file under such names."
            )
    _check_document_id(document_id)
    return DocumentKey(KnowledgeBaseKey(tenant, knowledge_base), document_id)


def named_document(base_key: KnowledgeBaseKey, name: str) -> DocumentKey:
    """The document that a file of this name becomes. Raises `DocumentRejectedError`, for a sidecar's name too."""
    if is_sidecar(name):
        raise DocumentRejectedError("This file only describes another one; upload that one.")
    return document_key(f"{_DOCUMENTS}/{base_key.tenant}/{base_key.knowledge_base}/{name}")


def is_name(text: str) -> bool:
    """Whether a tenant or a knowledge base can have this name."""
    return _NAME.fullmatch(text) is not None


def _check_document_id(document_id: str) -> None:
    if _UNSAFE.search(document_id) or any(part in ("", ".", "..") for part in document_id.split("/")):
        raise DocumentRejectedError(
            "The file's path has an empty part, a dot part or a control character; rename the file."
        )
    if len(document_id.encode()) > _LONGEST_ID_BYTES:
        raise DocumentRejectedError(f"The file's path is longer than {_LONGEST_ID_BYTES} bytes; rename the file.")


def object_key(document: DocumentKey) -> str:
    """The key of the file."""
    return f"{_DOCUMENTS}/{_path(document)}"


def is_sidecar(key: str) -> bool:
    """Whether the object is a sidecar, or is meant to be one: its name may be in another case."""
    return key.lower().endswith(_SIDECAR)


def sidecar_key(document: DocumentKey) -> str:
    """The key of the document's sidecar, if it has one."""
    return f"{object_key(document)}{_SIDECAR}"


def truth_key(document: DocumentKey) -> str:
    """The key of the document's ground truth."""
    return f"{TRUTH_PREFIX}{_path(document)}{_TRUTH_SUFFIX}"


def truth_prefix(base_key: KnowledgeBaseKey) -> str:
    """What the keys of the ground truth of a base's documents begin with."""
    return f"{TRUTH_PREFIX}{base_key.tenant}/{base_key.knowledge_base}/"


def is_truth(key: str) -> bool:
    """Whether the key may be a `truth_key`; the console creates objects for folders, which are none."""
    return key.startswith(TRUTH_PREFIX) and key.endswith(_TRUTH_SUFFIX) and key.count("/") >= 3


def truth_document(key: str) -> DocumentKey:
    """The document of a `truth_key`."""
    tenant, knowledge_base, document_id = key.removeprefix(TRUTH_PREFIX).removesuffix(_TRUTH_SUFFIX).split("/", 2)
    return DocumentKey(KnowledgeBaseKey(tenant, knowledge_base), document_id)


def report_key(document: DocumentKey) -> str:
    """The key of the report on the file."""
    return f"{_REPORTS}/{_path(document)}.json"


def vectors_key(document: DocumentKey, part: str) -> str:
    """The key of the vectors of a part of the document."""
    return f"{_VECTORS}/{_path(document)}/{part}"


def scan_key(document: DocumentKey, digest: str) -> str:
    """The key of a scan while its text is recognised. It names no file: not all that S3 takes suit the recognition."""
    return f"{_SCANS}/{document.base_key.tenant}/{document.base_key.knowledge_base}/{digest}.pdf"


def _path(document: DocumentKey) -> str:
    return f"{document.base_key.tenant}/{document.base_key.knowledge_base}/{document.document_id}"
