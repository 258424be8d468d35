"""Which documents a plan means: those that the message names, or the one that it describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.in_force import are_versions
from cicada.answering.listing import ListingAnswerer
from cicada.answering.parts import AnswerPart, Finished, Listed, Progress, Text, Unanswered
from cicada.conversation.model import Question
from cicada.document_routing.names import MOST_NAMED, DocumentNames, all_named, is_identifier, nearest
from cicada.documents.catalogue import TITLE, DocumentRow, ListedPage, Sort, sorted_rows
from cicada.documents.model import ROW, AnyOf, Condition, Contains, PassageFilter, Subject, meets
from cicada.identity import Principal
from cicada.knowledge_bases.schema import VALUED, Schema
from cicada.knowledge_bases.values import described, shown_fields
from cicada.observability.telemetry import phase
from cicada.permissions import Permitted, base_of, readable_passages
from cicada.retrieval.model import CardQuery
from cicada.text import one_line
from cicada.understanding.plan import Plan, Shape

FROM_DOCUMENTS = (Shape.METADATA_ONLY, Shape.CONTENT_ONLY, Shape.HYBRID)
_MOST_CANDIDATES = 6
_SCANNED = 20
# From this confidence on a plan is right that a field is asked for, whatever the documents have.
_SURE_OF_FIELDS = 0.6
_MOST_TOLD_APART = 2
_NAME_CHARACTERS = 120


class Meant(Struct, frozen=True):
    """The plan to answer by. `rows`: the documents that it is about, None for all that meet its conditions.

    `steps`: how the plan became what it is, for the path.
    """

    plan: Plan
    rows: tuple[DocumentRow, ...] | None = None
    steps: tuple[str, ...] = ()

    @property
    def documents(self) -> frozenset[str] | None:
        """The ids of the documents."""
        return None if self.rows is None else frozenset(self.ids)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(row.document.document_id for row in self.rows or ())

    @property
    def conditions(self) -> tuple[str, ...]:
        """The documents in words, as conditions are."""
        return tuple(f"document: {one_line(row.title)} ({row.document.document_id})" for row in self.rows or ())

    @property
    def path(self) -> tuple[str, ...]:
        return self.steps if self.rows is None else (*self.steps, f"named:{len(self.rows)}")


class Reply(Struct, frozen=True):
    """What is said instead of an answer: that there is no such document, or a question which one is meant.

    `plan`: with the shape of such an answer. `rows`: the documents that `text` names, in its order. `total`: of how
    many. `step`: the path's.
    """

    plan: Plan
    text: str
    step: str
    rows: Permitted[DocumentRow]
    total: int
    schema: Schema

    def parts(self, question: Question) -> Iterator[AnswerPart]:
        """The documents are listed too, so that they are recorded as shown, and withheld when they are closed."""
        yield Progress("searching")
        if self.plan.shape is Shape.NO_MATCH:
            yield Unanswered()
        columns = {field.name: field.display or field.name for field in self.schema.fields.values() if field.shown}
        if self.rows:
            yield Listed(self.rows, self.total, columns)
        yield Text(self.text)
        ids = tuple(row.document.document_id for row in self.rows)
        asked, plan = question.knowledge_base, self.plan
        page = ListedPage(asked, plan.knowledge_base, plan.filters, limit=len(ids), documents=ids)
        yield Finished((self.step,), None, listing=page if ids else None)


class _Named(Struct, frozen=True):
    """The documents that a name may mean. `others`: those that were compared with it, where it means none."""

    name: str
    rows: tuple[DocumentRow, ...]
    others: tuple[DocumentRow, ...] = ()


def meant_by(plan: Plan, question: Question, principal: Principal, listings: ListingAnswerer) -> Meant | Reply:
    """The documents of the plan, or what is said instead of its answer. Failures are `DependencyError`s.

    They are looked up where `listings` are read, among the documents that the user may view: others do not exist.
    """
    if plan.shape not in FROM_DOCUMENTS:
        return Meant(plan)
    return _Meaning(plan, question, principal, listings).found()


class _Meaning:
    """The look-ups for one plan."""

    def __init__(self, plan: Plan, question: Question, principal: Principal, listings: ListingAnswerer) -> None:
        self._catalogue, self._gate, self._check_index = listings.catalogue, listings.gate, listings.check_index
        self._names = DocumentNames(self._catalogue)
        self._schema = base_of(listings.bases, principal, plan.knowledge_base).schema
        self._plan, self._question, self._principal = plan, question, principal
        self._scope = readable_passages(principal, plan.knowledge_base, question.scope)

    def found(self) -> Meant | Reply:
        if self._plan.named and any(each.field == ROW for each in self._plan.filters):
            return self._of_row()
        self._plan = self._with_names(self._plan)
        if not (self._plan.named or self._plan.single):
            return Meant(self._plan)
        names = dict.fromkeys(filter(None, map(str.strip, self._plan.named)))
        named = [self._named(name[:_NAME_CHARACTERS]) for name in names]
        if missing := self._missing(named):
            if (plan := self._with_values(missing)) is None:
                return self._no_such_document(missing)
            self._plan = plan
            return self.found()
        unclear = next((each for each in named if self._is_unclear(each)), None)
        if unclear is not None:
            said = f"{len(unclear.rows)} documents fit {_quoted(unclear.name)}."
            return self._asked_back(said, unclear.rows, len(unclear.rows))
        rows = [row for each in named if len(each.rows) <= MOST_NAMED for row in each.rows]
        if rows:
            return self._about(rows)
        if named and self._plan.is_guess:
            return Meant(self._plan.as_search, steps=("named:0",))
        return self._described() if self._plan.single else Meant(self._plan)

    def _of_row(self) -> Meant | Reply:
        """The document, by its id, of which a row is meant. The row meets conditions that the document does not."""
        only = replace(self._scope, document_ids=frozenset(self._plan.named))
        with phase("searching"):
            found = self._catalogue.rows(only, self._order, len(self._plan.named)).rows
        rows = self._permitted(found).items
        return Meant(self._plan, tuple(rows)) if rows else self._no_such_document([_Named(self._plan.named[0], ())])

    def _with_names(self, plan: Plan) -> Plan:
        """The plan with the values that no document has as names, if each is the name of one.

        "What about Returned Goods?" may name a supplier or a document: only the documents tell.
        """
        for each in plan.filters:
            names = _free_texts(each, self._schema)
            others = tuple(other for other in plan.filters if other != each)
            if names and not self._has_any(each) and all(self._is_name(name, others) for name in names):
                plan = replace(plan, filters=others, named=(*plan.named, *names))
        return plan

    def _is_name(self, name: str, filters: tuple[Condition, ...]) -> bool:
        with phase("searching"):
            found = [row for row in self._names.find(name, self._scope) if meets(row.metadata, filters)]
        return bool(found) and (len(found) == 1 or self._are_versions(found))

    def _with_values(self, missing: Sequence[_Named]) -> Plan | None:
        """The plan with the names that no document has as values, if each is one: "the contract with Polarhaul"."""
        names = [each.name for each in missing]
        conditions = [self._with_value(name) for name in names if not is_identifier(name)]
        if len(conditions) < len(names) or not all(conditions):
            return None
        rest = tuple(name for name in self._plan.named if name.strip()[:_NAME_CHARACTERS] not in names)
        return replace(self._plan, named=rest, filters=(*self._plan.filters, *filter(None, conditions)))

    def _with_value(self, name: str) -> Condition | None:
        """The condition on a field of any value that some document meets which the plan's filters let through."""
        fields = [each.name for each in self._schema.fields.values() if each.type in VALUED and not each.values]
        kinds = {str(each).casefold() for of in self._plan.filters if isinstance(of, AnyOf) for each in of.values}
        rest, _, kind = name.rpartition(" ")
        texts = (name, rest) if rest and kind.casefold() in kinds else (name,)  # Without "contract", the kind.
        said = [Contains(field, text) for text in texts for field in fields]
        return next((each for each in said if self._has_any(each, *self._plan.filters)), None)

    def _has_any(self, *conditions: Condition) -> bool:
        """Whether a document that the user may view meets the conditions."""
        meeting = replace(self._scope, conditions=(*self._scope.conditions, *conditions))
        with phase("searching"):
            found = self._catalogue.rows(meeting, self._order, _MOST_CANDIDATES).rows
        return bool(self._permitted(found))

    def _named(self, name: str) -> _Named:
        """Compare the name with the documents whose cards it finds, and with all if it is none of theirs."""
        rows: tuple[DocumentRow, ...] = ()
        for by_card in (True, False):
            with phase("searching"):
                found = self._names.candidates(name, self._scope) if by_card else self._names.first(self._scope)
            rows = self._permitted(found).items
            if fitting := all_named(name, rows) or all_named(_without_kind(name), rows):
                meeting = tuple(row for row in fitting if meets(row.metadata, self._plan.filters))
                return _Named(name, meeting or fitting)
        return _Named(name, (), rows)

    def _missing(self, named: Sequence[_Named]) -> list[_Named]:
        """Names of no document. A number or a file is always a name; other words are searched for, if anything is."""
        missing = [each for each in named if not each.rows]
        if self._plan.shape is Shape.METADATA_ONLY and len(missing) == len(named) and not self._plan.is_guess:
            return missing
        return [each for each in missing if is_identifier(each.name)]

    def _is_unclear(self, named: _Named) -> bool:
        if self._plan.single and len(named.rows) > 1 and not self._are_versions(named.rows):
            return True
        is_name = is_identifier(named.name) or self._plan.shape is Shape.METADATA_ONLY
        return is_name and len(named.rows) > MOST_NAMED

    def _about(self, rows: Sequence[DocumentRow]) -> Meant:
        """The plan about these documents. A name wins over conditions: they are kept where all of the rows meet them.

        Without anything to search for, the documents are read as a whole.
        """
        plan = self._plan
        rows = sorted_rows({row.document: row for row in rows}.values(), self._order)
        kept = tuple(each for each in plan.filters if all(meets(row.metadata, (each,)) for row in rows))
        plan = replace(plan, filters=kept)
        if self._asks_by_guess(rows):
            plan = replace(plan, shape=Shape.HYBRID, fields=(), search_value=plan.query)
        if plan.shape is not Shape.METADATA_ONLY and not plan.search_value:
            plan = replace(plan, subjects=tuple(Subject(row.document.document_id) for row in rows))
        return Meant(plan, tuple(rows))

    def _asks_by_guess(self, rows: Sequence[DocumentRow]) -> bool:
        """Whether it is unsure that fields are asked for, and none of the documents has any of them.

        "Were they released in the end?" asks no report when it expires.
        """
        plan = self._plan
        is_unsure = plan.shape is Shape.METADATA_ONLY and plan.confidence < _SURE_OF_FIELDS
        return (
            is_unsure and bool(plan.fields) and not any(row.metadata.get(each) for row in rows for each in plan.fields)
        )

    def _described(self) -> Meant | Reply:
        """The one document that meets the conditions, or the first if the order tells which; else ask which one."""
        plan = self._plan
        if not plan.filters or plan.aggregates or plan.group:
            return Meant(plan)
        matching = replace(self._scope, conditions=(*self._scope.conditions, *plan.filters))
        with phase("searching"):
            page = self._catalogue.rows(matching, self._order, _SCANNED)
        permitted = self._permitted(page.rows)
        rows, total = permitted.items, page.total - permitted.withheld
        if plan.sort and plan.limit == 1:
            rows, total = rows[:1], min(1, total)
        if total <= 1 or (total == len(rows) and self._are_versions(rows)):
            return self._about(rows) if rows else Meant(plan)
        conditions = "; ".join(described(each, self._schema) for each in plan.filters)
        return self._asked_back(f"{total:,} documents match ({conditions}).", self._likely(rows, matching), total)

    def _are_versions(self, rows: Sequence[DocumentRow]) -> bool:
        """Whether all are versions of one document, so that its name or description means all of them."""
        rule = self._schema.in_force
        return rule is not None and all(are_versions(rows[0], row, rule) for row in rows[1:])

    def _likely(self, rows: Sequence[DocumentRow], matching: PassageFilter) -> Sequence[DocumentRow]:
        """Put documents first whose cards have most of what is searched for, where not all can be named."""
        if len(rows) <= _MOST_CANDIDATES or not self._plan.search_value:
            return rows
        with phase("searching"):
            hits = self._catalogue.find_cards(CardQuery(matching, self._plan.search_value, limit=_MOST_CANDIDATES))
        return list({row.document: row for row in (*(hit.row for hit in hits.lexical), *rows)}.values())

    def _asked_back(self, said: str, rows: Sequence[DocumentRow], total: int) -> Reply:
        shown = self._permitted(rows[:_MOST_CANDIDATES])
        lines = "\n".join(f"{number}. {each}" for number, each in enumerate(_told_apart(shown.items, self._schema), 1))
        more = f"\n\nThere are {total - len(shown):,} more: name the document if it is one of them."
        text = f"{said} Which one do you mean?\n\n{lines}{more if total > len(rows[:_MOST_CANDIDATES]) else ''}"
        plan = replace(self._plan, shape=Shape.NEEDS_CLARIFICATION)
        return Reply(plan, text, "clarify", shown, total - shown.withheld, self._schema)

    def _no_such_document(self, missing: Sequence[_Named]) -> Reply:
        self._check_index(self._principal, self._plan.knowledge_base)
        near = {row.document: row for each in missing for row in nearest(each.name, each.others)}
        shown = self._permitted(tuple(near.values())[:_MOST_CANDIDATES])
        among = "Among the documents that your filters let through, there" if self._question.scope else "There"
        names = _listed([_quoted(each.name) for each in missing], "or")
        text = f"{among} is no document {names}."
        if shown:
            labels = _listed([_label(row) for row in shown], "and")
            text = f"{text} The nearest {'is' if len(shown) == 1 else 'are'} {labels}."
        plan = replace(self._plan, shape=Shape.NO_MATCH)
        return Reply(plan, text, "no_such_document", shown, len(shown), self._schema)

    def _permitted(self, rows: Sequence[DocumentRow]) -> Permitted[DocumentRow]:
        with phase("gate"):
            return self._gate.permit(self._principal, rows, lambda row: row.document)

    @property
    def _order(self) -> Sort:
        return self._plan.sort or self._schema.sort or Sort(TITLE)


def _without_kind(name: str) -> str:
    """The name without the last word, if two are left: *Yeast handling* is a "yeast handling procedure"."""
    *others, kind = name.split()
    return " ".join(others) if len(others) > 1 and not is_identifier(kind) else ""


def _free_texts(condition: Condition, schema: Schema) -> tuple[str, ...]:
    """The texts that a field must have which may have any; none of other conditions."""
    field = schema.fields.get(condition.field)
    if field is None or field.values or field.type not in VALUED:
        return ()
    if isinstance(condition, Contains):
        return (condition.text,)
    return tuple(sorted(map(str, condition.values))) if isinstance(condition, AnyOf) else ()


def _told_apart(rows: Sequence[DocumentRow], schema: Schema) -> list[str]:
    """The title of each with the field in which most of them differ; with a second one, or the id, if need be."""
    fields = [shown_fields(schema, row.metadata) for row in rows]
    said: list[tuple[str, ...]] = [(one_line(row.title),) for row in rows]
    for name in _differing(fields)[:_MOST_TOLD_APART]:
        said = [(*each, f"{name}: {of[name]}") if name in of else each for each, of in zip(said, fields, strict=True)]
        if len(set(said)) == len(rows):
            break
    if len(set(said)) < len(rows):
        said = [(*each, row.document.document_id) for each, row in zip(said, rows, strict=True)]
    return [f"{title} ({', '.join(more)})" if more else title for title, *more in said]


def _differing(fields: Sequence[Mapping[str, str]]) -> list[str]:
    """The fields with different values, those with most of them first."""
    values = {name: {each.get(name, "") for each in fields} for each in fields for name in each}
    return sorted((name for name in values if len(values[name]) > 1), key=lambda name: -len(values[name]))


def _label(row: DocumentRow) -> str:
    """The document's number or file, and its title."""
    stem, title = PurePosixPath(row.document.document_id).stem, one_line(row.title)
    stem = stem.upper() if is_identifier(stem) and " " not in stem else stem
    return title if stem.casefold() == title.casefold() else f"{stem} ({title})"


def _quoted(name: str) -> str:
    return f"“{one_line(name)}”"


def _listed(said: Sequence[str], joining: str) -> str:
    return f" {joining} ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
