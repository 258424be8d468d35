"""The local OpenSearch asks for no password, and takes no requests of web pages."""

from __future__ import annotations

import re
import socket
import sys
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.settings import running_opensearch

pytestmark = pytest.mark.skipif(bool(running_opensearch()), reason="It is about how the local stage starts its own.")


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:4568", "null"])
def test_a_web_page_is_refused(opensearch_url: str, origin: str) -> None:
    """A page may send a POST with no body without asking for permission; closing all indices would be one."""
    request = Request(f"{opensearch_url}/_refresh", method="POST", headers={"Origin": origin})  # noqa: S310 - loopback
    with pytest.raises(HTTPError, match="403"):
        urlopen(request, timeout=60)  # noqa: S310 - loopback


def test_a_program_is_not(opensearch_url: str) -> None:
    request = Request(f"{opensearch_url}/_refresh", method="POST")  # noqa: S310 - loopback
    with urlopen(request, timeout=60) as reply:  # noqa: S310 - loopback
        assert reply.status == 200


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has more loopback addresses than one.")
def test_it_listens_where_no_page_can_guess(opensearch_url: str) -> None:
    """A name that is pointed at 127.0.0.1 would reach it with a foreign `Host`, which the server takes."""
    address = urlsplit(opensearch_url)
    assert address.hostname is not None
    assert re.fullmatch(r"127(\.\d+){3}", address.hostname)
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", address.port or 0), timeout=60):
        pass
