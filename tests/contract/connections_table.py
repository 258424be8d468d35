"""The table of connections, on moto, as the CDK app declares it."""

from __future__ import annotations

from functools import partial

from tests.contract.declared import declared_table

TABLE = "connections"
connections_table = partial(declared_table, TABLE)
