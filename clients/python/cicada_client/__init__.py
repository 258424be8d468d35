"""A client of CICADA: `from cicada_client import Client` (docs/python-client.md)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cicada_client.client import Client

__all__ = ["Client"]


def __getattr__(name: str) -> object:
    """`Client` is imported when it is asked for: its WebSocket library takes longer to import than all else."""
    if name == "Client":
        from cicada_client.client import Client

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
