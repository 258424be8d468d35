"""A message as word tokens: rules see whole words, so "list" is never found in "listen".

Contractions are split ("who's" is `who` `'s`), informal spellings are spelled out, "please" is left out and a
quotation becomes the single token `QUOTE`, because its words are not the user's request.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

QUOTE = "<quote>"
ASKED = "<ask>"
SENTENCE_ENDS = frozenset({".", "?", "!"})

_HEAD_CHARACTERS = 900
_TAIL_CHARACTERS = 600
_CLAUSE_ENDS = SENTENCE_ENDS | {":", "-"}
# ASCII replacements of typographic apostrophes, quotation marks, dashes and arrows.
_ASCII = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u2013\u2014\u2212\u2192", "-")
)
_QUOTATION = re.compile(r"""\"[^\"]{1,400}\"|(?<![^\s(])'[^']{2,60}'(?![^\s.,;:?!)])""")
_TOKEN = re.compile(
    r"""<quote>
    | \d+(?:[.,:]\d+)*
    | [^\W\d_]+(?:'[^\W\d_]+)*
    | (?<!\w)'(?:s|m|re|ve|ll|d)(?!\w)
    | (?<!\w)-+ | -+(?!\w)
    | [.?!,:%+*/=^$€£]""",
    re.VERBOSE,
)
_CONTRACTION = re.compile(r"(.+?)(n't|'(?:s|m|re|ve|ll|d))$", re.IGNORECASE)
_IRREGULAR = {"ca": "can", "wo": "will", "sha": "shall"}
_POLITE = frozenset({"please", "pls", "plz", "kindly"})
_INFORMAL = {
    "arent": "are n't", "cant": "can n't", "cannot": "can n't", "couldnt": "could n't", "didnt": "did n't",
    "doesnt": "does n't", "dont": "do n't", "gimme": "give me", "gonna": "going to", "hasnt": "has n't",
    "havent": "have n't", "hows": "how 's", "im": "i 'm", "isnt": "is n't", "ive": "i 've", "lets": "let 's",
    "shouldnt": "should n't", "thats": "that 's", "theres": "there 's", "u": "you", "ur": "your",
    "wanna": "want to", "wasnt": "was n't", "whats": "what 's", "wheres": "where 's", "whos": "who 's",
    "wont": "will n't", "wouldnt": "would n't", "youre": "you 're",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """A tokenised message.

    `words` are the tokens in lower case; `starts` the positions at which a sentence or clause begins;
    `names` the positions written like a proper name.
    """

    words: tuple[str, ...]
    starts: frozenset[int]
    names: frozenset[int]


def tokenise(text: str) -> Message:
    """Tokenise any text; of a very long text, only its beginning and its end."""
    tokens = _spelled_tokens(_without_quotations(_shortened(text)))
    spelled = [token for token in tokens if token.lower() not in _POLITE]
    words = tuple(word.lower() for word in spelled)
    starts = frozenset(i for i in range(len(words)) if i == 0 or words[i - 1] in _CLAUSE_ENDS)
    return Message(words, starts, _capitalised(spelled, starts))


def spell(text: str) -> tuple[str, ...]:
    """The tokens of a word or phrase of a rule, as `tokenise` would write them."""
    if text.isalpha() and text.islower() and text not in _INFORMAL:
        return (text,)
    return tuple(word.lower() for word in _spelled_tokens(text.translate(_ASCII)))


def _shortened(text: str) -> str:
    if len(text) <= _HEAD_CHARACTERS + _TAIL_CHARACTERS:
        return text
    return f"{text[:_HEAD_CHARACTERS]} . {text[-_TAIL_CHARACTERS:]}"


def _without_quotations(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_ASCII)
    marked = _QUOTATION.sub(f" {QUOTE} ", plain)
    return plain if marked.strip() == QUOTE else marked


def _spelled_tokens(text: str) -> Iterator[str]:
    for piece in _TOKEN.findall(text):
        lower = piece.lower()
        if lower in _INFORMAL:
            yield from _INFORMAL[lower].split()
        elif piece.startswith("-"):
            yield "-"
        else:
            yield from _split_contraction(piece)


def _split_contraction(token: str) -> Iterator[str]:
    match = _CONTRACTION.match(token) if "'" in token else None
    if match is None:
        yield token
    else:
        stem, ending = match.groups()
        yield _IRREGULAR.get(stem.lower(), stem)
        yield ending.lower()


def _capitalised(words: list[str], starts: frozenset[int]) -> frozenset[int]:
    """Positions of capitalised words inside a sentence, mostly names; none if every word is capitalised."""
    letters = [i for i, word in enumerate(words) if word[0].isalpha() and word != "I"]
    capitals = [i for i in letters if words[i][0].isupper()]
    if len(letters) > 3 and len(capitals) == len(letters):
        return frozenset()
    return frozenset(i for i in capitals if i not in starts)
