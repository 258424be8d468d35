"""`cicada bases`: the knowledge bases that the settings name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Group, Options
from cli.errors import CommandError
from cli.operator.base_settings import base_table, schema, set_, show
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.deployment_target import DeploymentTarget


class _Bases(Group):
    """Lists without a subcommand."""

    def invoke(self, ctx: click.Context) -> int:
        if not ctx._protected_args:
            return _list(Options(**ctx.params))
        code: int = super().invoke(ctx)
        return code


bases = _Bases(
    "bases",
    short_help="list the knowledge bases, or see and change the settings of one",
    help="Without COMMAND: the knowledge bases that knowledge_bases.toml names, as this checkout would deploy them. The"
    " commands are for the settings and the fields of one base as a stack keeps them; `list` asks a stage for yours.",
    epilog="example: cicada bases --json",
    invoke_without_command=True,
    params=[click.Option(["--json"], is_flag=True, help="print one JSON object")],
    commands=(show, set_, schema),
)


def _list(options: Options) -> int:
    """0."""
    # Imported late: pydantic is slow to import.
    from cicada.knowledge_bases.file import load_knowledge_bases

    found = load_knowledge_bases()
    bases = [
        {
            "name": name,
            "description": base.description,
            "content": base.content,
            "language": base.content_language,
            "groups": list(base.groups),
            "fields": list(base.schema.fields),
        }
        for name, base in sorted(found.named.items())
    ]
    shown = {"bases": bases, "openNames": found.open_names}
    print(to_json(shown) if options.json else "\n".join(_lines(bases, found.open_names)))
    return 0


def require_base(target: DeploymentTarget, tenant: str, name: str) -> None:
    """Raises `CommandError`, which names one near, unless the settings or the tenant's documents name the base."""
    from cicada.knowledge_bases.file import load_knowledge_bases
    from cicada.text import did_you_mean

    known = {*load_knowledge_bases().named, *_bases_with_documents(target, tenant)}
    if name not in known and not _is_set(target, tenant, name):
        raise CommandError(f"There is no knowledge base {name} in the tenant {tenant}{did_you_mean(name, known)}", 2)


def _is_set(target: DeploymentTarget, tenant: str, name: str) -> bool:
    """A stack of an earlier version keeps nothing for bases."""
    from cicada.documents.model import KnowledgeBaseKey

    if "ReadersTable" not in target.outputs:
        return False
    return bool(base_table(target).read(KnowledgeBaseKey(tenant, name), frozenset()).text)


def _bases_with_documents(target: DeploymentTarget, tenant: str) -> Iterator[str]:
    from cli.aws_failures import aws_calls

    prefix = f"documents/{tenant}/"
    pages = target.client("s3").get_paginator("list_objects_v2")
    with aws_calls():
        for page in pages.paginate(Bucket=target.output("DocumentsBucket"), Prefix=prefix, Delimiter="/"):
            yield from (each["Prefix"].removeprefix(prefix).rstrip("/") for each in page.get("CommonPrefixes", []))


def _lines(bases: Sequence[Mapping[str, Any]], open_names: bool) -> list[str]:
    lines = []
    for base in bases:
        groups = ", ".join(base["groups"]) or "everybody of the tenant"
        language = base["language"] or "several languages"
        lines += [
            f"{base['name']}: {clean_line(base['description'])}",
            f"  {base['content']}, {language}, for {groups}",
        ]
    return [*lines, "Uploading a document to another name makes a base of this name."] if open_names else lines
