"""Contexts of passages: a small model writes a sentence or two on each passage's place in its document.

Source: Anthropic, Introducing Contextual Retrieval, 2024.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from cicada.documents.model import ROW, Passage
from cicada.ingest.model import Problem, StoredDocument
from cicada.ingest.ports import ContextWriter
from cicada.observability.tracing import span

# The window of a long document that the model sees around its passages: about 12,000 tokens of English, read once for
# all passages if the model caches its input.
WINDOW_CHARACTERS = 48_000
# Four at a time, of about half a second each, take four minutes of the fifteen that the function may run.
MAX_WRITTEN = 2_000
_NO_ROOM = f"one ingest has at most {MAX_WRITTEN:,} of them written."


class Prefixes(Struct, frozen=True):
    """One prefix for each passage, possibly empty; `problems` explains missing ones."""

    texts: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def prefixes_of(passages: Sequence[Passage], writer: ContextWriter | None, before: StoredDocument | None) -> Prefixes:
    """The passages' prefixes. Those that the same model wrote for unchanged passages are reused.

    After a failure of the model, or `MAX_WRITTEN` prefixes, the other passages have only their parser's context. So has
    a record, which the names of its columns explain.
    """
    if writer is None:
        return Prefixes(("",) * len(passages))
    with span("contexts"):
        return _written(passages, writer, before)


def _written(passages: Sequence[Passage], writer: ContextWriter, before: StoredDocument | None) -> Prefixes:
    known = _known(writer, before)
    failure = ""
    room = MAX_WRITTEN
    for window in _windows([each for each in passages if ROW not in each.metadata]):
        missing = [key for key in dict.fromkeys(map(_key, window)) if not known.get(key)]
        if not missing:
            continue
        asked = missing[:room]
        room -= len(asked)
        written = writer.write("\n\n".join(each.text for each in window), [text for _, text in asked])
        known |= dict(zip(asked, written.sentences, strict=True))
        failure = written.failure or (_NO_ROOM if asked != missing else "")
        if failure:
            break
    texts = tuple(known.get(_key(each), "") for each in passages)
    explained = [text for each, text in zip(passages, texts, strict=True) if ROW not in each.metadata]
    return Prefixes(texts, _problems(explained, failure))


def _known(writer: ContextWriter, before: StoredDocument | None) -> dict[tuple[str, str], str]:
    if before is None or before.context_model_id != writer.model_id:
        return {}
    return {_key(each.passage): each.prefix for each in before.passages}


def _key(passage: Passage) -> tuple[str, str]:
    return passage.context, passage.text


def _windows(passages: Sequence[Passage]) -> Iterator[list[Passage]]:
    """Runs of passages that together are about as long as a window."""
    window: list[Passage] = []
    size = 0
    for passage in passages:
        if window and size + len(passage.text) > WINDOW_CHARACTERS:
            yield window
            window, size = [], 0
        window.append(passage)
        size += len(passage.text)
    if window:
        yield window


def _problems(texts: Sequence[str], failure: str) -> tuple[Problem, ...]:
    if not failure:
        return ()
    reason = (
        f"{sum(not text for text in texts):,} of {len(texts):,} passages are searched without a model's sentence on "
        f"their context, by title, place and speakers alone: {failure} Upload the file again to have them written."
    )
    return (Problem("", reason, "context_model"),)
