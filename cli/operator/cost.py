"""`cicada cost`: what a stage costs in a month."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.arguments import Options, command, json_option
from cli.operator.doctor import context_option, read_context
from cli.screen import open_screen
from cli.text import to_json

if TYPE_CHECKING:
    from cli.operator.month import Month

REGION = "us-east-1"


@command(
    "cost",
    short_help="compute what a stage costs in a month",
    help="Compute a month's price of a stage on AWS from list prices and counted calls, part by part. Nothing is asked"
    " of AWS, and no account is needed. The context is what `cdk deploy` is given: it names the models.",
    epilog="example: cicada cost --questions 10000 --hours 176 --documents 500 -c stage=prod",
)
@click.option("--questions", type=click.IntRange(0), default=1000, metavar="N", help="a month (default: 1000)")
@click.option(
    "--hours",
    type=click.FloatRange(0, 730),
    default=176,
    metavar="H",
    help="of the month in which they come, 730 for all (default: 176, office hours)",
)
@click.option(
    "--documents", type=click.IntRange(0), default=100, metavar="M", help="ingested in the month (default: 100)"
)
@click.option(
    "--scanned-pages",
    type=click.IntRange(0),
    default=0,
    metavar="P",
    help="of scans among them, whose text is recognised with -c ocr=textract (default: 0)",
)
@context_option
@json_option
def cost(options: Options) -> int:
    """0."""
    context = read_context(options.context)
    # Imported late: boto3 is slow to import.
    from cli.operator.account_checks import Account
    from cli.operator.month import HOURS_A_MONTH, Month, most_units, usage
    from cli.operator.prices import priced, read_prices

    month = Month(options.questions, options.hours, options.documents, options.scanned_pages)
    prices = read_prices()
    settings = Account(context).settings(REGION)
    dollars = priced(usage(month, settings), prices)
    most = most_units(settings) * HOURS_A_MONTH * prices["opensearch_ocu_hour"].dollars
    parts: dict[str, float] = {}
    for name, price in prices.items():
        parts[price.part] = parts.get(price.part, 0) + dollars.get(name, 0)
    if options.json:
        day = str(min(price.day for price in prices.values()))
        shown = {name: round(amount, 4) for name, amount in parts.items()}
        total = {"total": round(sum(parts.values()), 2), "parts": shown, "mostForSearch": round(most, 2)}
        print(to_json({**total, "region": REGION, "oldestPrice": day}))
        return 0
    rows = [(name, f"${amount:,.2f}") for name, amount in (*parts.items(), ("sum of a month", sum(parts.values())))]
    open_screen().table(rows)
    print("\n".join(_assumed(month)))
    print(f"With all {most_units(settings)} units that the stage may use, OpenSearch would cost ${most:,.0f} a month.")
    return 0


def _assumed(month: Month) -> list[str]:
    """What the table rests on, in sentences."""
    from cli.operator.month import DOCUMENT, WAYS
    from infra.prices import PRICES

    ways = ", ".join(f"{way.share:.0%} {name}" for name, way in WAYS.items())
    return [
        f"{month.questions:,} questions in {month.hours:g} hours of the month: {ways}.",
        f"The search is awake for {month.awake_hours:,.1f} hours; it rests ten minutes after the last question.",
        f"{month.documents:,} documents of {DOCUMENT.passages} passages are ingested, one at a time.",
        f"List prices of {REGION} without free tiers and taxes; {PRICES.name} has the day and the source of each.",
    ]
