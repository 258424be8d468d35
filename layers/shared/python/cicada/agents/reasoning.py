"""Removes a model's reasoning from its text."""

from __future__ import annotations

_OPEN, _CLOSE = "<thinking>", "</thinking>"


class ReasoningFilter:
    """Drops `<thinking>…</thinking>` from a streamed text, as Amazon Nova writes it beside its tool calls.

    Tags may be split over pieces. White space at the beginning and after a dropped part is dropped too.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._at_start = True

    def feed(self, piece: str) -> str:
        """The text that can be shown so far."""
        self._held += piece
        shown = ""
        while True:
            tag = _CLOSE if self._thinking else _OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                return shown + self._release(len(_possible_tag(self._held, tag)))
            if not self._thinking:
                shown += self._visible(before)
            self._held, self._thinking, self._at_start = after, not self._thinking, True

    def rest(self) -> str:
        """The rest at the end: text that looked like the beginning of a tag."""
        return self._release(0)

    def _release(self, kept: int) -> str:
        end = len(self._held) - kept
        free, self._held = self._held[:end], self._held[end:]
        return "" if self._thinking else self._visible(free)

    def _visible(self, text: str) -> str:
        shown = text.lstrip() if self._at_start else text
        self._at_start = self._at_start and not shown
        return shown


def _possible_tag(text: str, tag: str) -> str:
    """The longest suffix of the text that is a prefix of the tag."""
    return next((tag[:size] for size in range(len(tag) - 1, 0, -1) if text.endswith(tag[:size])), "")
