"""An answer from passages, with the sentences marked that its passages do not carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from cicada.answering.parts import AnswerPart, Cited, Finished, Text
from cicada.answering.prompt import evidence_text
from cicada.answering.stops import STOP_SENTENCES
from cicada.grounding.checking import Judge, by_counting, check


def checked(parts: Iterable[AnswerPart], question: str = "", judge: Judge = by_counting) -> Iterator[AnswerPart]:
    """The parts; the last one says what of a text that a model wrote from passages is unsupported.

    Passages are read as the model was shown them. Of what an agent says after a search only cited sentences are
    checked, because it also speaks of saved entries. Not checked is the sentence that says why a model ended early.
    """
    text: list[str] = []
    passages: dict[int, str] = {}
    for part in parts:
        if isinstance(part, Text):
            text.append(part.content)
        elif isinstance(part, Cited):
            shown = (evidence_text(each.passage, each.state) for each in part.passages)
            passages.update(enumerate(shown, part.first))
        elif isinstance(part, Finished) and passages and ("generate" in part.path or _by_agent(part.path)):
            said = "".join(text).removesuffix(STOP_SENTENCES[part.stopped] if part.stopped else "")
            by_agent = _by_agent(part.path)
            found = check(said, passages, part.conditions, cited_only=by_agent, question=question, judge=judge)
            part = replace(part, checked=found)
        yield part


def _by_agent(path: Sequence[str]) -> bool:
    """Whether an agent answered after a search."""
    return "retrieve" in path and any(step.startswith("agent:") for step in path)
