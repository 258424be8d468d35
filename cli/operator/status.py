"""`cicada status`: whether a deployed stage works, and what waits in it."""

from __future__ import annotations

import click

from cli.arguments import Options, command, json_option, stack_option


@command(
    "status",
    short_help="show whether a stage works, and what waits in it",
    help="Look at the stack, its functions, queues, dead letters and alarms, search its index, and ask each"
    " of its models for a word, which costs less than a cent. Needs the credentials of an operator.",
    epilog="example: cicada status --stack Cicada-prod",
)
@stack_option
@click.option("--tenant", metavar="NAME", help="whose documents are counted (default: the default tenant)")
@click.option("--knowledge-base", metavar="NAME", default="scripts", help="default: scripts")
@json_option
def status(options: Options) -> int:
    """0 if there is no problem, else 1."""
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.findings import show
    from cli.operator.stack_checks import stack_findings

    target = open_target(options.stack)
    # The index is asked in any case, be it for documents of a tenant that is not there.
    tenant = options.tenant or target.default_tenant or "default"
    return show(stack_findings(target, tenant, options.knowledge_base), as_json=options.json)
