"""What a message says for a tool's parameters: kind, name, description, statement, title and query."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from local.bedrock.intents import INTENTS, alike
from local.bedrock.tools import Parameter, Tool
from local.bedrock.words import STOP_WORDS, word_set, words

QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)")
NAME_WORD = re.compile(r"[^\W\d_a-z][\w'’-]*")
JOINERS = frozenset(("of", "the", "de", "and"))
BEFORE_A_NAME = ("called", "named", "profile", "for", "under", "about", "on", "of", "entry", "card", "note")
BEFORE_A_DESCRIPTION = (
    *("that", "who", "which", "is", "as", "with", "says", "saying", "description", "to", "profile", "entry", "and"),
    *(signal for intent in INTENTS if intent.verb == "save" for signal in intent.signals),
)
CLAIM_WORDS = word_set(
    """
    theory theories hypothesis idea view reading claim argument belief thinking infer say argue convinced suspect think
    believe thesis feeling
    """
)
NOT_NAMES = frozenset(("i", "i'm", "i've", "please", "can", "could", "the", "my", "in", "what", "is", "show", "which"))
TITLE_WORDS = 6


@dataclass(frozen=True, slots=True)
class _Name:
    text: str
    end: int


def extract(tool: Tool, message: str) -> dict[str, str]:
    """Whatever the message says for the tool's parameters; a parameter it says nothing for is absent."""
    found = {parameter.name: _value(parameter, message) for parameter in tool.parameters}
    return {name: value for name, value in found.items() if value}


def _value(parameter: Parameter, message: str) -> str:
    if parameter.choices:
        return next((choice for choice in parameter.choices if alike(choice, words(message))), "")
    read = READERS.get(parameter.name)
    return read(message) if read else _quoted(message)


def name(message: str) -> str:
    found = _name(message)
    return found.text if found else ""


def description(message: str) -> str:
    """What follows the name, without the words that lead to it."""
    found = _name(message)
    return _after_lead(message[found.end :]) if found else ""


def statement(message: str) -> str:
    """The claim itself: `My theory: X. Does the text agree?` → `X`."""
    sentences = re.split(r"(?<=[.!?])\s+", message.strip())
    claims = [claim for sentence in sentences if (claim := _claim(sentence))]
    asserted = [sentence for sentence in sentences if not sentence.endswith("?") and len(sentence.split()) > 3]
    return (claims or asserted or sentences)[0].rstrip(".?! ")


def title(message: str) -> str:
    """A quoted title, or the first words of the claim."""
    claim = statement(message)
    return _quoted(message) or " ".join(claim.split()[:TITLE_WORDS]).rstrip(",;:")


READERS: Mapping[str, Callable[[str], str]] = {
    "name": name,
    "description": description,
    "statement": statement,
    "title": title,
    "query": statement,
}


def _quoted(message: str) -> str:
    found = QUOTED.search(message)
    return next(group for group in found.groups() if group).strip() if found else ""


def _name(message: str) -> _Name | None:
    """A quoted name, the first run of capitalised words, or the word after `for`, `called`, `profile` …"""
    quoted = QUOTED.search(message)
    if quoted:
        return _Name(_quoted(message), quoted.end())
    return _capitalised(message) or _after_cue(message)


def _capitalised(message: str) -> _Name | None:
    tokens = list(re.finditer(r"[\w'’-]+", message))
    signals = {signal for intent in INTENTS for signal in intent.signals} | NOT_NAMES
    for start, token in enumerate(tokens):
        if NAME_WORD.fullmatch(token.group()) and token.group().lower() not in signals:
            end = start
            for following in range(start + 1, len(tokens)):
                if not _continues(message, tokens[following - 1], tokens[following]):
                    break
                if NAME_WORD.fullmatch(tokens[following].group()):
                    end = following
            text = message[token.start() : tokens[end].end()]
            return _Name(re.sub(r"['’]s$", "", text), tokens[end].end())
    return None


def _continues(message: str, before: re.Match[str], token: re.Match[str]) -> bool:
    """`Forest of Arden` is one name; `Helena's guardian` and `Paulina, widow` end after the first word."""
    if message[before.end() : token.start()].strip() or before.group().endswith(("'s", "’s")):
        return False
    return bool(NAME_WORD.fullmatch(token.group())) or token.group() in JOINERS


def _after_cue(message: str) -> _Name | None:
    for cue in BEFORE_A_NAME:
        found = re.search(rf"\b{cue}\s+(?:the\s+)?([\w'’-]+)", message, re.IGNORECASE)
        if found and found.group(1).lower() not in STOP_WORDS.union(BEFORE_A_NAME):
            return _Name(found.group(1), found.end())
    return None


def _after_lead(text: str) -> str:
    rest = text.strip(" ,;:.-–—")
    while rest and re.split(r"\W", rest, maxsplit=1)[0].lower() in BEFORE_A_DESCRIPTION:
        rest = re.sub(r"^\w+[\s,;:]*", "", rest)
    return rest


def _claim(sentence: str) -> str:
    """What follows `my theory (is) that`, `claim:`, `I suspect` …"""
    tokens = list(re.finditer(r"[\w'’-]+", sentence))
    for token in tokens[:-2]:
        if token.group().lower() in CLAIM_WORDS:
            rest = sentence[token.end() :]
            return re.sub(
                r"^(?:(?:\s+[\w'’-]+){0,2}?\s+that\b|\s+is\b)?[\s:,;]+(?:(?:about|on|called|named)\s)?", "", rest
            ).strip(" \"'“”.")
    return ""
