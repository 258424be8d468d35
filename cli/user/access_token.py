"""`cicada token`: a fresh access token of a user."""

from __future__ import annotations

import click

from cli.arguments import Options, command, stack_option
from cli.errors import CommandError
from cli.text import clean_line


@command(
    "token",
    short_help="sign a user in and print a fresh access token",
    help="Sign a user in and print the access token, and nothing else. The password is that of a sample user"
    " of the local stage, or CICADA_PASSWORD, or is asked for; a first password is replaced by one that the user"
    " chooses. With --provider a browser is opened, where the user signs in with the stack's identity provider. The"
    " refresh token is kept in a file that only you can read, so that `cicada chat`, `ask` and this command sign in"
    " by themselves for 30 days.",
    epilog="example: cicada token alice --stack Cicada-dev",
)
@click.argument(
    "user", metavar="[USER]", required=False, help="the user's name (default: CICADA_USER, or who signed in last)"
)
@click.option("--provider", is_flag=True, help="sign in in the browser, with the identity provider")
@click.option("--sign-out", is_flag=True, help="forget the user's refresh token, and revoke it")
@stack_option
def token(options: Options) -> int:
    """0 if the sign-in succeeded."""
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.user.sign_in import sign_in, sign_in_with_provider

    if options.provider and (options.user or options.sign_out):
        raise CommandError("--provider signs in whoever the provider says: name no USER, and no --sign-out.", 2)
    target = open_target(options.stack)
    if options.provider:
        print(clean_line(sign_in_with_provider(target)))
        return 0
    user = sign_in(target, options.user)
    if options.sign_out:
        print("Signed out." if user.end() else "Nobody of that name was signed in.")
        return 0
    print(clean_line(user()))
    return 0
