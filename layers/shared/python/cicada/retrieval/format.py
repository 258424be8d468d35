"""How a passage is shown to a model.

Every line of a passage's own text begins with a bar and no heading holds a line break, so that a text cannot pass for
the heading of another passage, or for the question.
"""

from __future__ import annotations

from cicada.documents.model import Passage, ScriptLocator


def passage_text(number: int, passage: Passage) -> str:
    """A passage as the answering model sees it: the number that cites it and its place, then its text."""
    return f"[{number}] {_heading(passage)}\n{_quoted(passage.text)}"


def evidence_text(passage: Passage) -> str:
    """A passage as a tool returns it: without a number, which would cite nothing in the answer."""
    return f"Passage: {_heading(passage)}\n{_quoted(passage.text)}"


def _quoted(text: str) -> str:
    """The text with a bar before every line, whatever its line breaks are."""
    return "\n".join(f"| {line}" if line else "|" for line in text.splitlines())


def _heading(passage: Passage) -> str:
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        place = _one_line(
            f"Episode: {locator.episode_name} · Chapter: {locator.chapter_id} {locator.chapter_title}".rstrip()
            + f" · Messages: {locator.first_message}–{locator.last_message}"
        )
        return f"{place}\n{_one_line('Speakers: ' + ', '.join(locator.speakers))}" if locator.speakers else place
    return _one_line(" · ".join([f"Document: {passage.title}", *(f"Section: {name}" for name in locator.path[-1:])]))


def _one_line(text: str) -> str:
    return " ".join(text.split())
