"""The table of requests, on moto, as the CDK app declares it."""

from __future__ import annotations

from functools import partial

from tests.contract.declared import declared_table

TABLE = "requests"
requests_table = partial(declared_table, TABLE)
