"""`cicada documents list` and `show`: what a knowledge base holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Group, Options, json_option, stack_option, together
from cli.errors import CommandError
from cli.operator.document_states import STATES
from cli.operator.tenants import tenant_of_documents, tenant_option
from cli.operator.viewer_names import ViewerNames, note_on, note_on_failure, viewer_names
from cli.screen import Screen, open_screen
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cicada.documents.model import MetadataValue
    from cicada.documents.states import DocumentState
    from cli.operator.deployed_function import DeployedFunction

_PAGE = 500
_EVERYBODY = "everybody of the tenant"


documents = Group(
    "documents",
    short_help="list the documents of a knowledge base, or show one",
    help="The catalogue of a knowledge base on the local stage, or with --stack on AWS: every document with its"
    " metadata and readers, whoever may read it.",
    epilog="example: cicada documents list --knowledge-base store --state rejected --stack Cicada-dev",
)
_base_options = together(
    stack_option,
    tenant_option("whose documents they are"),
    click.option("--knowledge-base", metavar="NAME", default="scripts", help="default: scripts"),
    json_option,
)


@documents.command("list", short_help="documents that match, in order")
@click.option("--filter", metavar="FILTER", multiple=True, help="as 'status=approved'; repeatable, all must hold")
@click.option("--sort", metavar="FIELD", default="", help="a field, or -FIELD from last to first")
@click.option("--count-by", metavar="FIELD", default="", help="count the documents by this field's values")
@click.option("--limit", metavar="N", type=int, default=50, help="documents of a page (default: 50)")
@click.option("--offset", metavar="N", type=int, default=0, help="where the page begins (default: 0)")
@click.option(
    "--state",
    type=click.Choice((*STATES, "all")),
    help="instead, what the bucket holds in this state, searchable or not: rejected and waiting with the reason",
)
@_base_options
def list_(options: Options) -> int:
    """0, also if nothing matches."""
    if options.state:
        return _run_states(options)
    chosen = {"filters": list(options.filter), "sort": options.sort, "countBy": options.count_by}
    page = {"limit": options.limit, "offset": options.offset}
    found = _function(options).call({**_event(options, "list"), **chosen, **page})
    if not found["total"]:
        _require_documents(options)
    names = viewer_names(options)
    unknown = {each["documentId"]: names.unknown(each["readers"]) for each in found["documents"]}
    if options.json:
        rows = [{**each, "unknownReaders": unknown[each["documentId"]]} for each in found["documents"]]
        print(to_json({**found, "documents": rows, "readersNotLookedUp": names.failure or None}))
        return 0
    screen = open_screen()
    _show(found, options.offset, screen)
    _note(names, {clean_line(name): viewers for name, viewers in unknown.items()}, screen)
    return 0


def _require_documents(options: Options) -> None:
    """Raises `CommandError` if nothing is listed because there is no such base, or because the index has lost it."""
    from cli.deployment_target import open_target
    from cli.operator.bases import require_base

    tenant, base = tenant_of_documents(options), options.knowledge_base
    target = open_target(options.stack)
    require_base(target, tenant, base)
    for each in _function(options).call({"documents": "compare"})["bases"]:
        if each["isIncomplete"] and (each["tenant"], each["knowledgeBase"]) == (tenant, base):
            raise CommandError(
                f"The index lacks most of the {each['kept']} documents in {base}: run `cicada rebuild{target.flag}`."
            )


def _run_states(options: Options) -> int:
    """0, also if nothing is in that state."""
    from cicada.documents.model import KnowledgeBaseKey
    from cli.deployment_target import open_target
    from cli.operator.document_states import document_files

    if options.filter or options.sort or options.count_by or options.offset:
        raise CommandError("With --state all documents are listed by id: leave out --filter, --sort and the like.", 2)
    base_key = KnowledgeBaseKey(tenant_of_documents(options), options.knowledge_base)
    with document_files(open_target(options.stack)) as files:
        found = files.states(base_key, dict(_listed(options)))
    if not found:
        _require_documents(options)
    shown = {name: each for name, each in found.items() if options.state in ("all", each.state)}
    if options.json:
        print(to_json({"documents": [{"documentId": name, **_state_fields(each)} for name, each in shown.items()]}))
        return 0
    rows = [(name, each.in_words, _time_text(each.changed_at), _reason_of(each)) for name, each in shown.items()]
    if rows:
        open_screen().table([("ID", "STATE", "CHANGED", "REASON"), *rows])
    print(f"{len(shown)} of {len(found)} documents.")
    return 0


def _listed(options: Options) -> Iterator[tuple[str, datetime | None]]:
    """The ids in the catalogue and when they were ingested, page by page."""
    function = _function(options)
    event = _event(options, "list")
    offset: int | None = 0
    while offset is not None:
        page = function.call({**event, "limit": _PAGE, "offset": offset})
        for each in page["documents"]:
            yield each["documentId"], datetime.fromisoformat(each["indexedAt"]) if each["indexedAt"] else None
        offset = page["nextOffset"]


@documents.command("show", short_help="one document")
@click.argument("id", metavar="ID", help="the document's id")
@_base_options
def show(options: Options) -> int:
    """0; an unknown document is an error."""
    from cicada.documents.model import DocumentKey, KnowledgeBaseKey
    from cli.deployment_target import open_target
    from cli.operator.document_states import document_files, versions_kept

    shown = _function(options).call({**_event(options, "show"), "optional": True, "id": options.id})
    found = None if "missing" in shown else shown
    document = DocumentKey(KnowledgeBaseKey(tenant_of_documents(options), options.knowledge_base), options.id)
    target = open_target(options.stack)
    with document_files(target) as files:
        state = files.state(document, is_listed=found is not None)
    if state is None:
        _require_documents(options)
        raise CommandError(f"There is no document {options.id} in the knowledge base {options.knowledge_base}.")
    versions = versions_kept(target, document)
    names = viewer_names(options)
    unknown = names.unknown(found["readers"]) if found else []
    if options.json:
        fields = {"unknownReaders": unknown, "readersNotLookedUp": names.failure or None}
        print(to_json({"documentId": options.id, **(found or {}), **fields, **_state_fields(state, versions)}))
        return 0
    card = _card_lines(found["card"]) if found else []
    for line in (*_described(options.id, found, state, versions), *_report_lines(state), *card):
        print(line)
    _note(names, {"It": unknown}, open_screen())
    return 0


def _event(options: Options, asked: str) -> dict[str, Any]:
    return {"documents": asked, "tenant": tenant_of_documents(options), "knowledgeBase": options.knowledge_base}


def _note(names: ViewerNames, unknown: Mapping[str, Sequence[str]], screen: Screen) -> None:
    """`unknown`: the viewers that nobody is, by the document that names them."""
    for document, viewers in unknown.items():
        if viewers:
            screen.note(f"{document} {note_on(viewers)}")
    if names.failure:
        screen.note(note_on_failure(names.failure))


def _function(options: Options) -> DeployedFunction:
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.deployed_function import DeployedFunction

    target = open_target(options.stack)
    return DeployedFunction(
        target.client("lambda", 60), target.output("IngestFunction"), "The catalogue cannot be read"
    )


def _show(found: Mapping[str, Any], offset: int, screen: Screen) -> None:
    documents: Sequence[Mapping[str, Any]] = found["documents"]
    rows = [
        (
            each["documentId"],
            each["title"],
            str(each["passages"]),
            each["indexedAt"] or "",
            ", ".join(each["readers"]) or _EVERYBODY,
        )
        for each in documents
    ]
    if rows:
        screen.table([("ID", "TITLE", "PASSAGES", "INGESTED", "READERS"), *rows])
    for each in found.get("counts", []):
        screen.line(f"{_value_text(each['value'])}: {each['count']}")
    extent = f"{offset + 1} to {offset + len(rows)} of {found['total']} documents." if rows else ""
    screen.line(extent or f"{found['total']} documents match.")


def _described(document_id: str, found: Mapping[str, Any] | None, state: DocumentState, versions: int) -> list[str]:
    """`found` is the document's row of the catalogue, None for one that is not searchable."""
    lines = [
        clean_line(found["title"] if found else document_id),
        f"  id        {clean_line(document_id)}",
        f"  state     {state.in_words}",
        *([f"  uploaded  {_time_text(state.changed_at)}, versions kept: {versions}"] if state.changed_at else []),
    ]
    if found is None:
        return lines
    lines += [
        f"  passages  {found['passages']}",
        f"  ingested  {found['indexedAt'] or 'unknown'}",
        f"  version   {found['version']}",
        f"  readers   {', '.join(found['readers']) or _EVERYBODY}",
        *(f"  {name}: {clean_line(_value_text(value, name))}" for name, value in found["metadata"].items()),
    ]
    copies = [f"  the same file is also here as {', '.join(found['copies'])}"] if found["copies"] else []
    return [*lines, *copies]


def _card_lines(card: Mapping[str, Any] | None) -> list[str]:
    """The card that document routing searches, if there is one."""
    if card is None:
        return ["", "It has no card: it was ingested by an earlier version; cicada rebuild makes one."]
    sections = [
        f"    {clean_line(each['heading'])} (passages {each['first']} to {each['last']}):"
        f" {clean_line(', '.join(each['keywords']))}".rstrip(" :")
        for each in card["sections"]
    ]
    related = [f"    {each['documentId']}  {each['weight']:.2f}" for each in card["related"]]
    return [
        "",
        f"Card, by {clean_line(card['by'])}",
        f"  overview   {clean_line(card['overview'])}",
        f"  tags       {clean_line(', '.join(card['topicTags']))}",
        *(f"  question   {clean_line(each)}" for each in card["questionHints"]),
        "  sections",
        *sections,
        *(["  related", *related] if related else []),
    ]


def _value_text(value: MetadataValue | list[str], name: str = "") -> str:
    """A value of the metadata, of the field of this name."""
    from cicada.knowledge_bases.values import shown_value

    return shown_value(tuple(value) if isinstance(value, list) else value, name)


def _time_text(time: datetime | None) -> str:
    """The time in ISO 8601, to the second; empty for none."""
    return time.isoformat(timespec="seconds") if time else ""


def _state_fields(state: DocumentState, versions: int = 0) -> dict[str, Any]:
    """`lastReport` is as ingest wrote it, null without one."""
    return {
        "state": state.state,
        "uploadedAt": state.changed_at.isoformat() if state.changed_at else None,
        "reportedAt": state.reported_at.isoformat() if state.reported_at else None,
        "lastReport": dict(state.report) or None,
        "storedVersions": versions,
    }


def _reason_of(state: DocumentState) -> str:
    """The first thing that ingest complained about; empty for nothing."""
    problems = state.report.get("problems", [])
    return clean_line(problems[0]["reason"]) if problems else ""


def _report_lines(state: DocumentState) -> list[str]:
    """What ingest said last, with each problem."""
    if not state.report:
        return ["", "Ingest has reported nothing on it yet."]
    when = state.report.get("reportedAt", "")
    lines = ["", f"Last report, {clean_line(when)}: {clean_line(state.report['outcome']).replace('_', ' ')}"]
    for problem in state.report.get("problems", []):
        place = f"{clean_line(problem['place'])}: " if problem["place"] else ""
        lines.append(f"  {place}{clean_line(problem['reason'])}")
    return lines
