"""A message that only asks for the next page of the listing before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MORE = re.compile(
    r"""(?:please\s+)?(?:show\s+(?:me\s+)?|give\s+me\s+|and\s+)?(?:the\s+)?
    (?:(?:next|following)(?:\s+(?:page|ones?))?|more|the\s+rest|continue|go\s+on
    |weiter|mehr|n[äa]chste\s+seite|suite|page\s+suivante|la\s+suite|m[áa]s|siguiente(?:\s+p[áa]gina)?
    |p[áa]gina\s+seguinte|mais|altri|avanti|pagina\s+seguente|次(?:のページ)?|もっと|更多|下一页|더|다음(?:\s*페이지)?)
    (?:\s+(?:please|results?|documents?|of\s+them))?\s*[.!…。]*""",
    re.VERBOSE | re.IGNORECASE,
)


def asked_page(messages: Sequence[str]) -> tuple[str, int] | None:
    """The message whose listing goes on, and the number of the page that the last message asks for, from 1.

    None if the last message asks for something else, or if there is nothing before it.
    """
    for page, message in enumerate(reversed(messages)):
        if not _MORE.fullmatch(message.strip()):
            return (message, page) if page else None
    return None
