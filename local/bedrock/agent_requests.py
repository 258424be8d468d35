"""What a message asks an agent for, read by the heads, with what the turns before say of it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from cicada.agents.unnamed import asked_to_read, asks_own_words, asks_to_see_it, weighs_it
from cicada.text import QUOTATION
from local.bedrock import agent_replies
from local.bedrock.agent_heads import earlier, phrases, which
from local.bedrock.agent_heads.correction import corrected_words, left_out, replaces_part
from local.bedrock.agent_heads.earlier import Mentioned, Turn
from local.bedrock.agent_heads.request import AgentHeads, Request
from local.bedrock.agent_replies import ASKING, NOUNS

_SURE = 0.9
_NAME_WORDS = 3
# A message that surely asks for one of these is no answer to a question for a missing argument.
_ANEW = ("list", "get", "rename", "delete", "restore")
# What these are about may stand behind a colon, as in "Show my theory: The porter is drunk".
_OF_ONE = ("get", "delete", "restore")
# What names what it says in a clause of its own saves it, whatever it seems besides.
_MAY_SAVE = ("save", "search", "none")
_ON_ENTRY = (*_OF_ONE, "append", "amend", "rename")
_MANY = re.compile(r"\b(?:profiles|theories|cards|entries|notes)\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|any|each|every)\b", re.IGNORECASE)
# The end of words that lead to what is to be kept: "Please write in it that …".
_ENDS_LEAD = re.compile(r"(?::|\b(?:that|dass|que|che))\s*$", re.IGNORECASE)
_ONE = re.compile(r"\b(?:profile|theory|card|entry|note)\b", re.IGNORECASE)


def understood(message: str, before: Sequence[Turn], store: str, heads: AgentHeads) -> Request:
    """What the message asks of the agent of this store, with what the turns before say of it."""
    unfinished = _unfinished(before, store, heads)
    found = _read(message, store, heads)
    if before and found.sure < _SURE and (entry := _picked(message, before, store)):
        again = understood(before[-1].message, before[:-1], store, heads)
        return replace(again, name=entry.name, text="" if again.action == "search" else again.text, is_open=False)
    if not unfinished or _is_anew(found, message, before[-1].answer):
        return _resolved(_to_agent(found, message, store, heads), message, before, heads)
    asked = before[: len(before) - len(unfinished)]
    first = unfinished[0]
    request = _resolved(_to_agent(_read(first, store, heads), first, store, heads), first, asked, heads)
    for answer in (*unfinished[1:], message):
        role = agent_replies.missing(request)
        said = _without_lead(answer, heads) if role == "text" else answer.strip()
        request = request.saying(role, said) if role else request
    return request


def _is_anew(found: Request, message: str, asked: str) -> bool:
    """Whether a message is a request of its own and not what was asked for. A text may look like one, a name hardly."""
    if message.rstrip().endswith("?") or (found.sure >= _SURE and found.action in _ANEW):
        return True
    is_of_name = not agent_replies.asked_for_text(asked) and len(message.split()) > _NAME_WORDS
    return is_of_name and found.sure >= _SURE and found.action in ("save", "append", "amend")


def _picked(message: str, before: Sequence[Turn], store: str) -> Mentioned | None:
    """The entry for which a message that says no more asks the same again: "the lucky one", "now for the other one"."""
    bare = which.only_points(message)
    return earlier.picked(message, before[-1]) or (which.entry_meant(message, before, NOUNS[store]) if bare else None)


def _without_lead(answer: str, heads: AgentHeads) -> str:
    """What is to be kept, without the words that say so: "Put in there: …", "Please write in it that …"."""
    text = heads.read(answer, "append").text
    lead, _, rest = answer.partition(text) if text else (answer, "", "")
    return text if _ENDS_LEAD.search(lead) and not rest.strip(" .!") else answer.strip()


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
    if found.action == "delete" and phrases.is_of_change(message):
        return heads.read(message, "restore")
    if said := phrases.remark(message):
        what, name, text = said
        return replace(found, action="amend" if what == "correction" else "append", name=name, text=text, sure=1.0)
    if asks_own_words(message):
        return replace(heads.read(message, "get"), sure=1.0, name="", is_open=True)
    if (name := asked_to_read(message)) and found.action in ("none", "search", "get"):
        return replace(heads.read(message, "get"), name=name)
    return _titled(message, heads) or _named_apart(found, message, heads) or found


def _titled(message: str, heads: AgentHeads) -> Request | None:
    """The request to save a theory that stands under its title: "keep as theory Silent Banquo: he knew"."""
    title, text = phrases.titled(message)
    lead, _, rest = message.partition(title or message)
    if not text or not (phrases.keeps(lead) or phrases.keeps(rest.partition(text)[2])):
        return None
    return replace(heads.read(message, "save"), store="theories", sure=1.0, name=title, text=text)


def _named_apart(found: Request, message: str, heads: AgentHeads) -> Request | None:
    """The request to save a claim that a clause of its own names: "Theory: the bear is real. Call it Exit."."""
    rest, name = phrases.named_apart(message)
    may_save = found.action in _MAY_SAVE or (found.action == "rename" and phrases.claims(rest))
    is_read = found.action == "save" and found.name and name.startswith(found.name)
    if not name or is_read or not may_save or "?" in rest or heads.read(rest).action not in _MAY_SAVE:
        return None
    saved = heads.read(rest, "save")
    return replace(saved, sure=1.0, name=name, text=saved.text or _claim(rest))


def _unfinished(before: Sequence[Turn], store: str, heads: AgentHeads) -> list[str]:
    """The messages of the last request while its arguments are asked for, oldest first."""
    messages: list[str] = []
    for at in range(len(before) - 1, -1, -1):
        turn = before[at]
        if not turn.answer.endswith(ASKING):
            break
        messages.insert(0, turn.message)
        asked = before[at - 1].answer if at else ""
        if asked.endswith(ASKING) and _is_anew(_read(turn.message, store, heads), turn.message, asked):
            break
    return messages


def _to_agent(request: Request, message: str, store: str, heads: AgentHeads) -> Request:
    """The request as one to the agent that was asked, unless the message surely means the other one."""
    if request.action == "none" and request.may_get:
        request = heads.read(message, "get")
    if request.action == "none" and store == "theories":
        request = replace(request, action="search", text=_claim(message))
    if request.action == "search" and weighs_it(message) and not request.name:
        request = replace(request, text="")
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
    return next((said for said in QUOTATION.findall(message) if not any(said in other for other in others)), "")


def _claim(message: str) -> str:
    """The first sentence, without the words up to a colon."""
    found = re.match(r"(?:[^:.?!]*: *)?(.+?)(?:[.?!](?:\s|$)|$)", message.strip(), re.DOTALL)
    return found[1] if found else message


def _resolved(request: Request, message: str, before: Sequence[Turn], heads: AgentHeads) -> Request:
    """The request with the entry and the text that the turns before tell, where the message does not."""
    noun = NOUNS.get(request.store, "profile")
    if request.action == "save" and request.store == "profiles" and not request.name and _is_name(request.text):
        request = replace(request, name=request.text, text="")
    if asks_own_words(message):
        return request
    request = _changing(request, message)
    if which.names_nothing(request.name):
        request = replace(request, name="")
    if request.action in ("list", "none") or not before:
        return replace(request, is_open=request.is_open or _is_open(request, message, before, noun))
    if request.action == "search":
        return _tested(request, message, before, heads)
    if made := _made_now(request, message, before, noun):
        return made
    spoken_of = earlier.meant(before[-1:], noun, heads) if request.action in ("save", "append") else None
    if spoken_of and phrases.tells_of_another(message, request.name, request.text):
        return replace(request, action="append", name=spoken_of.name)
    if request.action == "save":
        return _with_earlier_text(request, before, heads)
    request = _on_entry(request, message, before, heads)
    if request.action == "append" and not request.text:
        return replace(request, text=earlier.claim(before[-1:], heads))
    return request


def _is_name(text: str) -> bool:
    """Whether a text is no more than a name: "a place profile: Thornfield Hall"."""
    said = text.split()
    return 0 < len(said) <= _NAME_WORDS and all(each[0].isupper() for each in said)


def _changing(request: Request, message: str) -> Request:
    """The request to change a part of an entry, which names what is wrong and so is about no entry of that name."""
    gone = left_out(message)
    if gone and request.action in ("delete", "amend"):
        request = replace(request, action="amend", name="" if gone in request.name else request.name, text=gone)
    elif request.action != "amend" and not (request.action == "none" and replaces_part(message, request.text)):
        return request
    said = corrected_words(message)
    is_said = any(request.name in each for each in said)
    text = request.text or (message if said else "")
    return replace(request, action="amend", name="" if is_said else request.name, text=text)


def _on_entry(request: Request, message: str, before: Sequence[Turn], heads: AgentHeads) -> Request:
    """The request with the entry that is meant: the one that the message points at, or the last that was spoken of."""
    noun = NOUNS.get(request.store, "profile")
    asked = message.replace(request.new_name or "\n", "")
    lead = asked.partition(request.text)[0] if request.text else asked
    if pointed := which.entry_meant(lead, before, noun):
        is_as_said = pointed.name.lower() == request.name.lower()
        return request if is_as_said else replace(request, name=pointed.name)
    if _is_open(request, message, before, noun):
        return replace(request, name="", is_open=True)
    return request if request.name else _on_last(request, message, before, heads)


def _on_last(request: Request, message: str, before: Sequence[Turn], heads: AgentHeads) -> Request:
    """The request on the entry that was changed last, to undo that, or else spoken of last, of whichever kind it is."""
    noun = NOUNS.get(request.store, "profile")
    last = which.changed_last(before) if request.action == "restore" else which.spoken_of_last(before)
    if last and last[0] != noun and request.action != "get" and noun not in message.lower():
        return replace(request, store="theories" if noun == "profile" else "profiles", name=last[1].name)
    entry = last[1] if last and last[0] == noun else earlier.meant(before, noun, heads)
    return replace(request, name=entry.name) if entry else request


def _is_open(request: Request, message: str, before: Sequence[Turn], noun: str) -> bool:
    """Whether one of several entries is meant, and nothing says which."""
    said = which.is_any_of_several(message) and request.action in _ON_ENTRY
    return said and which.described(message, which.known(before, noun))[1] is None


def _tested(request: Request, message: str, before: Sequence[Turn], heads: AgentHeads) -> Request:
    """The request for the evidence of the theory that the message points at, or of what was spoken of last."""
    lead = message.replace(request.text or "\n", "")
    if pointed := which.entry_meant(lead, before, "theory") or which.pointed_at(message, before, "theory"):
        return replace(request, name=pointed.name, text="")
    if request.name or request.text:
        return request
    entry, claim = earlier.tested(before, heads)
    return replace(request, name=entry, text=claim)


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
