"""The stand-in's agents, from a JSON file that the deployment writes, and their sessions.

{"agents": {"<agentId>": {"name": "profile", "instruction": "…", "actionGroups": [
    {"name": "profiles", "lambda": "<name or ARN>", "functions": [
        {"name": "save_profile", "description": "…", "parameters": {
            "kind": {"type": "string", "description": "…", "required": true}}}]}]}}}
"""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from local.bedrock.agent_heads.earlier import Turn
from local.bedrock.tools import Tool
from local.bedrock.wire import WireError

SESSIONS_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Agent:
    """`lambdas` maps an action group to its function."""

    agent_id: str
    name: str
    tools: tuple[Tool, ...]
    lambdas: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Session:
    """A session's state, with the turns that went through this agent."""

    attributes: Mapping[str, str] = field(default_factory=dict)
    prompt_attributes: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()


class AgentsFile:
    """The agents' file, read again whenever it changes; it may not exist yet."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._read: tuple[int, Mapping[str, Agent]] = (0, {})

    def get(self, agent_id: str) -> Agent:
        """Raises WireError (ResourceNotFoundException, or InternalServerException for a file that cannot be read)."""
        agent = self._agents().get(agent_id)
        if agent is None:
            where = f"{self._path}" if self._path else "CICADA_AGENTS_FILE, which is not set"
            raise WireError("ResourceNotFoundException", f"There is no agent {agent_id} in {where}.")
        return agent

    def _agents(self) -> Mapping[str, Agent]:
        if self._path is None or not self._path.exists():
            return {}
        changed = self._path.stat().st_mtime_ns
        if changed != self._read[0]:
            self._read = (changed, _parse(self._path))
        return self._read[1]


def _parse(path: Path) -> dict[str, Agent]:
    try:
        described = json.loads(path.read_text(encoding="utf-8"))["agents"]
        return {agent_id: _agent(agent_id, agent) for agent_id, agent in described.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WireError("InternalServerException", f"{path} is not an agents file: {error!r}") from error


def _agent(agent_id: str, agent: Mapping[str, Any]) -> Agent:
    groups = agent["actionGroups"]
    tools = (Tool.from_function(function, group["name"]) for group in groups for function in group["functions"])
    return Agent(agent_id, agent["name"], tuple(tools), {group["name"]: group["lambda"] for group in groups})


class Sessions:
    """The latest sessions by agent and id."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: OrderedDict[tuple[str, str], Session] = OrderedDict()

    def get(self, agent_id: str, session_id: str) -> Session:
        with self._lock:
            return self._sessions.get((agent_id, session_id), Session())

    def put(self, agent_id: str, session_id: str, session: Session) -> None:
        with self._lock:
            self._sessions[agent_id, session_id] = session
            self._sessions.move_to_end((agent_id, session_id))
            while len(self._sessions) > SESSIONS_KEPT:
                self._sessions.popitem(last=False)
