"""The subcommands of `cicada`, in the order of its help."""

from __future__ import annotations

from cli.evaluate import calibrate
from cli.evaluate import command as evaluate
from cli.operator import (
    audit,
    bases,
    catalogue,
    doctor,
    erase,
    ingest,
    intents,
    invoke,
    rebuild,
    redrive,
    remove,
    stage,
    status,
    users,
)
from cli.user import access_token, ask, chat

SUBCOMMANDS = (
    chat,
    ask,
    ingest,
    remove,
    erase,
    catalogue,
    bases,
    rebuild,
    doctor,
    status,
    stage,
    audit,
    users,
    access_token,
    invoke,
    redrive,
    intents,
    evaluate,
    calibrate,
)
