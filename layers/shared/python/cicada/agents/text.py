"""Arguments and answers of tools as text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from cicada.text import one_line

# An action group's answer may take 25 KB, including its envelope:
# https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html
ANSWER_LIMIT_BYTES = 20_000


def matching_key(name: str) -> str:
    """The form by which names are matched: NFKC, case folded, single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    # Case folding can undo the normal form (Unicode Standard 3.13, D146), so the text is normalised again.
    return one_line(unicodedata.normalize("NFKC", folded))


def storable(text: str) -> str:
    """The text without lone surrogates, which a model can write in JSON but UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def beginning(text: str, limit: int) -> str:
    """At most `limit` characters of the text, on one line."""
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def fitted(parts: Sequence[str], separator: str = "\n") -> str:
    """The first parts that fit into a tool's answer, and a line that counts the others.

    If the first part alone is too long, it is cut.
    """
    kept: list[str] = []
    room = ANSWER_LIMIT_BYTES
    for part in parts:
        room -= len((part + separator).encode())
        if room < 0:
            break
        kept.append(part)
    if parts and not kept:
        kept.append(parts[0].encode()[:ANSWER_LIMIT_BYTES].decode(errors="ignore") + "…")
    left = len(parts) - len(kept)
    return separator.join([*kept, f"({left} more not shown here.)"] if left else kept)
