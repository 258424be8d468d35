"""Which traces are recorded: those that were sampled, where a daemon listens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cicada.bootstrap.tracing import traced
from cicada.observability.tracing import current_origin, span
from tests.fakes.xray_daemon import XRayDaemon, invoked, traced_function

OWN = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled="
OTHER = "Root=1-6543e988-ad862e3fe1be46a994272794;Parent=63995c3f42cd8ad9;Sampled="


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[XRayDaemon]:
    with traced_function(monkeypatch, "cicada-dev-message-processor", f"{OWN}1") as daemon:
        yield daemon


def test_work_belongs_to_the_trace_of_its_invocation(daemon: XRayDaemon) -> None:
    with traced("answer"), span("searching"):
        pass
    [document] = daemon.documents()
    assert (document["name"], document["type"]) == ("answer", "subsegment")
    assert (document["trace_id"], document["parent_id"]) == ("1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8")
    assert [each["name"] for each in document["subsegments"]] == ["searching"]


@pytest.mark.parametrize("own", [f"{OWN}1", f"{OWN}0", ""])
def test_work_for_a_message_belongs_to_its_trace(daemon: XRayDaemon, monkeypatch: pytest.MonkeyPatch, own: str) -> None:
    invoked(monkeypatch, "cicada-dev-message-processor", own)
    with traced("answer", f"{OTHER}1"):
        pass
    [document] = daemon.documents()
    assert document["name"] == "cicada-dev-message-processor"
    assert (document["trace_id"], document["parent_id"]) == ("1-6543e988-ad862e3fe1be46a994272794", "63995c3f42cd8ad9")


def test_each_invocation_has_its_own_trace(daemon: XRayDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    for header in (f"{OWN}1", f"{OTHER}1"):
        invoked(monkeypatch, "cicada-dev-message-processor", header)
        with traced("answer"):
            pass
    assert len({document["trace_id"] for document in daemon.documents()}) == 2


def test_a_header_that_is_none_does_not_decide(daemon: XRayDaemon) -> None:
    with traced("answer", "Root=unknown"):
        pass
    [document] = daemon.documents()
    assert document["trace_id"] == "1-5759e988-bd862e3fe1be46a994272793"


@pytest.mark.parametrize(("own", "carried"), [(f"{OWN}0", ""), (f"{OWN}1", f"{OTHER}0"), ("", ""), ("nonsense", "")])
def test_an_unsampled_trace_is_not_sent(
    daemon: XRayDaemon, monkeypatch: pytest.MonkeyPatch, own: str, carried: str
) -> None:
    invoked(monkeypatch, "cicada-dev-message-processor", own)
    with traced("answer", carried), span("searching"):
        assert current_origin() is None
    assert daemon.datagrams() == []


def test_without_a_daemon_nothing_is_recorded(daemon: XRayDaemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_XRAY_DAEMON_ADDRESS")
    with traced("answer", f"{OTHER}1"):
        assert current_origin() is None
    assert daemon.datagrams() == []
