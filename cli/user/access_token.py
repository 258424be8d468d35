"""`cicada token`: a fresh access token of a sample user."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cli.local_stage import read_stage
from cli.settings import read_settings
from cli.text import clean_line

if TYPE_CHECKING:
    from cli.arguments import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "token",
        help="print a fresh access token of a sample user",
        description="Sign a sample user of the local stage in and print the access token, and nothing else.",
    )
    parser.add_argument("user", metavar="USER", help="the user's name, as `cicada stage` shows it")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if the sign-in succeeded."""
    stage = read_stage(read_settings().stage_file)
    stage.password(options.user)
    from cli.local_services import sign_in  # imported late: boto3 is slow to import

    print(clean_line(sign_in(stage, options.user)))
    return 0
