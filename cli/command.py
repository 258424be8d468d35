"""The `cicada` command: its options, and what a failure looks like."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from cicada_client.errors import CicadaClientError
from cli.aws_failures import failed_sign_in, failure_of
from cli.errors import CommandError
from cli.subcommands import SUBCOMMANDS
from cli.text import clean_line


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand. Returns its exit code: 0 for success, 1 for failure, 2 for wrong use."""
    _tolerate_encodings()
    try:
        options = _parser().parse_args(arguments)
        code: int = options.run(options)
        sys.stdout.flush()
    except CommandError as error:
        shown = failed_sign_in(error) or error
        return _say(str(shown), shown.exit_code)
    except CicadaClientError as error:
        return _say(str(error), 1)
    except BrokenPipeError:
        # The reader of the output is gone. Without this the interpreter reports it again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if (failure := failure_of(error)) is None:
            raise
        return _say(str(failure), failure.exit_code)
    return code


def _tolerate_encodings() -> None:
    """Replace characters that the terminal's encoding lacks, and bytes that are not text, instead of failing."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cicada",
        description="Ask questions of CICADA, and look after its stages.",
        epilog="With --stack NAME or CICADA_STACK the commands work on that stack, with the credentials and the region"
        " that the AWS command line uses; otherwise on the local stage that `make run` started.",
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for subcommand in SUBCOMMANDS:
        subcommand.register(subparsers)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"cicada {version('cicada')}")
        parser.exit()


def _say(sentence: str, code: int) -> int:
    print(f"cicada: {clean_line(sentence)}", file=sys.stderr)
    return code
