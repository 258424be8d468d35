"""Chooses the tools that a message calls. Converse tool use and InvokeAgent share it.

What a message asks for is read by learnt heads (`agent_heads`); what "it", "that" and "undo" are stands in the earlier
turns. The tool's result is the answer. What cannot be done is said with a sentence to copy that would do it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cicada.agents.unnamed import asks_to_see_it
from local.bedrock import agent_replies, weighing
from local.bedrock.agent_heads import earlier, phrases
from local.bedrock.agent_heads.correction import corrected
from local.bedrock.agent_heads.earlier import Turn
from local.bedrock.agent_heads.request import AgentHeads, Request, packaged
from local.bedrock.agent_replies import ASKING, NOUNS, TAKEN, is_missing
from local.bedrock.embedder import Embedder
from local.bedrock.prompt import Passage, parse
from local.bedrock.tools import Tool
from local.bedrock.weighing import numbers_of, opposite, weighed

_SURE = 0.9
_TITLE_WORDS = 6
# A message that surely asks for one of these is no answer to a question for a missing argument.
_ANEW = ("list", "get", "rename", "delete", "restore")
# What these are about may stand behind a colon, as in "Show my theory: The porter is drunk".
_OF_ONE = ("get", "delete", "restore")
# What names what it says in a clause of its own saves it, whatever it seems besides.
_MAY_SAVE = ("save", "search", "none")
_ON_ENTRY = (*_OF_ONE, "append", "amend", "rename")
# A list of one kind lacks the others, so a kind that is not said must be likely.
_SURE_OF_KIND = 0.65
_KIND = re.compile(r"\b(character|location|episode|group|topic)s?\b", re.IGNORECASE)
_MANY = re.compile(r"\b(?:profiles|theories|cards|entries|notes)\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|any|each|every)\b", re.IGNORECASE)
_ONE = re.compile(r"\b(?:profile|theory|card|entry|note)\b", re.IGNORECASE)
# Words of a message that wants a new entry, and not more in the one that is there.
_CREATES = re.compile(r"\b(?:create|make|new|start|set up|another|one more)\b", re.IGNORECASE)
# Words before the name of an entry that is taken to be there: "add to Banquo: …".
_ADDS_TO = re.compile(r"\b(?:to|into|onto|in|on|update|extend)\b", re.IGNORECASE)
# What is said of an entry is not its name: "one more remark: …".
_REMARK = re.compile(
    r"(?:(?:my|the|own|a|an|one|more|another|first|second|third|last|new) )*"
    r"(?:remark|correction|comment|verdict|addition)",
    re.IGNORECASE,
)
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


def understood(message: str, before: Sequence[Turn], store: str, heads: AgentHeads) -> Request:
    """What the message asks of the agent of this store, with what the turns before say of it."""
    unfinished = _unfinished(before)
    found = _read(message, store, heads)
    if before and found.sure < _SURE and (entry := earlier.picked(message, before[-1])):
        return replace(understood(before[-1].message, before[:-1], store, heads), name=entry.name)
    if not unfinished or (found.action in _ANEW and found.sure >= _SURE):
        return _resolved(_to_agent(found, message, store, heads), message, before, heads)
    asked = before[: len(before) - len(unfinished)]
    first = unfinished[0]
    request = _resolved(_to_agent(_read(first, store, heads), first, store, heads), first, asked, heads)
    for answer in (*unfinished[1:], message):
        role = agent_replies.missing(request)
        request = request.saying(role, answer.strip()) if role else request
    return request


def _read(message: str, store: str, heads: AgentHeads) -> Request:
    """What the heads read in the message, and what its phrases surely say."""
    if asks_to_see_it(message):
        return replace(heads.read(message, "get"), sure=1.0, store=store, name="")
    found = heads.read(message)
    if found.action == "amend" and phrases.only_adds(message, found.text):
        added = heads.read(message, "append")
        found = replace(added, name=added.name or found.name, text=added.text or found.text)
    if found.action == "append":
        found = replace(found, name=phrases.without_with(found.name))
    if found.action in ("save", "append", "amend") and _REMARK.fullmatch(found.name):
        found = replace(found, action="amend" if found.name.lower().endswith("correction") else "append", name="")
    return _named_apart(found, message, heads) or found


def _named_apart(found: Request, message: str, heads: AgentHeads) -> Request | None:
    """The request to save a claim that a clause of its own names: "Theory: the bear is real. Call it Exit."."""
    rest, name = phrases.named_apart(message)
    may_save = found.action in _MAY_SAVE or (found.action == "rename" and phrases.claims(rest))
    is_read = found.action == "save" and found.name and name.startswith(found.name)
    if not name or is_read or not may_save or "?" in rest or heads.read(rest).action not in _MAY_SAVE:
        return None
    saved = heads.read(rest, "save")
    return replace(saved, sure=1.0, name=name, text=saved.text or _claim(rest))


def _unfinished(before: Sequence[Turn]) -> list[str]:
    """The messages of the last request while its arguments are asked for, oldest first."""
    messages: list[str] = []
    for turn in reversed(before):
        if not turn.answer.endswith(ASKING):
            break
        messages.insert(0, turn.message)
    return messages


def _to_agent(request: Request, message: str, store: str, heads: AgentHeads) -> Request:
    """The request as one to the agent that was asked, unless the message surely means the other one."""
    if request.action == "none" and request.may_get:
        request = heads.read(message, "get")
    if request.action == "none" and store == "theories":
        request = replace(request, action="search", text=_claim(message))
    elif request.action == "none":
        likely = heads.read(message, "save")
        request = replace(request, kind=likely.kind, name=likely.name, text=likely.text)
    if request.action in _ON_ENTRY and not request.name:
        request = replace(request, name=_quoted(message, request))
    if request.action in _OF_ONE and not request.name:
        request = replace(request, name=message.partition(": ")[2].strip(" .!"))
    if request.action == "get" and not request.name and _MANY.search(message):
        request = replace(request, action="list")
    is_of_one = _ONE.search(message) and not _ALL.search(message)
    if request.action == "list" and is_of_one and (one := heads.read(message, "get")).name:
        request = one
    if request.store == "both":
        return request if request.action == "list" else replace(request, store=store)
    # Only the store knows whether it has an entry of a name.
    means_other = request.store != store and request.store_sure >= _SURE and request.action not in _ON_ENTRY
    return request if means_other else replace(request, store=store)


def _quoted(message: str, request: Request) -> str:
    """The first quotation that is no other argument."""
    others = (request.text, request.new_name)
    return next((said for said in earlier.QUOTATION.findall(message) if not any(said in other for other in others)), "")


def _claim(message: str) -> str:
    """The first sentence, without the words up to a colon."""
    found = re.match(r"(?:[^:.?!]*: *)?(.+?)(?:[.?!](?:\s|$)|$)", message.strip(), re.DOTALL)
    return found[1] if found else message


def _resolved(request: Request, message: str, before: Sequence[Turn], heads: AgentHeads) -> Request:
    """The request with the entry and the text that the turns before tell, where the message does not."""
    if request.action in ("list", "none") or not before:
        return request
    if request.action == "search":
        return replace(request, text=request.text or ("" if request.name else earlier.claim(before, heads)))
    noun = NOUNS.get(request.store, "profile")
    if made := _made_now(request, message, before, noun):
        return made
    spoken_of = earlier.meant(before[-1:], noun, heads) if request.action in ("save", "append") else None
    if spoken_of and phrases.tells_of_another(message, request.name, request.text):
        return replace(request, action="append", name=spoken_of.name)
    if request.action == "save":
        return _with_earlier_text(request, before, heads)
    name = request.name or earlier.named_in(message.replace(request.new_name or "\n", ""), before)
    request = replace(request, name=name)
    chosen = earlier.chosen(message, before)
    entry = chosen or (None if request.name else earlier.meant(before, noun, heads))
    request = replace(request, name=entry.name) if entry else request
    if request.action in ("append", "amend") and not request.text:
        return replace(request, text=earlier.claim(before[-1:], heads))
    return request


def _made_now(request: Request, message: str, before: Sequence[Turn], noun: str) -> Request | None:
    """The request for an entry of the name that the answer before did not find: "ok then make one: a prince"."""
    name = earlier.missed(before[-1], noun)
    has_its_own = bool(request.name) and request.name in message.partition(":")[0]
    is_of_it = phrases.makes_one(message) or (request.action == "save" and not request.name)
    if not name or has_its_own or not is_of_it:
        return None
    text = message.partition(":")[2].strip() or request.text
    return replace(request, action="save", name=name, text=text, new_name="")


def _with_earlier_text(request: Request, before: Sequence[Turn], heads: AgentHeads) -> Request:
    if request.store == "theories":
        return replace(request, text=request.text or earlier.claim(before, heads))
    if request.name and request.text:
        return request
    said = heads.read(before[-1].message, "save")
    name = request.name or said.name
    return replace(request, name=name, text=request.text or said.text or before[-1].message.strip())


def _first(request: Request, message: str, before: Sequence[Turn], offered: Mapping[str, Tool]) -> Call | Say:
    tool = offered.get(_tool_name(request))
    if request.action == "none" or tool is None:
        return Say(f"{agent_replies.undone(request)}. {agent_replies.says(request)}")
    if request.action == "restore" and not request.version:
        noun = NOUNS.get(request.store, "profile")
        if earlier.last_change(before, noun, request.name) == "Saved":
            says = agent_replies.says(replace(request, action="delete"))
            return Say(f"Nothing was brought back: {request.name} was newly saved, so nothing was before it. {says}")
    role = agent_replies.missing(request)
    if role:
        return Say(agent_replies.asks_for(request, role))
    reads = offered.get(f"get_{NOUNS[request.store]}") if request.store in NOUNS else None
    quoted = request.text if request.text in earlier.QUOTATION.findall(message) else ""
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
    if request.action == "amend" and text:
        request = replace(request, text=corrected(text, message, request.text) or request.text)
        return Call(offered[_tool_name(request)], _arguments(request, message, offered[_tool_name(request)]))
    return None


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
    shown = done if request.action == "list" else done[-1:]
    return "\n\n".join(agent_replies.told(request, each.result) for each in shown)
