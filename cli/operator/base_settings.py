"""`cicada bases show`, `set` and `schema`: what a stack keeps for a knowledge base, without a deployment."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import PATH, Options, command, json_option, stack_option, together
from cli.errors import CommandError
from cli.operator.tenants import tenant_of_documents, tenant_option
from cli.screen import open_screen
from cli.text import clean, clean_line, to_json

if TYPE_CHECKING:
    from cicada.adapters.dynamodb.base_table import DynamoBaseTable
    from cicada.documents.model import KnowledgeBaseKey
    from cicada.knowledge_bases.observed_fields import Observed
    from cicada.knowledge_bases.schema import Schema, SchemaField
    from cicada.knowledge_bases.settings import KnowledgeBase
    from cli.deployment_target import DeploymentTarget

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MOST_BYTES = 100_000
# What a base has, and no file can say.
_NOT_SET = frozenset({"name", "schema", "kept", "calibrations"})

_of_base = together(click.argument("name", help="the knowledge base"), stack_option, tenant_option("whose base it is"))


@command(
    "show",
    short_help="print what is set for a base, as a file for `set`",
    help="Print what is set for a knowledge base, as TOML. The settings that it has by default are comments.",
    epilog="example: cicada bases show minutes > minutes.toml",
)
@_of_base
@json_option
def show(options: Options) -> int:
    """0."""
    from cicada.knowledge_bases.kept import completed_base

    base_key, record = _opened(options)
    deployed, kept = _deployed(options.name), record.read(base_key, frozenset())
    base = completed_base(deployed, kept)
    if options.json:
        print(to_json({"name": options.name, "settings": _settings(base), "set": kept.text}))
        return 0
    print(f"# Knowledge base {clean_line(options.name)} of the tenant {clean_line(base_key.tenant)}. By default:")
    for name, value in _settings(deployed).items():
        print(f"# {name} = {_toml(value)}")
    print(f"# What is set:\n{clean(kept.text)}" if kept.text else "# Nothing is set.")
    return 0


@command(
    "set",
    short_help="replace what is set for a base by a file",
    help="Replace what is set for a knowledge base by a TOML file, or `-` for the standard input: settings, synonyms,"
    " owners' logins, who may ask. What it does not say is as by default; an empty file sets nothing. Running stages"
    " follow within ten seconds. A file with a mistake is refused with its line, and nothing changes.",
    epilog="example: cicada bases set minutes minutes.toml --stack Cicada-dev",
)
@_of_base
@click.argument("file", type=PATH, help="the TOML file, or -")
@json_option
def set_(options: Options) -> int:
    """0 if it is set."""
    from cicada.errors import ConfigurationError
    from cicada.knowledge_bases.file import check_kept, parse_kept
    from cicada.knowledge_bases.inference import completed

    text, called = _read(options.file), str(options.file) if str(options.file) != "-" else "the standard input"
    base_key, record = _opened(options)
    observed = record.read(base_key, frozenset()).observed
    try:
        base = parse_kept(text, called, _deployed(options.name))
        check_kept(text, called, base.schema, completed(base.schema, observed, options.name))
    except ConfigurationError as error:
        raise CommandError(f"Nothing is changed. {error}") from error
    record.write_text(base_key, text if base.kept else "")
    notes = list(_unheard_of(base.schema, observed))
    if options.json:
        print(to_json({"name": options.name, "set": base.kept, "notes": notes}))
        return 0
    for note in notes:
        open_screen().note(note)
    what = f"Set for {clean_line(options.name)}" if base.kept else f"Nothing is set for {clean_line(options.name)} now"
    print(f"{what} (tenant {clean_line(base_key.tenant)}); questions are understood so within ten seconds.")
    return 0


@command(
    "schema",
    short_help="print the fields of a base, with those inferred from its documents",
    help="Print the fields by which questions to a knowledge base are understood, as TOML. What was inferred from its"
    " documents is a comment; a file for `set` need not say it.",
    epilog="example: cicada bases schema minutes",
)
@_of_base
@click.option("--viewer", metavar="NAME", multiple=True, help="also of documents for group:NAME or user:ID; repeatable")
@json_option
def schema(options: Options) -> int:
    """0."""
    from cicada.knowledge_bases.inference import conflict_of
    from cicada.knowledge_bases.kept import completed_base

    base_key, record = _opened(options)
    kept = record.read(base_key, frozenset(options.viewer))
    found = completed_base(_deployed(options.name), kept).schema
    conflicts = [said for said in map(conflict_of, kept.observed) if said]
    if options.json:
        fields = [
            {"name": each.name, "type": each.type, "values": list(each.values), "inferred": each.inferred}
            for each in found.fields.values()
        ]
        print(to_json({"name": options.name, "fields": fields, "conflicts": conflicts}))
        return 0
    print("\n".join(clean(line) for line in _schema_lines(found)))
    for said in conflicts:
        print(f"# {clean_line(said)}")
    return 0


def _opened(options: Options) -> tuple[KnowledgeBaseKey, DynamoBaseTable]:
    """The base and the table of the deployment. Raises `CommandError` for what cannot be the name of a base."""
    # Imported late: the library and boto3 are slow to import.
    from cicada.adapters.s3.keys import is_name
    from cicada.documents.model import KnowledgeBaseKey
    from cli.deployment_target import open_target

    if not is_name(options.name):
        raise CommandError(
            f"{options.name} cannot be the name of a knowledge base: letters, digits, and after the first one"
            " also . _ : and -, 64 at most.",
            2,
        )
    tenant = tenant_of_documents(options)
    return KnowledgeBaseKey(tenant, options.name), base_table(open_target(options.stack))


def base_table(target: DeploymentTarget) -> DynamoBaseTable:
    """Where the deployment keeps what is set for its bases, and its calibrations."""
    from cicada.adapters.dynamodb.base_table import DynamoBaseTable

    return DynamoBaseTable(target.client("dynamodb"), target.output("ReadersTable"))


def _deployed(name: str) -> KnowledgeBase:
    from cicada.knowledge_bases.file import load_knowledge_bases

    return load_knowledge_bases().deployed(name)


def _read(file: Path) -> str:
    try:
        content = sys.stdin.buffer.read(_MOST_BYTES + 1) if str(file) == "-" else file.read_bytes()
        text = content.decode("utf-8")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.", 2) from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is not a text in UTF-8.", 2) from error
    if len(content) > _MOST_BYTES:
        raise CommandError(f"{file} is larger than {_MOST_BYTES:,} bytes.", 2)
    return text


def _settings(base: KnowledgeBase) -> dict[str, Any]:
    """The settings that a file may have; one without a value is left out."""
    found = {name: getattr(base, name) for name in base.__struct_fields__ if name not in _NOT_SET}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items() if value != None}  # noqa: E711


def _unheard_of(declared: Schema, observed: Observed) -> Iterator[str]:
    """Remarks on words for what no document has yet."""
    from cicada.knowledge_bases.values import folded

    seen = {folded(each.name): each for each in observed}
    for field in declared.fields.values():
        if not field.inferred:
            continue
        found = seen.get(folded(field.name))
        if found is None:
            yield f"No document has a field “{field.name}” yet."
            continue
        known = {folded(value) for value in found.values}
        unknown = [value for value in field.synonyms if folded(value) not in known]
        if unknown and not found.is_open:
            yield f"No document has the value “{unknown[0]}” of {found.name} yet; there are {', '.join(found.values)}."


def _schema_lines(schema: Schema) -> Iterator[str]:
    for name in ("date", "items"):
        if value := getattr(schema, name):
            yield f"# {name} = {_toml(value)}"
    if schema.sort:
        yield f"# sort = {_toml('-' * schema.sort.descending + schema.sort.field)}"
    if not schema.fields:
        yield "# No document for everybody has metadata yet."
    for field in schema.fields.values():
        yield ""
        yield f"[fields.{_key(field.name)}]"
        yield from _field_lines(field)


def _field_lines(field: SchemaField) -> Iterator[str]:
    mark = "# inferred: " if field.inferred else ""
    yield f"{mark}type = {_toml(field.type.value)}"
    if field.values:
        yield f"{mark}values = {_toml(field.values)}"
    for value, words in field.synonyms.items():
        yield f"synonyms.{_key(value)} = {_toml(words)}"
    for name in ("words", "display", "shown", "is_owner"):
        if given := getattr(field, name):
            yield f"{name} = {_toml(given)}"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_toml, value))}]"
    # The escapes of JSON are those of TOML, which has one character more that must be escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _toml(name)
