"""What the stand-in says of a request to an agent: a tool's result, what is missing, or a sentence to copy."""

import re
from collections.abc import Sequence
from dataclasses import replace

from local.bedrock.agent_heads.request import Request

ASKING = "What is it?"
NOUNS = {"profiles": "profile", "theories": "theory"}
CANNOT = "I cannot do that: I keep profiles and theories for you, and look for evidence of theories in the documents."
REFUSED = "Refused: the user's message"
TAKEN = "There is already a "
_NONE = "There is no "
# The tools say so where the other agent's store has an entry of the name.
_BUT_A = "”, but a "
_UNDONE = {
    "save": "Nothing was saved",
    "append": "Nothing was added",
    "amend": "Nothing was changed",
    "rename": "Nothing was renamed",
    "delete": "Nothing was deleted",
    "restore": "Nothing was brought back",
}
_NEEDS = {
    "get": ("name",),
    "save": ("name", "text"),
    "append": ("name", "text"),
    "amend": ("name", "text"),
    "rename": ("name", "new_name"),
    "delete": ("name",),
    "search": ("text",),
}
_SENTENCES = {
    "list": "show my {store}",
    "get": "show the {entry}",
    "save": "create a {entry}: {text}",
    "append": "add to the {entry}: {text}",
    "amend": "change the {entry} to: {text}",
    "rename": "rename the {entry} to {new_name}",
    "delete": "delete the {entry}",
    "restore": "restore the {entry}",
    "search": "is there evidence that {text}?",
}
_GAP = "…"


def undone(request: Request) -> str:
    """Says that nothing was done, in the words of what was asked for."""
    return _UNDONE.get(request.action, "Nothing was done")


def is_missing(result: str) -> bool:
    """Whether a tool says that there is no such entry, or none any more."""
    return result.startswith(_NONE) or "” was deleted on " in result.partition("\n")[0]


def missing(request: Request) -> str:
    """The first argument that is needed and not there. A theory has a title of its own words if it is given none."""
    needed: Sequence[str] = _NEEDS.get(request.action, ())
    if (request.store == "theories" and request.action == "save") or (request.name and request.action == "search"):
        needed = [role for role in needed if role != ("name" if request.action == "save" else "text")]
    return next((role for role in needed if not getattr(request, role)), "")


def asks_for(request: Request, role: str) -> str:
    """Asks for a missing argument; the next message is taken as it."""
    noun = NOUNS.get(request.store, "profile")
    of = f" of the {noun} “{request.name}”" if request.name and role != "name" else f" of the {noun}"
    what = {"name": f"The name{of}", "new_name": f"The new name{of}", "text": f"The text{of}"}[role]
    done = f"{undone(request)} yet. " if request.action in _UNDONE else ""
    return f"{done}{what} is missing. {ASKING}"


def asked_for_text(answer: str) -> bool:
    """Whether an answer asks for the text of an entry."""
    return answer.endswith(ASKING) and "The text of the " in answer


def says(request: Request) -> str:
    """Gives the sentence to copy."""
    return f"Say: {sentence(request)}"


def writes_none(name: str) -> str:
    """Says what can be done where a profile is to be written out of the texts."""
    ask = f"Ask about {name} first, then keep what you want in your own words."
    unwritten = "Nothing was saved: a profile holds what you write, and I write none out of the texts."
    return f"{unwritten} {ask} {says(Request('save', name=name))}"


def sentence(request: Request) -> str:
    """The sentence that asks for the same in words that are surely understood."""
    action = request.action if request.action in _SENTENCES else "save"
    store = request.store if request.store in NOUNS else "profiles"
    named = " called" if store == "theories" else " of"
    if action != "save" and store == "theories":
        named = ""
    return _SENTENCES[action].format(
        store=store,
        entry=f"{NOUNS[store]}{named} {request.name or _GAP}",
        text=request.text or _GAP,
        new_name=request.new_name or _GAP,
    )


def asks_which(request: Request, listed: str) -> str:
    """Asks which entry of the list is meant; the next message is taken as it."""
    lines = [re.sub(r"^\| ?", "", line) for line in listed.splitlines() if line.startswith(("- ", "| - "))]
    if not lines:
        return listed
    said = f"Several {request.store} can be meant. {undone(request)}."
    return "\n".join((said, *lines, "Which one do you mean?"))


def unclear(request: Request, text: str) -> str:
    """Says that a correction names nothing that the entry's text has, and how to make it."""
    noun = NOUNS.get(request.store, "profile")
    said = f"Nothing was changed: I cannot tell which words of the {noun} “{request.name}” are to go. It reads:"
    return "\n".join((said, text, says(replace(request, text=""))))


def told(request: Request, result: str) -> str:
    """A tool's result without its bars; where nothing was done, with a sentence to copy."""
    if result.startswith(REFUSED):
        return f"{undone(request)}, because your message does not clearly ask for it. {says(request)}"
    text = re.sub(r"^\| ?", "", result, flags=re.MULTILINE).strip() or "Done."
    if result.startswith(TAKEN):
        return f"{text}\n{says(replace(request, action='append'))}"
    is_of_other = _BUT_A in text.partition("\n")[0]
    if result.startswith(_NONE) and request.action in ("append", "amend") and not is_of_other:
        return f"{text}\n{undone(request)}. {says(replace(request, action='save'))}"
    if result.startswith(_NONE) and request.action in _UNDONE:
        other = replace(request, store="theories" if request.store == "profiles" else "profiles")
        text = text.removesuffix(" Nothing was done.")
        return f"{text}\n{undone(request)}. If you mean a {NOUNS[other.store]}, say: {sentence(other)}"
    return text
