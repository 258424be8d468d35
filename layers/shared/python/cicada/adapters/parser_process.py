"""Parses uploaded files in processes of their own, each file within its share of processor time and memory.

The kernel ends a process that takes more, also in the middle of a regular expression or of a library in C. Such a
process has no credentials and no open connection, so a file that takes over its parser reaches nothing.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, cast

import msgspec
from msgspec import Struct

from cicada.errors import DocumentRejectedError, ScanError, UnavailableError
from cicada.ingest.model import TOO_COSTLY, ParsedDocument, SourceFile
from cicada.ingest.ports import DocumentParser

# Four files at once, on the two processors of a function that ends after 15 minutes; the costliest PDF takes 150.
SECONDS = 180
# More than the costliest files of each kind take (docs/figures/reader-limits.json). Four fit into the function.
MEGABYTES = 640
_LENGTH_BYTES = 8


class _Job(Struct, frozen=True):
    suffix: str
    source: SourceFile


class _Reply(Struct, frozen=True):
    """`reason` and `kind`: of a rejection, or only `failure`, the name of an exception that nobody expected.

    `pages`: of a scan, which is rejected for its lack of text.
    """

    parsed: ParsedDocument | None = None
    reason: str = ""
    kind: str = ""
    failure: str = ""
    pages: int = 0


class ParserProcesses:
    """Idle processes that wait for the next file. `command` runs `serve` with the same limits."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = [sys.executable, "-P", *command]
        self._environment = {**environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()

    def parser(self, suffix: str) -> DocumentParser:
        """The parser of files of this suffix."""
        return _RemoteParser(suffix, self)

    def close(self) -> None:
        """End the idle processes."""
        with suppress(Empty):
            while True:
                _end(self._idle.get_nowait())

    def parsed(self, job: _Job) -> ParsedDocument:
        """The reply to a job. `DocumentRejectedError` also where the file ended its process."""
        process = self._free()
        try:
            reply = _asked(process, job)
        except BaseException:
            process.kill()
            _end(process)
            raise
        if reply is None:
            raise _ended(_end(process))
        if reply.failure:
            _end(process)
            raise UnavailableError(f"The file's parser failed ({reply.failure}); the file is tried again.")
        self._idle.put(process)
        if reply.pages:
            raise ScanError(reply.reason, reply.pages)
        if reply.parsed is None:
            raise DocumentRejectedError(reply.reason, reply.kind)
        return reply.parsed

    def _free(self) -> subprocess.Popen[bytes]:
        with suppress(Empty):
            while True:
                process = self._idle.get_nowait()
                if process.poll() is None:
                    return process
                _end(process)
        return subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # What libraries print may quote the file.
            stderr=subprocess.DEVNULL,
        )


class _RemoteParser(Struct, frozen=True):
    suffix: str
    processes: ParserProcesses

    def parse(self, source: SourceFile) -> ParsedDocument:
        return self.processes.parsed(_Job(self.suffix, source))


def serve(parsers: Mapping[str, DocumentParser], seconds: int = SECONDS, megabytes: int = MEGABYTES) -> None:
    """Parse the files that come on standard input, until it ends. The limits hold for each file."""
    jobs, replies = sys.stdin.buffer, sys.stdout.buffer
    # Whatever a library prints must not come between the replies.
    sys.stdout = sys.stderr
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000, resource.RLIM_INFINITY))
    while content := _read(jobs):
        job = msgspec.msgpack.decode(content, type=_Job)
        del content
        _grant(seconds)
        _write(replies, msgspec.msgpack.encode(_parsed(parsers[job.suffix].parse, job.source)))


def _grant(seconds: int) -> None:
    """Have the kernel end this process when it has taken so much more processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, hard))


def _parsed(parse: Callable[[SourceFile], ParsedDocument], source: SourceFile) -> _Reply:
    try:
        return _Reply(parse(source))
    except ScanError as error:
        return _Reply(reason=str(error), pages=error.pages)
    except DocumentRejectedError as error:
        return _Reply(reason=str(error), kind=error.kind)
    except MemoryError:
        return _Reply(
            reason="The file takes more memory to read than one file may use; split it and upload the parts.",
            kind=TOO_COSTLY,
        )
    except Exception as error:  # noqa: BLE001 - the entry of the process; the caller raises it again
        return _Reply(failure=type(error).__name__)


def _asked(process: subprocess.Popen[bytes], job: _Job) -> _Reply | None:
    """The reply; None if the process has ended."""
    to, back = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    with suppress(BrokenPipeError):
        _write(to, msgspec.msgpack.encode(job))
        content = _read(back)
        return msgspec.msgpack.decode(content, type=_Reply) if content else None
    return None


def _ended(code: int) -> Exception:
    if code == -signal.SIGXCPU:
        return DocumentRejectedError(
            f"The file takes more than {SECONDS} seconds of processor time to read; split it, or save it in a simpler "
            "form.",
            TOO_COSTLY,
        )
    if code == -signal.SIGKILL:
        return UnavailableError("The file's parser was ended from outside; the file is tried again.")
    return DocumentRejectedError(
        "The file makes the program that reads it fail; save it in another form and upload that.", TOO_COSTLY
    )


def _end(process: subprocess.Popen[bytes]) -> int:
    """Close the pipes, which ends an idle process, and return the exit code."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with suppress(BrokenPipeError):
                pipe.close()
    return process.wait()


def _write(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(len(content).to_bytes(_LENGTH_BYTES, "big"))
    pipe.write(content)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes:
    """The next message; empty at the end."""
    length = pipe.read(_LENGTH_BYTES)
    content = pipe.read(int.from_bytes(length, "big")) if len(length) == _LENGTH_BYTES else b""
    return content if len(content) == int.from_bytes(length, "big") else b""
