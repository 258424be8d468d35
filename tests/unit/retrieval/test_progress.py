from __future__ import annotations

from threading import Thread

from cicada.retrieval.progress import tell, told_to


def test_who_waits_is_told_and_nobody_else() -> None:
    inner: list[tuple[str, str | None]] = []
    outer: list[tuple[str, str | None]] = []
    tell("ranking")
    with told_to(lambda *step: outer.append(step)):
        with told_to(lambda *step: inner.append(step)):
            tell("searching", "the search service is starting")
        tell("ranking")
    tell("ranking")
    assert inner == [("searching", "the search service is starting")]
    assert outer == [("ranking", None)]


def test_what_another_request_does_meanwhile_is_not_told() -> None:
    heard: list[str] = []
    with told_to(lambda stage, detail: heard.append(stage)):
        other = Thread(target=tell, args=("ranking",))
        other.start()
        other.join()
    assert heard == []
