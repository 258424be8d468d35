"""What says that a document is in force, where no schema does: fields and values that mean it in most places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from cicada.knowledge_bases.schema import FieldType, SchemaField, StandingRule
from cicada.knowledge_bases.values import folded

STATUS = ("status", "state", "stand", "statut", "estado", "document status")
# What a document's text says of itself is kept in this field with these values, if no other field says it.
SAID_STANDING, IN_FORCE, OUTDATED = "standing", "in force", "outdated"
_REPLACES = ("supersedes", "replaces", "ersetzt", "remplace", "sustituye", "reemplaza", "substitui")
_NUMBER = ("number", "document number", "doc no", "nummer", "numéro", "número")
_VERSION = ("version", "revision", "rev")
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
    of_documents = {folded(each.name): each for each in fields.values() if each.is_of_documents}
    status = of_documents.get(folded(_first(STATUS, of_documents)))
    values = status.values if status and status.type is FieldType.KEYWORD else ()
    no_longer, in_force = _among(values, _NO_LONGER), _among(values, _IN_FORCE)
    rule = StandingRule(
        replaces=_first(_REPLACES, of_documents),
        number=_first(_NUMBER, of_documents),
        version=_first(_VERSION, of_documents),
    )
    if status and no_longer and in_force:
        not_yet = _among(values, _NOT_YET)
        return replace(rule, field=status.name, values=in_force, not_yet=not_yet, no_longer=no_longer)
    said = of_documents.get(SAID_STANDING)
    if said and {IN_FORCE, OUTDATED}.intersection(said.values):
        return replace(rule, field=SAID_STANDING, values=(IN_FORCE,), no_longer=(OUTDATED,))
    return rule if rule.replaces or (rule.number and rule.version) else None


def _first(names: Iterable[str], fields: Mapping[str, SchemaField]) -> str:
    """The name, as it is written in the base, of the first of these fields that it has; empty without one."""
    return next((fields[key].name for key in map(folded, names) if key in fields), "")


def _among(values: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    return tuple(each for each in values if folded(each) in words)
