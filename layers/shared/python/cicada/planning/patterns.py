"""Patterns over tokens, and their search in a message. `pattern_language` parses them from text."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cicada.planning.tokenizer import ASKED, QUOTE, SENTENCE_ENDS, Message

Phrase: TypeAlias = tuple[str, ...]
Phrases: TypeAlias = Mapping[str, tuple[Phrase, ...]]
"""Phrases by their first word, longer ones first."""

Cue: TypeAlias = tuple[int, ...]
"""Positions of the words that a pattern names; gaps and kinds of token have none."""

KINDS: Mapping[str, Callable[[Message, int], bool]] = {
    "name": lambda message, at: at in message.names,
    "number": lambda message, at: message.words[at][0].isdigit(),
    "quote": lambda message, at: message.words[at] == QUOTE,
    "asked": lambda message, at: message.words[at] == ASKED,
    "any": lambda message, at: message.words[at] not in SENTENCE_ENDS,
}


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a pattern: phrases, kinds of token, a sentence's start, the message's end or a gap.

    `gap` counts the words that may be skipped here.
    """

    phrases: Phrases
    kinds: tuple[str, ...] = ()
    gap: int = 0
    start: bool = False
    end: bool = False
    optional: bool = False

    @property
    def is_anchor(self) -> bool:
        """Whether a message without any of the item's first words cannot match."""
        return bool(self.phrases) and not (self.kinds or self.end or self.optional)


@dataclass(frozen=True, slots=True)
class Pattern:
    """`anchor`: every matching message contains one of these words; None if any message may match."""

    items: tuple[Item, ...]
    anchor: frozenset[str] | None

    def find(self, message: Message) -> Cue | None:
        """The cue of the first match, or None."""
        for start in self._beginnings(message):
            cue = _match(self.items, 0, message, start)
            if cue is not None:
                return cue
        return None

    def _beginnings(self, message: Message) -> Iterable[int]:
        first = self.items[0]
        if first.start:
            return sorted(message.starts)
        if first.is_anchor:
            return [at for at, word in enumerate(message.words) if word in first.phrases]
        return range(len(message.words))


def _match(items: tuple[Item, ...], index: int, message: Message, at: int) -> Cue | None:
    if index == len(items):
        return ()
    for end, cue in _ends(items[index], message, at):
        rest = _match(items, index + 1, message, end)
        if rest is not None:
            return cue + rest
    return None


def _ends(item: Item, message: Message, at: int) -> Iterator[tuple[int, Cue]]:
    """The possible ends of the item if it begins at `at`, each with the positions of its words."""
    if item.start:
        if at in message.starts:
            yield at, ()
    elif item.gap:
        yield from ((end, ()) for end in _gap_ends(message, at, item.gap))
    else:
        yield from _word_ends(item, message, at)
        if item.optional or (item.end and _is_end(message, at)):
            yield at, ()


def _word_ends(item: Item, message: Message, at: int) -> Iterator[tuple[int, Cue]]:
    if at >= len(message.words):
        return
    for phrase in item.phrases.get(message.words[at], ()):
        end = at + len(phrase)
        if message.words[at:end] == phrase:
            yield end, tuple(range(at, end))
    if any(KINDS[kind](message, at) for kind in item.kinds):
        yield at + 1, ()


def _gap_ends(message: Message, at: int, longest: int) -> Iterator[int]:
    yield at
    for end in range(at, min(at + longest, len(message.words))):
        if message.words[end] in SENTENCE_ENDS:
            return
        yield end + 1


def _is_end(message: Message, at: int) -> bool:
    return all(word in SENTENCE_ENDS for word in message.words[at:])


def without_openers(message: Message, openers: Phrases) -> Message:
    """The message with each opener, at the start of a sentence, replaced by the token `ASKED`.

    The words after it begin the sentence. A message of openers only is returned unchanged.
    """
    kept = [at for at, _ in _kept(message, openers)]
    if not any(message.words[at][0].isalnum() for at in kept if at >= 0):
        return message
    return _rebuilt(message, kept)


def _kept(message: Message, openers: Phrases) -> Iterator[tuple[int, str]]:
    """Positions to keep, with -1 in place of an opener."""
    at = 0
    while at < len(message.words):
        end = _opener_end(message, at, openers) if at in message.starts else at
        if end > at:
            yield -1, ASKED
            at = end
        else:
            yield at, message.words[at]
            at += 1


def _opener_end(message: Message, at: int, openers: Phrases) -> int:
    """The end of the run of openers that begins at `at`, including commas between them."""
    while True:
        size = _opener_size(message.words, at, openers)
        if not size:
            return at
        at += size
        if message.words[at : at + 1] == (",",):
            at += 1


def _opener_size(words: tuple[str, ...], at: int, openers: Phrases) -> int:
    phrases = openers.get(words[at], ()) if at < len(words) else ()
    return next((len(phrase) for phrase in phrases if words[at : at + len(phrase)] == phrase), 0)


def _rebuilt(message: Message, kept: list[int]) -> Message:
    words = tuple(ASKED if at < 0 else message.words[at] for at in kept)
    starts = {i for i, at in enumerate(kept) if at < 0 or at in message.starts or (i and kept[i - 1] < 0)}
    return Message(
        words,
        frozenset(starts),
        frozenset(i for i, at in enumerate(kept) if at in message.names),
    )
