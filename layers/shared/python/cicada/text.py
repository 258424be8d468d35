"""What every feature does to a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

QUOTATION = re.compile(r'["“„«]([^"“”„«»\n]++)["”“»]')
"""Words in quotation marks, whichever pair of them; its group has the words."""


def one_line(text: str) -> str:
    """The text with single spaces and no line breaks."""
    return " ".join(text.split())


def with_carried(text: str, carried: Sequence[str]) -> str:
    """The text with the topics behind it in parentheses, as people can read it."""
    return f"{text} ({' '.join(carried)})" if carried else text


# Letters and signs of other scripts that look like ASCII, after Unicode's confusables.txt (UTS 39), with capitals where
# only these look alike. NFKD has folded wide, styled and accented ones before.
_LOOK_ALIKES = str.maketrans(
    dict(
        zip(
            "АВЕКМНОРСТУХЅІЈЗаеорсухѕіјԁһӏԛԝѵгткмнвΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχᏒᎠᎬᎪᏚᎢᏞᏟᎷᏢրոսօցհյɑɡıɩʀᴀᴅᴇɴᴛꜱʟɪᴄᴏᴜᴘᴋʙᴍʏđłøɾ",
            "ABEKMHOPCTYXSIJ3aeopcyxsijdhlqwvrtkmhbABEZHIKMNOPTYXaeikvoptuxRDEASTLCMPrnuoghjagiiradentslicoupkbmydlor",
            strict=True,
        )
    )
    | dict.fromkeys("׃։꞉ː˸∶⁚፡", ":")
    | dict.fromkeys("‐‑‒–—―−⁃˗", "-")
)
# Letters that show nothing: Hangul fillers.
_FILLERS = "\u115f\u1160"


def skeleton(text: str) -> str:
    """The text as a person reads it, to compare names by: ASCII for what looks like it, in lower case.

    Width, style, accents, capitals and characters that nobody sees make no difference. For comparing only, not to be
    shown. After https://www.unicode.org/reports/tr39/#Confusable_Detection.
    """
    if text.isascii():
        return text.lower()
    seen = (each for each in unicodedata.normalize("NFKD", text) if not _is_unseen(each))
    return "".join(seen).translate(_LOOK_ALIKES).casefold()


def _is_unseen(letter: str) -> bool:
    return letter in _FILLERS or unicodedata.category(letter) in ("Cf", "Mn", "Me")


def slips(one: str, other: str) -> int:
    """The distance of optimal string alignment: letters left out, added, wrong, or swapped with their neighbour."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, against in enumerate(other, start=1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != against))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean “scripts”?` for the known name that is nearest to `name`, a full stop if none is near."""
    nearest = _close(name, known, 1, 0.6)
    return f"; did you mean “{nearest[0]}”?" if nearest else "."


def nearly(name: str, known: Iterable[str]) -> list[str]:
    """The known names, two at most, that are `name` but for a typing error."""
    return _close(name, known, 2, 0.8)


def _close(name: str, known: Iterable[str], most: int, least: float) -> list[str]:
    # Imported here: only a name that nothing has needs it.
    from difflib import get_close_matches

    return get_close_matches(name, list(known), most, least)
