"""The terminal and the page suggest the same after a list."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from cicada_client.listing import read_listing
from cicada_client.plan import read_plan
from cli.user.follow_ups import follow_ups
from local.stage.settings import ROOT
from tests.patience import PATIENCE_SECONDS

MODULE = ROOT / "clients" / "web" / "follow-ups.js"
PRINT = f"""
import {{ followUps }} from {json.dumps(MODULE.as_uri())};
console.log(JSON.stringify(followUps(...JSON.parse(process.argv[1]))));
"""
STATUS, KIND = ("open", "closed"), ("SOP", "policy", "report")
LISTED = [
    {"fields": {"Status": STATUS[n % 2], "Kind": KIND[n % 3], "Tags": "a, b", "Version": f"{n % 2}", "Owner": f"P {n}"}}
    for n in range(9)
]
LISTING = {"total": 57, "documents": LISTED, "columns": ["Tags", "Kind", "Version", "Owner", "Status"]}
GROUPS = [{"values": [value], "documents": 9} for value in (None, "2026", "Supply", "Ünits", "other")]
COUNTED = LISTING | {"groupedBy": ["Kind"], "groups": GROUPS}
BY_KIND = ["How many are there by Kind?", "How many are there by Status?", "Only those with Status open"]


@pytest.mark.parametrize(
    ("strategy", "listing", "offered"),
    [
        ("MetadataOnly", LISTING, BY_KIND),
        ("MetadataOnly", LISTING | {"documents": LISTED[:3]}, []),
        ("MetadataOnly", LISTING | {"total": 3}, []),
        ("MetadataOnly", COUNTED, ["Only those with Kind Supply", "Only those with Kind Ünits"]),
        ("MetadataOnly", COUNTED | {"total": 9}, []),
        ("Hybrid", LISTING, []),
    ],
)
def test_the_page_and_the_terminal_suggest_the_same(strategy: str, listing: dict[str, Any], offered: list[str]) -> None:
    plan = {"strategy": strategy}
    assert follow_ups(read_plan(plan), read_listing("r", 1, listing)) == offered
    command = ["node", "--input-type=module", "--eval", PRINT, "--", json.dumps([plan, listing])]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    assert json.loads(done.stdout) == offered
