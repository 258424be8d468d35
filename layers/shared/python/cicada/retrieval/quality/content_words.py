"""The words of a question that say what it is about, comparable with those of a passage."""

from __future__ import annotations

import re

from cicada.languages.stemming import stemmed_language, stop_words
from cicada.languages.terms import STOP_WORDS, is_cjk, words

# Words of the request itself. They say what to do with the subject, and passages about it need not have them.
REQUEST_WORDS = frozenset(
    """
    also anything describe explain find get give got know like list many mean much name need one please say says show
    something tell thing things think uk us want way
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)
# Names and numbers: capitalised words but the first of the text, and words with digits.
_NAMED = re.compile(r"(?<=\S )[A-ZÀ-ÖØ-ÞА-Я][\w'’-]+|\b[^\W\d]*+\d[\w.,]*")
_ENDINGS = ("ing", "ed")
# Most inflections change the end of a word; six letters keep most different words apart.
_LETTERS = 6


def content_words(text: str, language: str = "en") -> tuple[str, ...]:
    """The different content words in order, each as `stem` has it; without stop words of English and `language`."""
    dropped = STOP_WORDS | stop_words(stemmed_language(language))
    found = (stem(word) for word in words(text) if word not in dropped)
    return tuple(dict.fromkeys(word for word in found if word not in _REQUEST_STEMS))


def named_words(text: str) -> tuple[str, ...]:
    """The words of names and numbers in a question, each as `stem` has it."""
    found = [word for name in _NAMED.findall(text) for word in words(name)]
    return tuple(dict.fromkeys(stem(word) for word in found if word not in STOP_WORDS))


def is_named(word: str) -> bool:
    """Whether a word of a question, wherever it stands, is written as names and numbers are."""
    return word[:1].isupper() or any(character.isdigit() for character in word)


def stems(text: str) -> frozenset[str]:
    """All words of a passage, each as `stem` has it."""
    return frozenset(map(stem, words(text)))


def stem(word: str) -> str:
    """A word without common English endings, cut to six letters; the index's own stemmer is not in every function."""
    if is_cjk(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 3:
            word = word.removesuffix(ending)
            break
    return word.removesuffix("e")[:_LETTERS] if len(word) > 3 else word


_REQUEST_STEMS = frozenset(map(stem, REQUEST_WORDS))
