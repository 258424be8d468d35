"""The pattern language of `rules.toml`: words in order, with word lists and gaps.

    word     that word                               a|b      either; each side is any item of this column
    word+    the word and its regular inflections    item?    the item, or nothing
    {list}   a word or phrase of that word list      ...      up to eight words of the same sentence
    ^        here a sentence or clause begins        ..N      up to N words of the same sentence
    $        here the message ends

The names of `patterns.KINDS` stand for a kind of token: {name}, {number}, {any} and so on.
"""

import itertools
import re
from collections.abc import Iterable, Mapping

from cicada.planning.patterns import KINDS, Item, Pattern, Phrase, Phrases
from cicada.planning.tokenizer import spell

GAP_IN_WORDS = 8
_ITEM = re.compile(r"(?P<gap>\.\.(?:\.|\d))|(?P<start>\^)|(?P<choice>\?|\S+?)(?P<optional>\??)")
_CHOICE = re.compile(
    r"""\{(?P<list>\w+)\} | (?P<end>\$) | (?P<word> [^\W_][\w'%]* | [:,.?!%+*/=€£-] | '\w+ )\+?""", re.VERBOSE
)
_DOUBLED_WHEN_INFLECTED = re.compile(r"[^aeiou][aeiou][bdgklmnprt]$")


class PatternError(ValueError):
    """A pattern or a word list is malformed; the message says what to write instead."""


def parse_words(text: str) -> Phrases:
    """Words and phrases between commas, each word with `+` for its inflections. Raises PatternError."""
    phrases: set[Phrase] = set()
    for entry in text.split(","):
        forms = [_forms(word) for word in entry.split()]
        if len(forms) == 1:
            phrases.update(forms[0])
        elif forms:
            phrases.update(tuple(itertools.chain(*choice)) for choice in itertools.product(*forms))
    return _by_first_word(phrases)


def parse_pattern(text: str, lists: Mapping[str, Phrases]) -> Pattern:
    """One line of the pattern language. Raises PatternError."""
    items = tuple(_item(part, lists) for part in text.split())
    if not any(item.phrases or item.kinds for item in items):
        raise PatternError(f"the pattern '{text}' names no word; add a word, a {{list}} or a kind of token")
    rarest = min((item.phrases for item in items if item.is_anchor), key=len, default=None)
    return Pattern(items, None if rarest is None else frozenset(rarest))


def inflections(word: str) -> frozenset[str]:
    """The word with -s, -ed and -ing by the regular spelling rules of English; a superset is harmless."""
    if word.endswith("e"):
        return frozenset({word, f"{word}s", f"{word}d", f"{word[:-1]}ing"})
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return frozenset({word, f"{word[:-1]}ies", f"{word[:-1]}ied", f"{word}ing"})
    stem = word + word[-1] if _DOUBLED_WHEN_INFLECTED.search(word) else word
    plural = "es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s"
    return frozenset({word, f"{word}{plural}", f"{word}ed", f"{word}ing", f"{stem}ed", f"{stem}ing"})


def _forms(word: str) -> Iterable[Phrase]:
    if word.endswith("+") and word != "+":
        return [(form,) for form in inflections(word[:-1])]
    spelled = spell(word)
    if not spelled:
        raise PatternError(f"'{word}' is not a word; write letters, digits or a mark such as ':'")
    return [spelled]


def _item(text: str, lists: Mapping[str, Phrases]) -> Item:
    match = _ITEM.fullmatch(text)
    if match is None:
        raise PatternError(f"'{text}' is not an item of a pattern; the head of the rules file lists the items")
    if match["start"]:
        return Item({}, start=True)
    if match["gap"]:
        return Item({}, gap=GAP_IN_WORDS if text == "..." else int(text[2:]))
    return _choice(match["choice"].split("|"), lists, optional=bool(match["optional"]))


def _choice(parts: list[str], lists: Mapping[str, Phrases], *, optional: bool) -> Item:
    words: set[Phrase] = set()
    tables: list[Phrases] = []
    kinds: list[str] = []
    for part in parts:
        match = _CHOICE.fullmatch(part)
        if match is None:
            raise PatternError(f"'{part}' is not a word or a list; write word, word+ or {{name of a list}}")
        if match["list"] in KINDS:
            kinds.append(match["list"])
        elif match["list"]:
            tables.append(_listed(match["list"], lists))
        elif match["word"]:
            words.update(_forms(part))
    return Item(_merged([*tables, _by_first_word(words)]), tuple(kinds), end="$" in parts, optional=optional)


def _listed(name: str, lists: Mapping[str, Phrases]) -> Phrases:
    if name not in lists:
        raise PatternError(f"there is no word list '{name}'; add it under [words] or correct the name")
    return lists[name]


def _by_first_word(phrases: Iterable[Phrase]) -> Phrases:
    table: dict[str, tuple[Phrase, ...]] = {}
    for phrase in phrases:
        table[phrase[0]] = (*table.get(phrase[0], ()), phrase)
    return {word: _longest_first(found) for word, found in table.items()}


def _merged(tables: list[Phrases]) -> Phrases:
    filled = [table for table in tables if table]
    if len(filled) <= 1:
        return filled[0] if filled else {}
    merged: dict[str, tuple[Phrase, ...]] = {}
    for table in filled:
        merged.update({word: _longest_first(found + merged.get(word, ())) for word, found in table.items()})
    return merged


def _longest_first(phrases: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    if len(phrases) == 1:
        return phrases
    return tuple(sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase)))
