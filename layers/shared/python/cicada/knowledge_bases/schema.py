"""The typed metadata of a knowledge base's documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.catalogue import TITLE, Sort
from cicada.documents.model import TABLE, MetadataValue


class FieldType(StrEnum):
    """`person` is a keyword that names a user or an employee; `keywords` is a list of keywords."""

    KEYWORD = "keyword"
    KEYWORDS = "keywords"
    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"
    PERSON = "person"


VALUED = (FieldType.KEYWORD, FieldType.KEYWORDS, FieldType.PERSON)
"""The types whose values may be listed, with synonyms."""


class SchemaField(Struct, frozen=True):
    """One field of the documents' metadata.

    `values`: the canonical values; empty where any value may stand. `synonyms`: for a canonical value, other words for
    it, abbreviations included. `words`: other names of the field itself, as people write them ("in force since").
    `display`: its name for people. `shown`: a source and a listing show it. `is_owner`: "my" means the asker's.
    `inferred`: type and values are those that documents have; the values are known, and others may stand. `tables`: in
    whose rows it stands, "" for documents that are no rows; empty where that is not known. `months`: those of its days,
    as `2026-12`; empty where they are not known.
    """

    name: str
    type: FieldType
    values: tuple[str, ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    display: str = ""
    shown: bool = False
    is_owner: bool = False
    inferred: bool = False
    tables: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()

    @property
    def is_of_documents(self) -> bool:
        """Whether documents that are no rows may have it."""
        return not self.tables or "" in self.tables


class Standing(StrEnum):
    """Whether a document holds; the values are what people read."""

    IN_FORCE = "in force"
    NOT_YET = "not yet in force"
    NO_LONGER = "no longer in force"


class StandingRule(Struct, frozen=True):
    """What says that a document is in force, not yet, or no longer: the fields that it names, empty without such ones.

    `values`, `not_yet`, `no_longer`: what the values of `field` say. `since`, `until`: the first and the last day.
    `replaces`: where a document names those that it replaces. `number`: what all versions of one document share.
    `version`: of two versions the one with the higher number replaces the other, else the one with the later `since`.
    """

    field: str = ""
    values: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()
    no_longer: tuple[str, ...] = ()
    replaces: str = ""
    number: str = ""
    version: str = ""
    since: str = ""
    until: str = ""

    @property
    def standings(self) -> dict[str, Standing]:
        """What each value says."""
        lists = {Standing.IN_FORCE: self.values, Standing.NOT_YET: self.not_yet, Standing.NO_LONGER: self.no_longer}
        return {value: standing for standing, values in lists.items() for value in values}

    def standing(self, metadata: Mapping[str, MetadataValue], day: str) -> Standing | None:
        """The standing that the metadata gives a document on a day, None where it says nothing.

        `day`: as `2026-01-31`; empty where it is not known, and then dates say nothing.
        """
        value = metadata.get(self.field)
        said = self.standings.get(value) if isinstance(value, str) else None
        if not day or said in (Standing.NOT_YET, Standing.NO_LONGER):
            return said
        since, until = (str(metadata.get(name, "")) for name in (self.since, self.until))
        if since > day:
            return Standing.NOT_YET
        if until and until < day:
            return Standing.NO_LONGER
        return said or (Standing.IN_FORCE if since or until else None)


class Schema(Struct, frozen=True):
    """The fields by name. Metadata of other names is kept as keywords.

    `items`: what one record is called, singular; plurals are understood. `sort`: the order of a listing that asks for
    none. `date`: the date field that "latest" and a bare period mean. `in_force`: None where nothing says what holds.
    `logins`: for a user's login, the name by which owner fields call this person.
    """

    fields: Mapping[str, SchemaField] = field(default_factory=dict)
    sort: Sort | None = None
    date: str | None = None
    logins: Mapping[str, str] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    in_force: StandingRule | None = None

    @property
    def is_inferred(self) -> bool:
        """Whether no field is declared."""
        return all(each.inferred for each in self.fields.values())

    def of_table(self, table: str) -> Schema:
        """The schema of the rows of one table, or for "" of the documents that are no rows."""
        of_rows = {name: each for name, each in self.fields.items() if not each.tables or table in each.tables}
        fields = {name: each for name, each in of_rows.items() if table or name != TABLE}
        sort = self.sort if self.sort and self.sort.field in (TITLE, *fields) else None
        return replace(self, fields=fields, sort=sort, date=self.date if self.date in fields else None)


BUILT_IN = ("language", "episode_id", "chapter_id")
"""Fields that ingest gives to documents, whatever the schema says."""

SchemaOf: TypeAlias = Callable[[str], Schema]
"""The schema of the knowledge base of this name."""
