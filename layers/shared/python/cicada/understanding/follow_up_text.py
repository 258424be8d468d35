"""A message as words and topics, for resolving follow-ups."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from cicada.languages.terms import STEMMED, stop_words
from cicada.understanding.follow_up_cues import CUES, SCRIPTS, YOU, Cues

_TOKEN = re.compile(r"\"[^\"\n]{2,80}\"|[^\W_]+(?:['.&-][^\W_]+)*|[?!.;:,()]")
_ASCII = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"'}
)
_INVERTED = re.compile(r"-(?:t-)?(?=(?:ils?|elles?|on)\b)", re.IGNORECASE)
_ELIDED = re.compile(r"\b(?:qu|[cdjlmnst]|(?:de|nei|da|su|ne)?ll|un)'(?=\w)", re.IGNORECASE)
_SENTENCE_ENDS = frozenset("?!.;:")
_SCRIPT = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s", "e", "y")
# The least letters of a word that are compared.
_LEAST = 3


class Word(Struct, frozen=True):
    """`text` as it is written, `key` in lower case without a possessive; `named`: written like a proper name.

    `telling`: it says something of the topic. `begins` and `ends` a sentence or clause.
    """

    text: str
    key: str
    named: bool
    telling: bool
    begins: bool
    ends: bool


class Place(Struct, frozen=True):
    """Where a word stands. `shouted`: in a message whose capitals tell nothing."""

    begins: bool
    ends: bool
    shouted: bool


class Topic(Struct, frozen=True):
    """Words that stand together and say something, such as "Macbeth's wife"; `named`: a proper name is among them."""

    text: str
    keys: tuple[str, ...]
    named: bool


class Reading(Struct, frozen=True):
    """A message in one language. `cues` is None for scripts without spaces, whose words are not told apart."""

    text: str
    language: str
    cues: Cues | None
    words: tuple[Word, ...]
    topics: tuple[Topic, ...]

    @property
    def names(self) -> tuple[Topic, ...]:
        return tuple(topic for topic in self.topics if topic.named)

    @property
    def telling(self) -> int:
        """How many words say something of a topic."""
        return sum(word.telling for word in self.words)


def language_of(messages: Iterable[str], likely: str = "en") -> str:
    """The language with most words of its own in the messages, in doubt the likely one; Asian ones by their script."""
    text = " ".join(messages).lower().translate(_ASCII)
    for language, script in _SCRIPT:
        if script.search(text):
            return language
    words = re.findall(r"[^\W\d_]{2,}(?:'[^\W\d_]+)*", text)

    def own(language: str) -> int:
        cues = CUES.get(language)
        return sum(word in cues.asking or word in cues.again for word in words) if cues else 0

    return max([likely, *CUES], key=own)


def read(message: str, language: str) -> Reading:
    """The message's words and topics."""
    if language in SCRIPTS:
        return Reading(message, language, None, (), tuple(_pieces(message, language)))
    cues = CUES[language]
    words = tuple(_words(_apart(message, language), cues, function_words(language)))
    return Reading(message, language, cues, words, tuple(_topics(words)))


def speaks_to_the_assistant(message: str) -> bool:
    """Whether the message has a word for the assistant and no word that says something of a topic: "Who are you?"."""
    language = language_of([message])
    if language in SCRIPTS:
        return False
    keys = {word.key for word in read(message, language).words}
    return bool(keys & YOU) and keys <= function_words(language)


def stem(word: str) -> str:
    """Enough of a word to tell that two forms are of the same word; it need not be a word itself."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word[: -len(ending)]
    return word


def _pieces(message: str, language: str) -> Iterator[Topic]:
    for piece in SCRIPTS[language].empty.split(message):
        if piece and piece.strip():
            yield Topic(piece.strip(), (piece.strip(),), named=False)


def _apart(message: str, language: str) -> str:
    """The words that French and Italian write together with a pronoun or an article, such as "est-elle"."""
    plain = message.translate(_ASCII)
    return _ELIDED.sub(" ", _INVERTED.sub(" ", plain)) if language in ("fr", "it") else plain


@cache
def function_words(language: str) -> frozenset[str]:
    """The words of a language with cues that say nothing of a topic by themselves."""
    cues = CUES[language]
    own = cues.person | cues.thing | cues.pointing | cues.comparing | cues.joining | cues.definite | cues.asking
    return own | stop_words(STEMMED[language])


def _words(message: str, cues: Cues, function_words: frozenset[str]) -> Iterator[Word]:
    tokens: Sequence[str] = _TOKEN.findall(message)
    shouted = _shouted(tokens)
    begins = True
    for at, token in enumerate(tokens):
        if token[0] in "?!.;:,()":
            begins = begins or token in _SENTENCE_ENDS
            continue
        ends = at + 1 == len(tokens) or tokens[at + 1][0] in "?!.;:,()"
        yield _word(token, cues, function_words, Place(begins, ends, shouted))
        begins = False


def _word(token: str, cues: Cues, function_words: frozenset[str], place: Place) -> Word:
    if token[0] == '"':
        return Word(token.strip('"'), token.strip('"').lower(), True, True, place.begins, place.ends)
    key = token.lower().removesuffix("'s")
    capital = token[0].isupper() and key != "i" and not place.shouted
    telling = key not in function_words and (len(key) > 1 or key.isdigit())
    if key in cues.empty | cues.correcting and (place.begins or not capital):
        telling = False
    return Word(token, key, capital and telling, telling, place.begins, place.ends)


def _shouted(tokens: Sequence[str]) -> bool:
    """Whether capitals tell nothing, because nearly every word has one."""
    words = [token for token in tokens if token[0].isalpha()]
    return len(words) > 3 and sum(word[0].isupper() for word in words) >= 0.8 * len(words)


def _topics(words: Sequence[Word]) -> Iterator[Topic]:
    group: list[Word] = []
    for word in words:
        if group and not _joins(group[-1], word):
            yield _topic(group)
            group = []
        if word.telling:
            group.append(word)
    if group:
        yield _topic(group)


def _joins(last: Word, word: Word) -> bool:
    """Names join names; after a possessive the thing that is owned joins."""
    if not word.telling or word.begins or last.ends:
        return False
    return last.named == word.named or last.text.endswith("'s")


def _topic(group: Sequence[Word]) -> Topic:
    return Topic(" ".join(word.text for word in group), tuple(word.key for word in group), any(w.named for w in group))
