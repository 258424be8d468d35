"""The `cicada` command: its subcommands in the order of its help, and what a failure looks like."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click
from click.shell_completion import shell_complete

from cicada_client.errors import CicadaClientError
from cli.arguments import Group, Options, command
from cli.aws_failures import failed_sign_in, failure_of
from cli.errors import CommandError
from cli.evaluate.calibrate import calibrate
from cli.evaluate.command import evaluate
from cli.operator.audit import audit
from cli.operator.bases import bases
from cli.operator.catalogue import documents
from cli.operator.cost import cost
from cli.operator.doctor import doctor
from cli.operator.erase import erase
from cli.operator.feedback import feedback
from cli.operator.ingest import ingest
from cli.operator.intents import intents
from cli.operator.invoke import invoke
from cli.operator.rebuild import rebuild
from cli.operator.redrive import redrive
from cli.operator.remove import remove
from cli.operator.restore import restore
from cli.operator.stage import stage
from cli.operator.status import status
from cli.operator.trace import trace
from cli.operator.users import user
from cli.settings import COMPLETION_VARIABLE, read_settings
from cli.text import clean_line
from cli.user.access_token import token
from cli.user.administration import administration
from cli.user.ask import ask
from cli.user.bases import list_
from cli.user.chat import chat
from cli.user.export import export
from cli.user.open import open_document
from cli.user.sessions import sessions

_NAME = "cicada"

# The group's other commands are the operators'.
bases.add_command(list_)


@command(
    "completion",
    short_help="print what completes commands and options in a shell",
    help="Print a script with which the shell completes commands, options and file names.",
    epilog='example: eval "$(cicada completion bash)", in ~/.bashrc',
)
@click.argument("shell", metavar="SHELL", type=click.Choice(("bash", "zsh", "fish")), help="bash, zsh or fish")
def completion(options: Options) -> int:
    """0."""
    return shell_complete(cicada, {}, _NAME, COMPLETION_VARIABLE, f"{options.shell}_source")


cicada = click.version_option(package_name=_NAME, message="%(prog)s %(version)s", help="print the version and exit")(
    Group(
        _NAME,
        help="Ask questions of CICADA, and look after its stages.",
        epilog="With --stack NAME or CICADA_STACK the commands work on that stack, with the credentials and the region"
        " that the AWS command line uses; otherwise on the local stage that `make run` started.",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
        commands=(
            chat,
            ask,
            open_document,
            sessions,
            export,
            administration,
            ingest,
            remove,
            erase,
            documents,
            bases,
            rebuild,
            restore,
            doctor,
            cost,
            status,
            stage,
            audit,
            trace,
            feedback,
            user,
            token,
            invoke,
            redrive,
            intents,
            evaluate,
            calibrate,
            completion,
        ),
    )
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand. Returns its exit code: 0 for success, 1 for failure, 2 for wrong use."""
    _tolerate_encodings()
    try:
        code = _invoked(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except click.UsageError as error:
        hint = f" Try `{error.ctx.command_path} --help`." if error.ctx else ""
        return _say(f"{error.format_message()}{hint}", error.exit_code)
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


def _invoked(arguments: Sequence[str]) -> int:
    """The exit code. Not by click's `main`, which writes a line on Ctrl-C and calls it by another code."""
    if instruction := read_settings().completion:
        return shell_complete(cicada, {}, _NAME, COMPLETION_VARIABLE, instruction)
    try:
        with cicada.make_context(_NAME, list(arguments)) as context:
            code: int = cicada.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return code


def _tolerate_encodings() -> None:
    """Replace characters that the terminal's encoding lacks, and bytes that are not text, instead of failing."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _say(sentence: str, code: int) -> int:
    print(f"cicada: {clean_line(sentence)}", file=sys.stderr)
    return code
