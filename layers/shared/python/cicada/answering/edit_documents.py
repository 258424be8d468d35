"""Documents are uploaded, described and removed by editors: the members of a group who may read the document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from cicada.answering.open_document import no_such_document
from cicada.answering.ports import DocumentFiles, StoredSidecar
from cicada.conversation.model import Connection
from cicada.conversation.protocol import (
    DescribeDocument,
    DocumentDescription,
    DocumentRemoved,
    RemoveDocument,
    UploadDocument,
    UploadForm,
)
from cicada.conversation.withholding import Withholding
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.documents.states import DocumentState
from cicada.errors import (
    DocumentChangedError,
    DocumentExistsError,
    DocumentNotFoundError,
    DocumentRefusedError,
    DocumentRejectedError,
    NoEditorError,
    UnknownKnowledgeBaseError,
)
from cicada.identity import Principal
from cicada.ingest.metadata import STAYS_OUT
from cicada.ingest.model import EVERYONE
from cicada.ingest.sidecar import sidecar_with, viewers_in, written_fields
from cicada.ingest.uploads import refusal
from cicada.observability.audit import Act, DocumentEdited
from cicada.permissions import may_ask, viewer_names

FORM_SECONDS = 300
"""For how long a form is good: its file may be sent so long after it was given."""

# Whose names are taken of an upload is looked at for so many of the documents that are not searchable.
_MOST_OTHERS = 100

Edit = UploadDocument | DescribeDocument | RemoveDocument


class DocumentEditing(Struct, frozen=True):
    """What editors do. They see and change what they may read, like everybody else.

    `group`: whose members are editors. `named`: the document of a base's file. `audit` is called with each act; it does
    not fail. `clock` gives epoch seconds.
    """

    files: DocumentFiles
    withholding: Withholding
    group: str
    named: Callable[[KnowledgeBaseKey, str], DocumentKey]
    audit: Callable[[DocumentEdited], object]
    clock: Callable[[], float]

    def includes(self, principal: Principal) -> bool:
        """Whether the user is an editor."""
        return self.group in principal.groups

    def upload(self, command: UploadDocument, connection: Connection) -> UploadForm:
        """A form for the file. The sidecar of a new document is written first: it says who may read it.

        Raises `NoEditorError`, `DocumentRefusedError` for a file that ingest would reject, `DocumentExistsError`, and
        `DocumentChangedError` while another upload or the removal of the name is under way.
        """
        principal = connection.principal
        document = self._document(command, command.name, principal)
        reason = refusal(command.name, command.size)[0] or ("" if command.size else "The file is empty.")
        if reason:
            raise DocumentRefusedError(reason)
        readers: tuple[str, ...] = ()
        if self.files.holds(document):
            self._require_replaceable(command, document, principal)
        else:
            readers = tuple(command.readers) or (f"user:{principal.user}",)
            self._describe_new(document, readers)
        self._record(command, document, connection, "replace" if not readers else "upload", readers)
        url, fields = self.files.form(document, command.size, FORM_SECONDS)
        return UploadForm(document.document_id, url, dict(fields), FORM_SECONDS)

    def describe(self, command: DescribeDocument, connection: Connection) -> DocumentDescription:
        """What the sidecar says, after it was written if the command has fields.

        Raises `DocumentNotFoundError`, `DocumentChangedError` if it is not of the command's version any more, and
        `DocumentRefusedError` for what a sidecar cannot say.
        """
        document = self._document(command, command.document_id, connection.principal)
        sidecar = self._readable(document, connection.principal)
        content, version = (sidecar.content, sidecar.version) if sidecar else (None, "")
        if command.fields is not None:
            new = _written(content, command.fields, command.readers)
            over = self.files.write_sidecar(document, new, version) if version == command.version else None
            if over is None:
                raise DocumentChangedError("Somebody else has changed what is said of this document meanwhile.")
            self._record(command, document, connection, "describe", tuple(command.readers))
            content, version = new, over
        return DocumentDescription(document.document_id, written_fields(content), viewers_in(content) or (), version)

    def remove(self, command: RemoveDocument, connection: Connection) -> DocumentRemoved:
        """Take the file away, and when nothing of it is searchable any more its sidecar.

        Raises `DocumentNotFoundError`.
        """
        document = self._document(command, command.document_id, connection.principal)
        if self.files.holds(document):
            self._readable(document, connection.principal)
            self.files.remove_file(document)
            self._record(command, document, connection, "remove")
            return DocumentRemoved(document.document_id, gone=False)
        if self._viewers(document) is not None:
            self._readable(document, connection.principal)
            return DocumentRemoved(document.document_id, gone=False)
        left = self.files.sidecar(document)
        # One that names nobody hides nothing, and says nothing to keep of a document that is gone.
        if left is None or (viewers_in(left.content) != () and not self._is_named(left, connection.principal)):
            raise no_such_document()
        self.files.remove_sidecar(document)
        return DocumentRemoved(document.document_id, gone=True)

    def state(self, document: DocumentKey, principal: Principal, *, is_listed: bool) -> DocumentState | None:
        """The state of a document; None if there is none, or none for the user."""
        if not is_listed and not self._shown_to(principal, document.base_key)([document.document_id]):
            return None
        return self.files.state(document, is_listed=is_listed)

    def states(
        self, base_key: KnowledgeBaseKey, principal: Principal, rows: Sequence[DocumentRow]
    ) -> Mapping[str, DocumentState]:
        """The states of these documents, and of those that are not searchable and that the user may know of."""
        listed = {
            each.document.document_id: datetime.fromtimestamp(each.indexed_at, UTC) if each.indexed_at else None
            for each in rows
        }
        return self.files.states(base_key, listed, self._shown_to(principal, base_key))

    def _shown_to(self, principal: Principal, base_key: KnowledgeBaseKey) -> Callable[[Sequence[str]], Collection[str]]:
        """Which documents without a row the user may know of: those that never had one, and that name the user."""

        def shown(ids: Sequence[str]) -> Collection[str]:
            known = self.withholding.gate.access.readers_of(base_key, ids)
            unknown = [name for name in ids if name not in known][:_MOST_OTHERS]
            return [n for n in unknown if self._is_named(self.files.sidecar(DocumentKey(base_key, n)), principal)]

        return shown

    def _document(self, command: Edit, name: str, principal: Principal) -> DocumentKey:
        """The document that an editor means. The tenant is the user's."""
        if not self.includes(principal):
            raise NoEditorError("You may read documents here, and not change them: ask those who run the service.")
        base_key = KnowledgeBaseKey(principal.tenant, command.knowledge_base)
        if not may_ask(self.withholding.bases().of(base_key), principal):
            raise UnknownKnowledgeBaseError(f"There is no knowledge base “{command.knowledge_base}”.")
        try:
            return self.named(base_key, name)
        except DocumentRejectedError as error:
            raise DocumentRefusedError(str(error)) from error

    def _require_replaceable(self, command: UploadDocument, document: DocumentKey, principal: Principal) -> None:
        try:
            self._readable(document, principal)
        except DocumentNotFoundError:
            raise DocumentRefusedError("This name is taken: give the file another one.") from None
        if not command.replace:
            raise DocumentExistsError("There is a document of this name: replace it, or keep it.")

    def _describe_new(self, document: DocumentKey, readers: tuple[str, ...]) -> None:
        """Write the first sidecar of a document. Whoever else has a form for the name must not have chosen others."""
        content = _written(None, {}, readers)
        left = self.files.sidecar(document)
        is_fresh = left is not None and left.written_at > self.clock() - FORM_SECONDS
        if self._viewers(document) is not None or (left and is_fresh and left.content != content):
            raise DocumentChangedError(
                "A document of this name is being uploaded or removed: try again in five minutes, or take another name."
            )
        if self.files.write_sidecar(document, content, left.version if left else "") is None:
            raise DocumentChangedError("Somebody else is uploading a document of this name: take another one.")

    def _readable(self, document: DocumentKey, principal: Principal) -> StoredSidecar | None:
        """The sidecar of a document that the user may read: by the record, and by what the sidecar says by now.

        Raises `DocumentNotFoundError`.
        """
        sidecar = self.files.sidecar(document)
        if self._viewers(document) is None:
            if self.files.holds(document) and self._is_named(sidecar, principal):
                return sidecar
            raise no_such_document()
        named = viewers_in(sidecar.content) if sidecar else ()
        # One that is not understood may restrict the viewers.
        is_open = named is not None and (not named or _names(named, principal))
        if not is_open or self.withholding.withheld(principal, frozenset({document})):
            raise no_such_document()
        return sidecar

    def _viewers(self, document: DocumentKey) -> tuple[str, ...] | None:
        """The recorded viewers; None for a document that is not searchable."""
        return self.withholding.gate.access.readers_of(document.base_key, [document.document_id]).get(
            document.document_id
        )

    def _is_named(self, sidecar: StoredSidecar | None, principal: Principal) -> bool:
        return sidecar is not None and _names(viewers_in(sidecar.content) or (), principal)

    def _record(
        self, command: Edit, document: DocumentKey, connection: Connection, act: Act, readers: tuple[str, ...] = ()
    ) -> None:
        user = connection.principal
        self.audit(
            DocumentEdited(
                at=self.clock(),
                tenant=user.tenant,
                user=user.user,
                request_id=command.request_id,
                knowledge_base=document.base_key.knowledge_base,
                document_id=document.document_id,
                act=act,
                readers=readers,
                login=user.login,
                connection_id=connection.connection_id,
            )
        )


def _names(viewers: tuple[str, ...], principal: Principal) -> bool:
    return viewers == EVERYONE or not viewer_names(principal).isdisjoint(viewers)


def _written(before: bytes | None, fields: Mapping[str, Sequence[str]], readers: Sequence[str]) -> bytes:
    try:
        return sidecar_with(before, fields, readers)
    except DocumentRejectedError as error:
        raise DocumentRefusedError(str(error).removesuffix(STAYS_OUT).rstrip()) from error
