"""The content languages that are stemmed, and their stop words."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from cicada.languages.terms import STOP_WORDS

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
