"""Words of texts in many languages: their language, their stems, and the terms that count."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

# The terms of BM25: words, and pairs of characters in scripts without spaces between words.
#
# Both indexes use the same terms, so that their rankings can be compared.

# More would only slow BM25 down, and Lucene refuses a query of more than 1,024 clauses, one for each term and field.
MAX_TERMS = 64

STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are aren't as at be because been before being below between
    both but by can cannot can't could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he her here hers herself him himself his how i i'd i'll i'm i've
    if in into is isn't it it'd it'll its itself just ll me more most my myself no nor not now of off on once only or
    other our ours ourselves out over own re s same she she'd she'll should shouldn't so some such t than that the
    their theirs them themselves then there these they they'd they'll they're they've this those through to too under
    until up ve very was wasn't we we'd we'll we're we've were weren't what when where which while who whom whose why
    will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)

_CJK = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # marks, Hiragana, Katakana
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    r"\uac00-\ud7a3"  # Hangul
)
_CJK_RUN = re.compile(f"[{_CJK}]+")
# Words as Lucene's standard tokenizer cuts them: an apostrophe or a full stop inside a word belongs to it.
# https://unicode.org/reports/tr29/#Word_Boundary_Rules
_WORD = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:['.][^\W{_CJK}]+)*")


def query_terms(text: str) -> tuple[str, ...]:
    """The first 64 different terms of a question in lower case, without stop words unless it has no other words.

    Empty for a text without letters and digits. A term holds letters, digits, `_`, and inside it `'` and `.`.
    """
    terms = list(dict.fromkeys(words(text)))
    telling = [term for term in terms if term not in STOP_WORDS]
    return tuple((telling or terms)[:MAX_TERMS])


def words(text: str) -> Iterator[str]:
    """All terms of a text in lower case, in order, with repetitions."""
    for found in runs(text):
        if is_cjk(found):
            yield from _pairs(found)
        elif word := found.removesuffix("'s").strip("_"):
            yield word


def runs(text: str) -> list[str]:
    """The words of a text in lower case, with repetitions; of a script without spaces, whole runs of characters."""
    return _WORD.findall(_normal(text).lower())


def is_cjk(term: str) -> bool:
    """Whether a term is of a script without spaces: Chinese, Japanese or Korean."""
    return _CJK_RUN.match(term) is not None


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(max(1, len(run) - 1))]


def _normal(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).replace("’", "'")


def singular(word: str) -> str:
    """A word in lower case without the ending of an English plural."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


@lru_cache(maxsize=20_000)
def without_ending(word: str) -> str:
    """A word in lower case without common English endings, so that its forms are one; the index has its own stemmer."""
    if is_cjk(word):
        return word
    word = singular(word)
    ending = next((each for each in ("ing", "ed") if word.endswith(each) and len(word) > len(each) + 3), "")
    word = word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 3 else word


# Names as both the Snowball stemmers and Lucene's analyzers have them. https://snowballstem.org/algorithms/
STEMMED = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
}
# Articles and pronouns that are written together with the next word. Source: Lucene's FrenchAnalyzer, ItalianAnalyzer.
ELISIONS = {
    "french": frozenset("c d j jusqu l lorsqu m n puisqu qu quoiqu s t".split()),  # noqa: SIM905
    "italian": frozenset(
        "agl all c coll d dagl dall degl dell gl l m negl nell pell s sugl sull t un v".split()  # noqa: SIM905
    ),
}
_STOP_WORDS = Path(__file__).with_name("stop_words.json")


def stemmed_language(language: str) -> str:
    """The name of a content language such as `en` or `pt-BR`; empty for one that is not stemmed."""
    return STEMMED.get(language.replace("_", "-").split("-")[0].lower(), "")


@lru_cache(maxsize=32)
def stop_words(name: str) -> frozenset[str]:
    """The stop words of a stemmed language; none for any other."""
    if name == "english":
        return STOP_WORDS
    if name not in STEMMED.values():
        return frozenset()
    lines: list[str] = json.loads(_STOP_WORDS.read_text("utf-8"))[name]
    return frozenset(" ".join(lines).split())


# The languages by ISO 639-1 code; the names are for prompts.
LANGUAGES: Mapping[str, str] = {
    **{code: name.capitalize() for code, name in STEMMED.items()},
    "ja": "Japanese",
    "ko": "Korean",
    "zh": "Chinese",
}
_LETTERS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_SCRIPTS = (
    (re.compile(r"[\u3041-\u30ff]"), "ja"),
    (re.compile(r"[\uac00-\ud7a3]"), "ko"),
    (re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"), "zh"),
)


def is_in(text: str, language: str) -> bool:
    """Whether script and stop words show that the text is in that language (a key of `LANGUAGES`).

    False if they do not decide.
    """
    return LANGUAGES.get(language_of(text), "") == LANGUAGES.get(language)


def language_of(text: str) -> str:
    """The language that the script or most stop words show, as a key of `LANGUAGES`; empty if they do not decide.

    A text with kana is Japanese; one with Chinese characters and no kana is Chinese.
    """
    for script, language in _SCRIPTS:
        if script.search(text):
            return language
    words = _words(text)
    votes = {name: sum(word in stop_words(name) for word in words) for name in set(STEMMED.values())}
    first, second = sorted(votes, key=lambda name: -votes[name])[:2]
    return next(code for code, name in STEMMED.items() if name == first) if votes[first] > votes[second] else ""


def has_words(text: str) -> bool:
    """Whether the text has words to translate; `E-4102 (2)` has none."""
    return any(len(word) > 1 for word in _words(text)) or any(script.search(text) for script, _ in _SCRIPTS)


def _words(text: str) -> list[str]:
    return _LETTERS.findall(text.lower().replace("’", "'"))
