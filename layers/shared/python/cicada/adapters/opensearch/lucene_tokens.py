"""An upper bound of the tokens that Lucene makes of a term."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A longer token is split: `max_token_length` of the analyzers.
# https://docs.opensearch.org/latest/analyzers/tokenizers/standard/
MAX_LENGTH = 255

# Word characters: those that Lucene's standard tokenizer joins with letters and digits, and those of Southeast
# Asia, which it joins with each other only; as OpenSearch 3.6 analyzes them. Every other one counts as a token.
_JOINED = (
    r"0-9_a-z\u00df-\u086a\u08a0-\u08b4\u0904-\u09f1\u09fc-\u0b71\u0b83-\u0bef\u0c05-\u0c5a\u0c60-\u0c6f\u0c80-\u0cbd"
    r"\u0cde-\u0cf2\u0d05-\u0d56\u0d5f-\u0d6f\u0d7a-\u0def\u0e50-\u0e59\u0ed0-\u0ed9\u0f00-\u0f29\u0f40-\u0f8c"
    r"\u1040-\u1049\u1090-\u135a\u1380-\u170c\u17e0-\u17e9\u1810-\u194f\u19d0-\u19d9\u1b50-\u2188\u2c30-\u2c5e"
)
_SOUTHEAST_ASIAN = r"\u0e01-\u0e46\u0e81-\u0ec6\u0ede\u0edf\u1000-\u103f\u1050-\u108e\u1780-\u17dc\u1950-\u19c9"
# An apostrophe or a full stop is inside a token only between two letters or two digits.
# https://unicode.org/reports/tr29/#Word_Boundary_Rules
_INSIDE = r"(?:(?<=\d)[.'](?=\d)|(?<=[^\W\d_])[.'](?=[^\W\d_]))"
_TOKEN = re.compile(rf"[{_JOINED}]+(?:{_INSIDE}[{_JOINED}]+)*|[{_SOUTHEAST_ASIAN}]+|\w")


def first_tokens(terms: list[str], most: int) -> Iterator[str]:
    """The first terms, of which Lucene makes at most `most` tokens; the last term is cut to fit."""
    left = most
    for term in terms:
        tokens = list(_TOKEN.finditer(term, 0, MAX_LENGTH))[:left]
        if not tokens:
            return
        yield term[: tokens[-1].end()]
        left -= len(tokens)
