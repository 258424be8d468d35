"""Writes the agents and the functions of their tools for the Bedrock stand-in."""

from __future__ import annotations

import json

from local.stage.settings import ROOT, StageConfig

_TOOLS = ROOT / "layers" / "shared" / "python" / "cicada" / "agents" / "tools.json"


def write_agents(config: StageConfig) -> None:
    """Write the file. On the local stage, the agents' ids are their names."""
    described = json.loads(_TOOLS.read_text("utf-8"))
    agents = {
        name: {
            "name": name,
            "instruction": agent["instruction"],
            "actionGroups": [{"name": name, "lambda": f"cicada-local-agent-{name}", "functions": agent["functions"]}],
        }
        for name, agent in described.items()
    }
    config.agents_file.write_text(json.dumps({"agents": agents}, indent=2), "utf-8")
