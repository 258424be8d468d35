"""Chooses the tools that a message calls. Converse tool use and InvokeAgent share it.

What a message asks for is read in `agent_requests`, by learnt heads and the earlier turns, which say what "it", "that"
and "undo" are. The tool's result is the answer. What cannot be done is said with a sentence to copy that would do it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cicada.text import QUOTATION
from local.bedrock import agent_replies, weighing
from local.bedrock.agent_heads import earlier, phrases
from local.bedrock.agent_heads.correction import corrected, replaces_part
from local.bedrock.agent_heads.earlier import Turn
from local.bedrock.agent_heads.request import AgentHeads, Request, packaged
from local.bedrock.agent_replies import NOUNS, TAKEN, is_missing
from local.bedrock.agent_requests import understood
from local.bedrock.embedder import Embedder
from local.bedrock.prompt import Passage, parse
from local.bedrock.tools import Tool
from local.bedrock.weighing import numbers_of, opposite, weighed
from local.bedrock.words import terms

_TITLE_WORDS = 6
# A list of one kind lacks the others, so a kind that is not said must be likely.
_SURE_OF_KIND = 0.65
_KIND = re.compile(r"\b(character|location|episode|group|topic)s?\b", re.IGNORECASE)
# Words of a message that wants a new entry, and not more in the one that is there.
_CREATES = re.compile(r"\b(?:create|make|new|start|set up|another|one more)\b", re.IGNORECASE)
# Words before the name of an entry that is taken to be there: "add to Banquo: …".
_ADDS_TO = re.compile(r"\b(?:to|into|onto|in|on|update|extend)\b", re.IGNORECASE)
_TITLE = re.compile(r"^The theory “([^”]+)”")
_KEPT = re.compile(r"^The (?:\w+ )?(?:profile|theory) “[^\n]*:\n((?:\|[^\n]*(?:\n|$))+)")


@dataclass(frozen=True, slots=True)
class Call:
    tool: Tool
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Say:
    """An answer; one that ends with `ASKING` asks for a missing argument, and the next message completes this one."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """A call and what it returned."""

    name: str
    arguments: Mapping[str, str]
    result: str
    failed: bool = False


def next_step(
    tools: Sequence[Tool], message: str, before: Sequence[Turn], done: Sequence[Done], embedder: Embedder
) -> Call | Say:
    """The next call, or the answer. Raises EmbedderUnavailableError when a result has passages to quote from."""
    offered = {tool.name: tool for tool in tools}
    store = "theories" if "get_theory" in offered else "profiles"
    request = understood(message, before, store, packaged())
    if not done:
        return _unwritten(request, message, packaged()) or _first(request, message, before, offered)
    return _further(request, message, done, offered) or Say(_told(request, done, embedder))


def _first(request: Request, message: str, before: Sequence[Turn], offered: Mapping[str, Tool]) -> Call | Say:
    tool = offered.get(_tool_name(request))
    if request.action == "none" and not (request.name and request.text):
        return Say(agent_replies.CANNOT)
    if request.action == "none" or tool is None:
        return Say(f"{agent_replies.undone(request)}. {agent_replies.says(request)}")
    if request.action == "restore" and not request.version:
        noun = NOUNS.get(request.store, "profile")
        if earlier.last_change(before, noun, request.name) == "Saved":
            says = agent_replies.says(replace(request, action="delete"))
            return Say(f"Nothing was brought back: {request.name} was newly saved, so nothing was before it. {says}")
    if request.is_open:
        return Call(offered[f"list_{request.store}"], {})
    role = agent_replies.missing(request)
    if role:
        return Say(agent_replies.asks_for(request, role))
    reads = offered.get(f"get_{NOUNS[request.store]}") if request.store in NOUNS else None
    quoted = request.text if request.text in QUOTATION.findall(message) else ""
    named = request.name or quoted
    if reads and (request.action == "amend" or (request.action == "search" and named)):
        return Call(reads, _arguments(replace(request, name=named), message, reads))
    return Call(tool, _arguments(request, message, tool))


def _unwritten(request: Request, message: str, heads: AgentHeads) -> Say | None:
    """What can be done, if a profile is to be written out of the texts, which no tool does."""
    asked = phrases.without_texts(message) if request.store == "profiles" else ""
    wanted = heads.read(asked, "save") if asked else None
    return Say(agent_replies.writes_none(wanted.name)) if wanted and wanted.name and not wanted.text else None


def _tool_name(request: Request) -> str:
    store = "profiles" if request.store == "both" else request.store
    if request.action == "list":
        return f"list_{store}"
    if request.action == "search":
        return "search_evidence"
    return f"{'append_to' if request.action == 'append' else request.action}_{NOUNS[store]}"


def _arguments(request: Request, message: str, tool: Tool) -> dict[str, str]:
    title = request.name or " ".join(request.text.split()[:_TITLE_WORDS])
    text = request.text
    name = phrases.without_kind(request.name) if request.action == "save" else request.name
    values = {"name": name, "title": title, "new_name": request.new_name, "new_title": request.new_name}
    values |= {"description": text, "statement": text, "addition": text, "query": text}
    values |= {"version": request.version, "kind": _kind(request, message)}
    return {name: values[name] for name in tool.parameters if values.get(name)}


def _kind(request: Request, message: str) -> str:
    """The likeliest kind of a new profile; of others what the message says, so that none is missed by a guess."""
    if request.action == "save":
        return request.kind
    said = _KIND.search(message.replace(request.name, ""))
    if said:
        return said[1].lower()
    is_sure = request.action == "list" and request.kind != "any" and request.kind_sure >= _SURE_OF_KIND
    return request.kind if is_sure else ""


def _further(request: Request, message: str, done: Sequence[Done], offered: Mapping[str, Tool]) -> Call | None:
    """The call after a call: the other list, more for an entry that is there, the evidence for a saved theory."""
    last = done[-1]
    if last.failed:
        return None
    if request.is_open and request.action == "get" and len(done) == 1:
        return _told_of(message, last.result, request, offered)
    if request.action == "list" and request.store == "both" and len(done) == 1 and "list_theories" in offered:
        return Call(offered["list_theories"], {})
    if request.action == "save" and len(done) == 1 and last.result.startswith(TAKEN) and not _CREATES.search(message):
        more = offered[_tool_name(replace(request, action="append"))]
        return Call(more, _arguments(replace(request, action="append"), message, more))
    if is_missing(last.result) and _is_new(request, message):
        new = offered[_tool_name(replace(request, action="save"))]
        return Call(new, _arguments(replace(request, action="save"), message, new))
    if request.action == "search":
        return _evidence_step(request, done, offered)
    text = _kept(last)
    if request.action != "amend" or not text:
        return None
    changed = corrected(text, message, request.text, request.name)
    if not changed and replaces_part(message, request.text):
        return None
    request = replace(request, text=changed or request.text)
    return Call(offered[_tool_name(request)], _arguments(request, message, offered[_tool_name(request)]))


def _told_of(message: str, result: str, request: Request, offered: Mapping[str, Tool]) -> Call | None:
    """Reads the only entry of a list whose line has most words of the message; none if several have."""
    reads = offered[f"get_{NOUNS[request.store]}"]
    wanted, lines = {*terms(message)}, result.splitlines()
    shared = [len(wanted.intersection(terms(line))) for line in lines]
    best = [line for line, count in zip(lines, shared, strict=True) if count == max(shared) > 0]
    found = earlier.listed(Turn("", re.sub(r"^\| ?", "", best[0]))) if len(best) == 1 else []
    return Call(reads, {next(iter(reads.parameters.keys() & {"name", "title"})): found[0].name}) if found else None


def _kept(done: Done) -> str:
    """The text of the entry that was read; empty if none was."""
    kept = _KEPT.match(done.result) if done.name.startswith("get_") else None
    return re.sub(r"^\| ?", "", kept[1], flags=re.MULTILINE).strip() if kept else ""


def _evidence_step(request: Request, done: Sequence[Done], offered: Mapping[str, Tool]) -> Call | None:
    """Two searches, for the statement and for its opposite, then the verdict; open if no other is accepted."""
    statement, last = _statement(request, done), done[-1]
    searches = sum(each.name == "search_evidence" for each in done)
    if searches == 0 or (searches == 1 and "judge_theory" in offered):
        return Call(offered["search_evidence"], {"query": opposite(statement) if searches else statement})
    passages = _passages(done)
    if "judge_theory" not in offered or any(each.number is None for each in passages):
        return None
    found = weighed(statement, passages)
    verdict = found.verdict
    if last.name == "judge_theory":
        if not last.result.startswith("Refused") or last.arguments["verdict"] == "open":
            return None
        verdict = "open"
    arguments = {
        "title": _title(done),
        "verdict": verdict,
        "supporting": numbers_of(found.supporting),
        "contradicting": numbers_of(found.contradicting),
        "reason": found.reason,
    }
    return Call(offered["judge_theory"], {name: value for name, value in arguments.items() if value})


def _statement(request: Request, done: Sequence[Done]) -> str:
    """What is tested: the text that is kept, or what the message says."""
    return next(filter(None, map(_kept, done)), "") or request.text or request.name


def _title(done: Sequence[Done]) -> str:
    """The title of the theory that was read; empty if none was."""
    titles = (_TITLE.match(each.result) for each in done if _kept(each))
    return next((found[1] for found in titles if found), "")


def _passages(done: Sequence[Done]) -> list[Passage]:
    """The passages of all searches, each once."""
    found = (each for search in done if search.name == "search_evidence" for each in parse(search.result).passages)
    return list({(each.heading, each.lines): each for each in found}.values())


def _is_new(request: Request, message: str) -> bool:
    """Whether an addition or a correction to an entry that is not there may as well be a new one.

    "Add a theory named Spy: …" and "and one for Francisco: …" name no entry that is taken to be there.
    """
    creates = {said.lower() for said in _CREATES.findall(message)} - {"make"}
    is_named = request.action == "append" and bool(request.name) and request.name in message
    names_new = is_named and not _ADDS_TO.search(message.partition(request.name)[0])
    return request.action in ("append", "amend") and (bool(creates) or names_new)


def _told(request: Request, done: Sequence[Done], embedder: Embedder) -> str:
    """The result, or its passages nearest to the search text."""
    last = done[-1]
    if last.failed:
        return f"That did not work: {last.result}"
    if any(each.name == "search_evidence" for each in done):
        passages = _passages(done)
        judged = last.result.partition("\n")[0] if last.name == "judge_theory" else ""
        return "\n\n".join(filter(None, (weighing.told(_statement(request, done), passages, embedder), judged)))
    if request.is_open and request.action != "get":
        return agent_replies.asks_which(request, last.result)
    if request.action == "amend" and (kept := _kept(last)):
        return agent_replies.unclear(request, kept)
    # A sentence to copy has the text as it was to become.
    text = last.arguments.get("statement") or last.arguments.get("description") or request.text
    shown = done if request.action == "list" else done[-1:]
    return "\n\n".join(agent_replies.told(replace(request, text=text), each.result) for each in shown)
