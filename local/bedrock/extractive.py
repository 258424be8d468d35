"""Answers with the passages' sentences nearest to the question, or says that none is near; outlines a whole text.

A passage that has a number is cited by it, as [n]; one without is named by its locator alone.
"""

from collections.abc import Sequence

from local.bedrock.embedder import Embedder
from local.bedrock.nearest import Nearest, nearest
from local.bedrock.prompt import Passage, Prompt
from local.bedrock.spans import Span, spans_of

NEAR = 0.36  # chosen on the questions that the weights were fitted on: docs/figures/stand-in-answers.json
RANKED, QUOTED = 3, 4
OUTLINED = 6
WITHIN = 2.5  # how far below the best span's score a further one may be
NOT_HELD = "The passages do not hold an answer to this question."
GENERAL = (
    "I am a local stand-in for a language model and only answer from passages of the documents: "
    "ask who says, does or knows something in them, and I will quote the lines."
)


def answer(prompt: Prompt, embedder: Embedder) -> str:
    """Raises EmbedderUnavailableError."""
    if not prompt.passages:
        return GENERAL
    if prompt.is_whole:
        return _outline(prompt.passages) or NOT_HELD
    return _quotes(prompt.question, prompt.passages, embedder, prompt.conditions) or NOT_HELD


def evidence(statement: str, passages: Sequence[Passage], embedder: Embedder) -> str:
    """Sentences relevant to a statement, for it or against it. Raises EmbedderUnavailableError."""
    quotes = _quotes(statement, passages, embedder)
    if not quotes:
        return f"I found no lines that speak for or against “{statement}”."
    return f"On “{statement}” the text has these lines.\n{quotes}"


def _outline(passages: Sequence[Passage]) -> str:
    """The first words of passages at equal distances, which is no summary but shows what was read."""
    firsts = list({span.rank: span for span in reversed(spans_of(passages)) if not span.is_stage}.values())[::-1]
    shown = min(len(firsts), OUTLINED)
    return "\n".join(_quote(firsts[at * len(firsts) // shown]) for at in range(shown))


def _quotes(text: str, passages: Sequence[Passage], embedder: Embedder, conditions: str = "") -> str:
    """The nearest spans, one a line; empty if none is near."""
    found = nearest(text, passages, embedder, conditions)
    return "\n".join(_quote(span) for span in _best(found)) if found.nearness >= NEAR else ""


def _best(found: Nearest) -> list[Span]:
    """The best span and up to two more that score nearly as well; a question among them is followed by its reply."""
    positions: list[int] = []
    for position, score in found.ranked[:RANKED]:
        if score >= found.ranked[0][1] - WITHIN:
            positions.append(position)
            reply = found.reply_to(position)
            if found.spans[position].asks and reply is not None:
                positions.append(reply)
    chosen = [found.spans[position] for position in list(dict.fromkeys(positions))[:QUOTED]]
    return chosen if found.spans[0].passage.state else _in_force_first(found, chosen)


def _in_force_first(found: Nearest, chosen: Sequence[Span]) -> list[Span]:
    """The chosen spans, and the best one of the same section in force where they are only of another version.

    Not for prompts that begin with what is not in force: they have the order that was asked for.
    """
    places = {span.passage.place for span in chosen if span.passage.state}
    places -= {span.passage.place for span in chosen if not span.passage.state}
    best: dict[str, Span] = {}
    for span in (found.spans[position] for position, _ in found.ranked):
        if span.passage.place in places and not span.passage.state:
            best.setdefault(span.passage.place, span)
    return sorted((*best.values(), *chosen), key=lambda span: bool(span.passage.state))


def _quote(span: Span) -> str:
    """`Seyton says: "The queen, my lord, is dead." — Macbeth, 5.5 [1]`."""
    number = span.passage.number
    said = f'"{span.text}" — {span.passage.locator}' + ("" if number is None else f" [{number}]")
    if span.is_stage:
        return f"Stage direction: {said}"
    return f"{span.speaker} says: {said}" if span.speaker else said
