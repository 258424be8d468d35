"""What the parsers of several subcommands share."""

from __future__ import annotations

import argparse
from typing import TypeAlias

# The type that add_subparsers returns is private in argparse, and no generic one at run time.
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_stack_option(parser: argparse.ArgumentParser) -> None:
    """The option that names the stack to work on."""
    parser.add_argument(
        "--stack",
        metavar="NAME",
        help="a stack on AWS, as Cicada-prod (default: CICADA_STACK, else the local stage)",
    )
