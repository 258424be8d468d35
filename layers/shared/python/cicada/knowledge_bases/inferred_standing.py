"""What says that a document is in force, where no schema does: fields and values that mean it in most places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cicada.knowledge_bases.schema import FieldType, SchemaField, StandingRule
from cicada.knowledge_bases.values import folded

_STATUS = ("status", "state", "stand", "statut", "estado", "document status")
_REPLACES = ("supersedes", "replaces", "ersetzt", "remplace", "sustituye", "reemplaza", "substitui")
_NUMBER, _VERSION = (
    ("number", "document number", "doc no", "nummer", "numéro", "número"),
    ("version", "revision", "rev"),
)
_IN_FORCE = frozenset({
    "in force", "in effect", "effective", "valid", "current", "approved", "released", "gültig", "in kraft",
    "en vigueur", "vigente", "freigegeben", "genehmigt",
})  # fmt: skip
_NOT_YET = frozenset({
    "draft", "proposed", "in review", "under review", "planned", "upcoming", "pending approval", "entwurf", "brouillon",
    "borrador",
})  # fmt: skip
_NO_LONGER = frozenset({
    "superseded", "retired", "withdrawn", "obsolete", "expired", "outdated", "replaced", "revoked", "archived",
    "no longer valid", "invalid", "abgelaufen", "ungültig", "zurückgezogen", "ersetzt", "périmé", "remplacé",
    "derogado", "obsoleto", "caducado",
})  # fmt: skip


def standing_rule(fields: Mapping[str, SchemaField]) -> StandingRule | None:
    """The rule of a base's fields; None where neither a value nor a field says that a document no longer holds.

    Fields of rows alone say nothing of documents: a member whose membership has expired is no rule that has.
    """
    of_documents = {folded(each.name): each for each in fields.values() if not each.tables or "" in each.tables}
    names = {key: _first(keys, of_documents) for key, keys in _FIELDS.items()}
    status = of_documents.get(folded(names["field"]))
    values = status.values if status is not None and status.type is FieldType.KEYWORD else ()
    no_longer, in_force = _among(values, _NO_LONGER), _among(values, _IN_FORCE)
    says = bool(no_longer and in_force)
    if not (says or names["replaces"] or (names["number"] and names["version"])):
        return None
    if not says:
        return StandingRule(replaces=names["replaces"], number=names["number"], version=names["version"])
    return StandingRule(
        field=names["field"],
        values=in_force,
        not_yet=_among(values, _NOT_YET),
        no_longer=no_longer,
        replaces=names["replaces"],
        number=names["number"],
        version=names["version"],
    )


_FIELDS = {"field": _STATUS, "replaces": _REPLACES, "number": _NUMBER, "version": _VERSION}


def _first(names: Iterable[str], fields: Mapping[str, SchemaField]) -> str:
    """The name, as it is written in the base, of the first of these fields that it has; empty without one."""
    found = (fields[key].name for key in map(folded, names) if key in fields)
    return next(found, "")


def _among(values: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    return tuple(each for each in values if folded(each) in words)
