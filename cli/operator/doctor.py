"""`cicada doctor`: whether a stage can be deployed into the account."""

from __future__ import annotations

import click

from cli.arguments import Options, command, json_option
from cli.errors import CommandError

_STAGES = ("dev", "prod")
context_option = click.option(
    "-c", "--context", multiple=True, metavar="NAME=VALUE", help="as for `cdk deploy`; repeatable (default: stage=dev)"
)


@command(
    "doctor",
    short_help="check an AWS account and its region before a deployment",
    help="Check what a deployment needs of the account and the region: the login, the CDK's bootstrap, the"
    " models of Bedrock with their access and quotas, Lambda's quota, OpenSearch Serverless, API Gateway's role for"
    " logs, and what an earlier deployment has left. Nothing is created or changed. The credentials and the region"
    " are those of the AWS command line; the context is what `cdk deploy` is given.",
    epilog="example: AWS_REGION=eu-central-1 cicada doctor -c stage=dev -c chatModel=eu.amazon.nova-lite-v1:0",
)
@context_option
@json_option
def doctor(options: Options) -> int:
    """0 if nothing stands against a deployment, else 1."""
    context = read_context(options.context)
    # Imported late: boto3 is slow to import.
    from cli.operator.account_checks import Account, account_findings
    from cli.operator.findings import show

    return show(account_findings(Account(context)), as_json=options.json)


def read_context(pairs: list[str]) -> dict[str, str]:
    """The values of `-c`. Raises `CommandError` for one without a value, and for a stage that is not on AWS."""
    if wrong := next((pair for pair in pairs if "=" not in pair), None):
        raise CommandError(f"-c {wrong} has no value: give it as -c name=value, as for `cdk deploy`.", 2)
    context = {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
    if context.get("stage", "dev") not in _STAGES:
        raise CommandError(f"There is no stage {context['stage']} on AWS: give -c stage=dev or -c stage=prod.", 2)
    return context
