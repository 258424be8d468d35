"""The next step of a conversation with tools: call one, ask for what is missing, or say what came of it.

Converse tool use and InvokeAgent share it; it is a function of the message and of the calls made so far.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from local.bedrock.arguments import extract
from local.bedrock.embedder import Embedder
from local.bedrock.intents import choose, is_instruction
from local.bedrock.outcome import tell
from local.bedrock.tools import Parameter, Tool

ASKING = "What is it?"


@dataclass(frozen=True, slots=True)
class Call:
    tool: Tool
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Say:
    """An answer; `asks` when it asks for a missing argument, so that the next message completes this one."""

    text: str
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """A call and what it returned."""

    name: str
    arguments: Mapping[str, str]
    result: str
    failed: bool = False


def continued(unfinished: str, message: str) -> str:
    """A message that answers the question asked before completes that message; an instruction starts afresh."""
    return message if not unfinished or is_instruction(message) else f"{unfinished}: {message}"


def next_step(tools: Sequence[Tool], message: str, done: Sequence[Done], embedder: Embedder) -> Call | Say:
    """Raises EmbedderUnavailableError when a result has passages to quote from."""
    tool = choose(tools, message)
    if tool is None:
        return Say("I can do this here: " + ", ".join(tool.name.replace("_", " ") for tool in tools) + ".")
    if any(call.name == tool.name or call.failed for call in done):
        return Say(tell(done[-1].result, done[-1].failed, done[-1].arguments, embedder))
    arguments = extract(tool, message)
    unset = next((one for one in tool.parameters if one.choices and one.required and one.name not in arguments), None)
    if unset:
        return _with_choice(tools, tool, unset, arguments, done)
    return _complete(tool, arguments)


def _with_choice(
    tools: Sequence[Tool], tool: Tool, unset: Parameter, arguments: dict[str, str], done: Sequence[Done]
) -> Call | Say:
    """`Show me Ephesus` does not say of what kind Ephesus is: what is saved already may say so."""
    wanted = arguments.get("name", "")
    listing = next((one for one in tools if one.verb == "list"), None)
    if tool.verb == "save" or not wanted or listing is None:
        return _complete(tool, arguments if tool.verb != "save" else {unset.name: unset.choices[0], **arguments})
    if not done:
        return Call(listing, {})
    kind = _kind_beside(done[-1].result, wanted, unset.choices)
    if not kind:
        return Say(f"I found nothing saved under {wanted}.")
    return _complete(tool, {**arguments, unset.name: kind})


def _kind_beside(result: str, wanted: str, choices: Sequence[str]) -> str:
    """The choice that stands nearest to the name, wherever in the result that is."""
    text = result.lower()
    names = [found.start() for found in re.finditer(re.escape(wanted.lower()), text)]
    kinds = [(found.start(), choice) for choice in choices for found in re.finditer(choice, text)]
    return min(((abs(kind - name), choice) for name in names for kind, choice in kinds), default=(0, ""))[1]


def _complete(tool: Tool, arguments: Mapping[str, str]) -> Call | Say:
    for parameter in tool.parameters:
        if parameter.required and parameter.name not in arguments:
            what = f"{tool.verb} a {tool.noun}"
            choices = f" ({', '.join(parameter.choices)})" if parameter.choices else ""
            return Say(f"To {what} I need its {parameter.name.replace('_', ' ')}{choices}. {ASKING}", asks=True)
    return Call(tool, arguments)
