"""How a passage is shown to a model."""

from __future__ import annotations

from cicada.documents.model import Passage, ScriptLocator


def passage_text(number: int, passage: Passage) -> str:
    """A passage as the model sees it: its number and place, then its text."""
    return f"[{number}] {_heading(passage)}\n{passage.text}"


def _heading(passage: Passage) -> str:
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        place = (
            f"Episode: {locator.episode_name} · Chapter: {locator.chapter_id} {locator.chapter_title}".rstrip()
            + f" · Messages: {locator.first_message}–{locator.last_message}"
        )
        return f"{place}\nSpeakers: {', '.join(locator.speakers)}" if locator.speakers else place
    return " · ".join([f"Document: {passage.title}", *(f"Section: {name}" for name in locator.path[-1:])])
