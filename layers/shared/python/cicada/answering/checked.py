"""An answer from passages, with the sentences marked that its passages do not carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from cicada.answering.parts import AnswerPart, Cited, Finished, Text
from cicada.answering.prompt import evidence_text
from cicada.answering.stops import STOP_SENTENCES
from cicada.grounding.checking import check


def checked(parts: Iterable[AnswerPart]) -> Iterator[AnswerPart]:
    """The parts; the last one says what of a text that a model wrote from passages is unsupported.

    Passages are read as the model was shown them. What an agent says is not checked: it also speaks of saved entries.
    Nor is the sentence that says why a model ended early.
    """
    text: list[str] = []
    passages: dict[int, str] = {}
    for part in parts:
        if isinstance(part, Text):
            text.append(part.content)
        elif isinstance(part, Cited):
            shown = (evidence_text(each.passage, each.state) for each in part.passages)
            passages.update(enumerate(shown, part.first))
        elif isinstance(part, Finished) and passages and "generate" in part.path:
            said = "".join(text).removesuffix(STOP_SENTENCES[part.stopped] if part.stopped else "")
            part = replace(part, checked=check(said, passages, part.conditions))
        yield part
