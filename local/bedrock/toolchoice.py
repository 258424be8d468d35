"""Chooses the tool that a message calls, by a script of patterns. Converse tool use and InvokeAgent share it.

A message calls one tool, and the tool's result is the answer. If no pattern matches, the answer says what can be asked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from local.bedrock.embedder import Embedder
from local.bedrock.extractive import evidence
from local.bedrock.prompt import parse
from local.bedrock.tools import Tool

ASKING = "What is it?"
_KIND = r"(?P<kind>character|location|episode|group|topic)"
_PROFILE = rf"(?:{_KIND}(?: profile)?|profile)(?: (?:of|for|named|called))?(?::? (?P<name>[^:,]+))?"
_THE = r"(?:an?|the|my|this)"
_THAT = r" (?:that )?I (?:just )?(?:deleted|changed|lost)"
# A title ends at a colon, or is quoted and may have colons.
_THEORY = r"theory(?: about|:)?(?: (?P<title>[\"“][^\"”]+[\"”]|[^:]+?))?"
_NEW_NAME = r"(?::? +(?P<new_name>.+))?"
_NEW_TITLE = r"(?::? +(?P<new_title>.+))?"
_AGAIN = r"(?:bring back|restore|undelete)"
_NUMBER = r"(?:version (?P<version>\d+) of )?"

# The message that calls a tool: letter case does not matter, and a pattern's groups are the tool's arguments.
SCRIPT = {
    "list_profiles": rf"(?:list|show)(?: me)?(?: my)?(?: {_KIND})? profiles",
    "get_profile": rf"show(?: me)?(?: an?| the| my)? {_PROFILE}",
    "save_profile": rf"(?:create|make|save)(?: an?| the| my)? {_PROFILE}(?:[:,] *(?P<description>.+))?",
    "append_to_profile": rf"add to {_THE} {_PROFILE}(?:[:,] *(?P<addition>.+))?",
    "amend_profile": rf"(?:amend|change|correct)(?: the| my)? {_PROFILE}(?:[:,] *(?P<description>.+))?",
    "rename_profile": rf"rename(?: the| my)? {_PROFILE} (?:to|as){_NEW_NAME}",
    "delete_profile": rf"delete(?: the| my)? {_PROFILE}",
    "restore_profile": (
        rf"{_AGAIN} {_NUMBER}(?:the |my )?(?:{_KIND} )?profile(?:{_THAT}|(?: (?:of|for))?:? (?P<name>[^:,]+))"
    ),
    "list_theories": r"(?:list|show)(?: me)?(?: my| all my)?(?: saved)? theories",
    "get_theory": r"show(?: me)? (?:the|my) theory(?: about|:)?(?: (?P<title>.+))?",
    # The first six words of a theory are its title.
    "save_theory": r"save (?:the|my|this|a) theory(?: that|:)?(?: (?P<statement>(?P<title>\S+(?: \S+){0,5}).*))?",
    "append_to_theory": rf"add to {_THE} {_THEORY}(?:: *(?P<addition>.+))?",
    "amend_theory": rf"(?:amend|change|correct) {_THE} {_THEORY}(?:: *(?P<statement>.+))?",
    "rename_theory": rf"rename {_THE} {_THEORY} (?:to|as){_NEW_TITLE}",
    "delete_theory": rf"delete {_THE} {_THEORY}",
    "restore_theory": rf"{_AGAIN} {_NUMBER}{_THE} (?:theory{_THAT}|{_THEORY})",
}
# Any other message is a claim if there is an evidence tool: its first sentence, without the words up to a colon.
CLAIM = {"search_evidence": r"(?:[^:.?!]*: *)?(?P<query>.+?)(?:[.?!](?:\s.*)?)?"}
UNSAID = {"kind": "character"}


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
    """A message that answers the question asked before completes the earlier message.

    One that matches the script starts anew.
    """
    scripted = any(_match(pattern, message) for pattern in SCRIPT.values())
    return message if not unfinished or scripted else f"{unfinished}: {message}"


def next_step(tools: Sequence[Tool], message: str, done: Sequence[Done], embedder: Embedder) -> Call | Say:
    """Raises EmbedderUnavailableError when a result has passages to quote from."""
    if done:
        return Say(_told(done[-1], embedder))
    offered = {tool.name: tool for tool in tools}
    for name, pattern in (SCRIPT | CLAIM).items():
        if name in offered and (found := _match(pattern, message)):
            return _complete(offered[name], found.groupdict(default=""))
    return Say("I can do this here: " + ", ".join(tool.name.replace("_", " ") for tool in tools) + ".")


def _match(pattern: str, message: str) -> re.Match[str] | None:
    return re.fullmatch(pattern, message.strip(" \n.!"), re.IGNORECASE | re.DOTALL)


def _complete(tool: Tool, said: Mapping[str, str]) -> Call | Say:
    values = {name: value.strip(" \"'“”") for name, value in said.items()}
    arguments = dict[str, str]()
    for parameter in tool.parameters:
        value = values.get(parameter.name) or (UNSAID.get(parameter.name, "") if parameter.required else "")
        if value:
            arguments[parameter.name] = value
        elif parameter.required:
            what = tool.name.replace("_", " ").capitalize()
            return Say(f"{what}: the {parameter.name} is missing. {ASKING}", asks=True)
    return Call(tool, arguments)


def _told(call: Done, embedder: Embedder) -> str:
    """The result unchanged, or its passages nearest to the search text."""
    if call.failed:
        return f"That did not work: {call.result}"
    passages = parse(call.result).passages
    if passages:
        return evidence(call.arguments.get("query", ""), passages, embedder)
    return re.sub(r"^\| ?", "", call.result, flags=re.MULTILINE).strip() or "Done."
