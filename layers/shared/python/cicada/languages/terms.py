"""The terms of BM25: words, and pairs of characters in scripts without spaces between words.

Both indexes use the same terms, so that their rankings can be compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

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
