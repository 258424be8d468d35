"""Setting aside how a message opens ("hey, could you tell me …"), so that rules see what it asks."""

from collections.abc import Iterator

from cicada.planning.patterns import Phrases
from cicada.planning.tokens import ASKED, Message


def without_openers(message: Message, openers: Phrases) -> Message:
    """The message with each opener, at the start of a sentence, replaced by the token `ASKED`.

    The words after it begin the sentence. A message that is nothing but openers is returned as it is.
    """
    kept = [at for at, _ in _kept(message, openers)]
    if not any(message.words[at][0].isalnum() for at in kept if at >= 0):
        return message
    return _rebuilt(message, kept)


def _kept(message: Message, openers: Phrases) -> Iterator[tuple[int, str]]:
    """Positions to keep, with -1 where an opener stood."""
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
    """Where a run of openers that begins at `at` ends, commas between them included."""
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
