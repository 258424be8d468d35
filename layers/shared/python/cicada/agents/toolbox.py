"""The tools of one agent, called by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from cicada.agents.description import AgentDescription
from cicada.agents.model import ToolSession


class Toolbox(Struct, frozen=True):
    """`tools`: functions by their names in the description; each takes the session and its declared parameters."""

    description: AgentDescription
    tools: Mapping[str, Callable[..., str]]

    def call(self, session: ToolSession, name: str, arguments: Mapping[str, object]) -> str:
        """The tool's answer to the model. Undeclared arguments are dropped, so the model cannot choose the user.

        Raises `DependencyError` if the tool fails.
        """
        function = self.description.functions.get(name)
        if function is None:
            return f"There is no such tool. The tools are: {', '.join(self.tools)}."
        given = {key: arguments[key] for key in function.parameters if arguments.get(key) is not None}
        return self.tools[name](session, **{key: str(value) for key, value in given.items()})
