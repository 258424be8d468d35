"""A message as tokens and words as they are compared; the closed classes of words of `lexicon.toml`."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from cicada.text import slips

MAX_CHARACTERS = 480
"""Of a longer message only the beginning and the end are read: what is asked for stands in one of them."""
_BEGINNING, _END = 300, 179
MAX_TOKENS = 200
SENTENCE_ENDS = frozenset(".?!;\n")

_ASCII = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-")
)
_TOKEN = re.compile(
    r"""\d{4}-\d{2}(?:-\d{2})?(?![\w-])
    | \d{1,2}[./]\d{1,2}[./]\d{4}(?!\w)
    | \d+(?:[.,]\d+)+(?!\w)
    | n't(?!\w)
    | '(?:s|m|re|ve|ll|d)(?!\w)
    | (?:do|does|did|is|are|was|were|ca|wo|has|have|had|must|need|should|could|would)(?=n't(?!\w))
    | [^\W_]+
    | (?<!\w)'|'(?!\w)
    # No mark behind "Dr" or "max".
    | (?<!\bmr)(?<!\bmrs)(?<!\bms)(?<!\bdr)(?<!\bprof)(?<!\bmax)(?<!\bmin)(?<!\btel)\.
    | [,;:?!()/="&+%\#<>|*\n]
    | (?<!\w)-+ | -+(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_UMLAUT = re.compile("[aou]e")
# Shorter words have too many neighbours; longer ones may have two slips.
_SHORTEST_CORRECTED, _TWO_SLIPS = 5, 8
_ES_PLURALS = ("sses", "xes", "zes", "ches", "shes")


class Token(Struct, frozen=True):
    """`text` is in lower case. `start`, `end`: where `raw` stands in the message. `glued`: no space before it."""

    text: str
    raw: str
    start: int
    end: int
    glued: bool = False

    @property
    def is_capitalised(self) -> bool:
        return self.raw[0].isupper()


def tokens_of(message: str) -> tuple[Token, ...]:
    """The tokens of a message; a very long one is cut."""
    text = normal(message)
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        tokens.append(_token(found, tokens[-1].end if tokens else -1))
        if len(tokens) == MAX_TOKENS:
            break
    return tuple(tokens)


def normal(message: str) -> str:
    """The message as the positions of its tokens count, with plain quotation marks and hyphens."""
    return unicodedata.normalize("NFKC", _ends(message)).translate(_ASCII)


def _ends(message: str) -> str:
    """The message, or the beginning and the end of a long one as lines of their own, without words cut in two."""
    if len(message) <= MAX_CHARACTERS:
        return message
    beginning, end = message[:_BEGINNING], message[-_END:]
    return f"{beginning.rpartition(' ')[0] or beginning}\n{end.partition(' ')[2] or end}"


def _token(found: re.Match[str], previous_end: int) -> Token:
    raw = found.group()
    text = '"' if raw == "'" else raw[0] if raw[0] == "-" else raw.lower()
    between = found.start() - previous_end
    glued = previous_end >= 0 and (between == 0 or (between == 1 and found.string[previous_end] in "-_"))
    return Token(text, raw, found.start(), found.end(), glued)


def word_set(words: str) -> frozenset[str]:
    """The words of a text, which reads better than a list of literals."""
    return frozenset(words.split())


@lru_cache(maxsize=10_000)
def folded(word: str) -> str:
    """The word in lower case and without accents; ä, ae and a are one."""
    plain = unicodedata.normalize("NFD", word.casefold())
    return _UMLAUT.sub(lambda found: found[0][0], "".join(each for each in plain if not unicodedata.combining(each)))


# Plurals that are no English ones, and short forms that people write in the heads of columns.
_OTHER_FORMS = {
    "children": "child", "men": "man", "women": "woman", "hrs": "hour", "qty": "quantity", "dept": "department",
    "depts": "department", "yrs": "year", "wks": "week", "mths": "month", "amt": "amount",
}  # fmt: skip


@lru_cache(maxsize=10_000)
def base_form(word: str) -> str:
    """The folded word without the ending of an English plural."""
    # "Values" is folded to "valus", which looks like a singular.
    is_singular = word.casefold().endswith(("ss", "us", "is"))
    word = folded(word)
    if word in _OTHER_FORMS:
        return _OTHER_FORMS[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(_ES_PLURALS):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not is_singular:
        return word[:-1]
    return word


def split_words(text: str) -> list[str]:
    """The base forms of the words of a name or a value; underscores separate words."""
    return [base_form(word) for word in _WORD.findall(unicodedata.normalize("NFKC", text))]


def speaks_of_records(text: str, items: Collection[str] = ()) -> bool:
    """Whether a text has a word for documents that every base has, or one of `items`."""
    said = set(split_words(text))
    return any(said.issuperset(split_words(name)) for name in (*lexicon().records, *items))


def corrected(word: str, known: Collection[str]) -> str | None:
    """The one known word that differs from this one by a slip of the keyboard, or two in a long word.

    The first letters agree.
    """
    if len(word) < _SHORTEST_CORRECTED or not word.isalpha():
        return None
    most = 1 if len(word) < _TWO_SLIPS else 2
    near = [each for each in known if each[0] == word[0] and len(each) > 3 and abs(len(each) - len(word)) <= most]
    numbers = {each: slips(word, each) for each in near}
    least = min(numbers.values(), default=most + 1)
    nearest = [each for each, number in numbers.items() if number == least]
    return nearest[0] if len(nearest) == 1 and least <= most else None


class Implied(Struct, frozen=True):
    """The fields that a word is about: words of their names. `polarity`: 1 if it asks for high values, -1 for low."""

    polarity: int
    fields: tuple[str, ...]


class Lexicon(Struct, frozen=True):
    """The closed classes of words. `cues`: the cue of each word; `kinds`: words in field names by their kind.

    `dates`: by language the English word of each word of dates; `shared_dates`: those that tell no language.
    """

    records: tuple[str, ...]
    function: frozenset[str]
    asker: frozenset[str]
    not_the_asker_after: frozenset[str]
    several: frozenset[str]
    money: frozenset[str]
    separable: frozenset[str]
    turned: frozenset[str]
    of_dates: frozenset[str]
    which: frozenset[str]
    nearest: frozenset[str]
    ordered: frozenset[str]
    replacing: frozenset[str]
    restricting: frozenset[str]
    names_that_are_words: frozenset[str]
    numbers: Mapping[str, float]
    scales: Mapping[str, float]
    cues: Mapping[str, str]
    implied: Mapping[str, Implied]
    also_called: Mapping[str, tuple[str, ...]]
    pronouns: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, frozenset[str]]
    dates: Mapping[str, Mapping[str, str]]
    shared_dates: frozenset[str]


@cache
def lexicon() -> Lexicon:
    """The classes of `lexicon.toml`. Of a word in two cues the first counts."""
    data: dict[str, Any] = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text("utf-8"))
    cues: dict[str, str] = {}
    for cue, words in data["cues"].items():
        for word in words.split():
            cues.setdefault(word, cue)
    return Lexicon(
        records=tuple(data["records"].split()),
        function=frozenset(data["function"].split()),
        asker=frozenset(data["asker"].split()),
        not_the_asker_after=frozenset(data["not_the_asker_after"].split()),
        several=frozenset(data["several"].split()),
        money=frozenset(split_words(data["money"])),
        separable=frozenset(data["separable"].split()),
        turned=frozenset(data["turned"].split()),
        of_dates=frozenset(data["of_dates"].split()),
        which=frozenset(data["which"].split()),
        nearest=frozenset(data["nearest"].split()),
        ordered=frozenset(data["ordered"].split()),
        replacing=frozenset(data["replacing"].split()),
        restricting=frozenset(data["restricting"].split()),
        names_that_are_words=frozenset(data["names_that_are_words"].split()),
        numbers={word: float(value) for value, words in data["numbers"].items() for word in words.split()},
        scales={word: float(value) for value, words in data["scales"].items() for word in words.split()},
        cues=cues,
        implied=_implied(data["implied"]),
        also_called={value: tuple(words.split()) for value, words in data["also_called"].items()},
        pronouns={asked: tuple(map(base_form, words.split())) for asked, words in data["pronouns"].items()},
        kinds={kind: frozenset(words.split()) for kind, words in data["kinds"].items()},
        shared_dates=frozenset(data["dates"].pop("shared").split()),
        dates={language: _dates(words) for language, words in data["dates"].items()},
    )


def _dates(words: Mapping[str, str]) -> dict[str, str]:
    return {each: english for english, own in words.items() for each in own.split()}


def _implied(entries: list[dict[str, str]]) -> dict[str, Implied]:
    found: dict[str, Implied] = {}
    for entry in entries:
        for key, polarity in (("high", 1), ("low", -1), ("named", 0)):
            for word in entry.get(key, "").split():
                found.setdefault(base_form(word), Implied(polarity, tuple(entry["fields"].split())))
    return found
