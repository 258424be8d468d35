"""The language of a document's text, where what is declared of it may be no more than the default."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cicada.documents.model import Passage
from cicada.languages.detection import LANGUAGES, is_in

_SAMPLE = 3_000
_EAST_ASIAN = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
# An English text that quotes a Chinese name is English.
_LEAST_SHARE = 0.2


def language_of(passages: Sequence[Passage]) -> str:
    """The declared language, unless script and stop words of the first passages show another one."""
    declared = passages[0].language
    sample = _sample(passages)
    if is_in(sample, declared):
        return declared
    return next((language for language in LANGUAGES if is_in(sample, language)), declared)


def _sample(passages: Sequence[Passage]) -> str:
    text = ""
    for passage in passages:
        text += f"{passage.text}\n"
        if len(text) >= _SAMPLE:
            break
    text = text[:_SAMPLE]
    if text.isascii() or len(_EAST_ASIAN.findall(text)) >= _LEAST_SHARE * len(text):
        return text
    return _EAST_ASIAN.sub(" ", text)
