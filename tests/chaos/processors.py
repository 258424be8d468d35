"""The stage's message processors, as the operating system sees them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from local.stage.settings import StageConfig

_PROCESSOR = "ministack-lambda-cicada-local-message-processor"
_ESTABLISHED = "01"


def processors(config: StageConfig) -> list[int]:
    """The processors that have begun to work, recognised by the folder that the emulator unpacked them in.

    A processor that is still starting has called no service yet. The emulator takes its death for a fault of the
    function, and throws away the code of all the others with it (MiniStack 1.5, `invalidate_worker`), which no
    processor survives.
    """
    folder = str(config.folder / "tmp" / _PROCESSOR)
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(argument.startswith(folder) for argument in arguments) and _sockets(process):
            found.append(int(process.name))
    return sorted(found)


def ports_of(process: int) -> set[int]:
    """Local ports of the process's open TCP connections; none if it has ended."""
    sockets = _sockets(Path("/proc") / str(process))
    return {port for port, inode in _connections() if f"socket:[{inode}]" in sockets}


def _sockets(process: Path) -> set[str]:
    found = set()
    with suppress(OSError):  # the process has ended
        for each in (process / "fd").iterdir():
            with suppress(OSError):  # the socket is closed
                found.add(str(each.readlink()))
    return {name for name in found if name.startswith("socket:")}


def _connections() -> Iterator[tuple[int, str]]:
    """Local port and inode of every connection: https://docs.kernel.org/networking/proc_net_tcp.html."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == _ESTABLISHED:
            yield int(fields[1].rpartition(":")[2], 16), fields[9]
