"""Every regular expression of the library reads what others wrote, so none may take long, whatever the text.

A limit on processor time stands for "not in quadratic time": of 50,000 characters an expression that takes linear time
needs milliseconds, and one that takes quadratic time seconds at the least.
"""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType

import pytest

import cicada
from tests.property.hostile_texts import LENGTH, hostile_texts

SECONDS = 0.75
_METHODS = {"match", "fullmatch", "search", "finditer", "findall", "sub", "split"}
# These find all matches, each from the end of the last: one stands for all.
_SCANS = {"finditer", "findall", "sub", "split"}
# The most characters that their callers give them. Such short texts may take the square of their length.
BOUNDED_SECONDS = 3.0
BOUNDED = {
    "cicada.understanding.subjects": 300,
    "cicada.document_routing.naming": 300,
    "cicada.understanding": 8_000,
    "cicada.dialogue": 8_000,
    "cicada.document_routing": 8_000,
    "cicada.ingest.prose.parser": 1_024,
}


def _uses() -> Iterator[tuple[str, re.Pattern[str], str, int]]:
    """Each expression, the method that is called of it, and the length of its texts."""
    for found in pkgutil.walk_packages(cicada.__path__, "cicada."):
        module = importlib.import_module(found.name)
        length = next((most for name, most in BOUNDED.items() if found.name.startswith(name)), LENGTH)
        source = Path(str(module.__file__)).read_text("utf-8")
        written = (*_named(module, source), *_inline(module, source))
        uses = dict.fromkeys((each, "finditer" if method in _SCANS else method) for each, method in written)
        yield from ((f"{found.name} {method} {each.pattern[:60]}", each, method, length) for each, method in uses)


def _named(module: ModuleType, source: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """The patterns in the module's constants. One that is not used by its name, as in a tuple, has any use."""
    for name, value in vars(module).items():
        # One that another module has made is that module's.
        if not re.search(rf"^{name}\b.* = ", source, re.MULTILINE):
            continue
        methods = set(re.findall(rf"\b{name}\.(\w+)\(", source)) & _METHODS
        for each in _patterns(value):
            yield from ((_of_text(each), method) for method in sorted(methods) or ("search", "fullmatch"))


def _patterns(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _patterns(tuple(value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _patterns(each)


def _of_text(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The same for texts if it is one for bytes."""
    source: object = pattern.pattern
    return re.compile(source.decode("latin-1"), pattern.flags) if isinstance(source, bytes) else pattern


def _inline(module: ModuleType, source: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """The patterns written where they are used, as a text or by the name of one."""
    if "re" not in vars(module):
        return
    for call in ast.walk(ast.parse(source)):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
            continue
        if ast.unparse(call.func.value) != "re" or call.func.attr not in _METHODS:
            continue
        written = call.args[0]
        text = getattr(module, written.id, None) if isinstance(written, ast.Name) else None
        text = written.value if isinstance(written, ast.Constant) else text
        if isinstance(text, str):
            yield re.compile(text, re.IGNORECASE), call.func.attr


class _TooSlowError(Exception):
    """The limit is reached."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise _TooSlowError


def _slow_text(pattern: re.Pattern[str], method: str, length: int = LENGTH) -> str:
    """The beginning of the first text for which the expression takes too long; empty if there is none.

    Without the garbage collector: what it takes for the objects of other tests would count, and an error raised while
    it runs is lost.
    """
    seconds = SECONDS if length == LENGTH else BOUNDED_SECONDS
    before = signal.signal(signal.SIGVTALRM, _stop)
    gc.disable()
    try:
        for text in hostile_texts(pattern, length):
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
            try:
                _run(pattern, method, text)
            except _TooSlowError:
                return text[:60] or "empty"
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)
    return ""


def _run(pattern: re.Pattern[str], method: str, text: str) -> None:
    if method == "finditer":
        list(pattern.finditer(text))
    else:
        getattr(pattern, method)(text)


def test_no_expression_takes_long_of_any_text() -> None:
    uses = list(_uses())
    assert len(uses) > 120
    slow = ((name, _slow_text(pattern, method, length)) for name, pattern, method, length in uses)
    assert [(name, text) for name, text in slow if text] == []


@pytest.mark.parametrize("slow", [r"(?:a|a)*b", r"[ \t]*(?:-)?[ \t]*x", r"\s+$", r"(\w+\s?)+:", r".+:"])
def test_a_slow_expression_is_noticed(slow: str) -> None:
    assert _slow_text(re.compile(slow), "search")
