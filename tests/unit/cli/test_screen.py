"""What a person sees of an answer, on a terminal and in a pipe."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from cicada_client.events import Accepted, Chunk, Complete, Event, Failed, Reset, Sources, Status
from cicada_client.notices import Reconnected, Reconnecting
from cli.screen import Screen
from cli.user.rendering import render_answer

ERASED = "\r\x1b[K"


class Terminal:
    """A screen and what it wrote."""

    def __init__(self, *, terminal: bool = True, colour: bool = False) -> None:
        self.out, self.side = io.StringIO(), io.StringIO()
        self.screen = Screen(self.out, self.side, terminal=terminal, colour=colour)

    @property
    def written(self) -> str:
        return self.out.getvalue()


def test_a_status_is_erased_before_anything_else_is_shown() -> None:
    shown = Terminal()
    shown.screen.status("Searching …")
    shown.screen.chunk("The Queen")
    assert shown.written == f"Searching …{ERASED}The Queen"


def test_a_status_never_interrupts_a_line() -> None:
    shown = Terminal()
    shown.screen.chunk("The Queen")
    shown.screen.status("Searching …")
    assert shown.written == "The Queen"


def test_a_status_fits_into_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    shown = Terminal()
    shown.screen.status("死" * 50)
    assert shown.written == "死" * 4


def test_a_pipe_gets_the_answer_only_and_the_notes_go_beside_it() -> None:
    shown = Terminal(terminal=False, colour=True)
    shown.screen.status("Searching …")
    shown.screen.chunk("The Qu")
    shown.screen.observe(Reconnecting("Lost.", 0.1))
    shown.screen.observe(Reconnected())
    shown.screen.chunk("een")
    assert shown.written == "The Queen"
    assert shown.side.getvalue() == "The connection was lost; the answer goes on where it stopped.\n"


def test_a_reconnect_in_mid_answer_is_one_dim_line() -> None:
    shown = Terminal(colour=True)
    shown.screen.chunk("The Qu")
    shown.screen.observe(Reconnecting("Lost.", 0.1))
    shown.screen.observe(Reconnected())
    shown.screen.chunk("een")
    line = "The connection was lost; the answer goes on where it stopped."
    assert shown.written == f"The Qu\n\x1b[2m{line}\x1b[0m\neen"


def test_without_colour_nothing_is_dimmed() -> None:
    shown = Terminal(colour=False)
    shown.screen.note("a note")
    assert shown.written == "a note\n"


def test_hostile_text_reaches_the_terminal_without_its_escapes() -> None:
    shown = Terminal()
    events: list[Event] = [
        Accepted("r", 1, "s"),
        Status("r", 2, "\x1b[2J", "\x1b]0;x\x07"),
        Chunk("r", 3, "a\x1b[31mb"),
        Failed("r", 4, "\x1b[1m\rno", "c", retryable=False),
    ]
    render_answer(iter(events), shown.screen)
    assert "\x1b" not in shown.written.replace(ERASED, "")
    assert "\x07" not in shown.written


def test_an_answer_that_starts_again_says_so() -> None:
    shown = Terminal()
    events: list[Event] = [Chunk("r", 1, "wrong"), Reset("r", 2, "x"), Chunk("r", 3, "right")]
    answer = render_answer(iter([*events, Complete("r", 4, {}, {}, (), None)]), shown.screen)
    assert shown.written.endswith("wrong\nThe answer starts again.\nright\n")
    assert answer.text == "right"


def test_a_broken_off_answer_leaves_the_cursor_at_the_beginning_of_a_line() -> None:
    def breaking() -> Iterator[Event]:
        yield Sources("r", 1, ())
        raise KeyboardInterrupt

    shown = Terminal()
    with pytest.raises(KeyboardInterrupt):
        render_answer(breaking(), shown.screen)
    assert shown.written.endswith(ERASED)
