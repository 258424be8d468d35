"""Answers from the passages of a prompt by quoting their best lines, or says that they hold no answer.

A passage that has a number is cited by it, as [n]; one without is named by its place alone.
"""

from collections.abc import Sequence

from local.bedrock.embedder import Embedder
from local.bedrock.prompt import Passage, Prompt
from local.bedrock.selection import Selection, select
from local.bedrock.units import Unit
from local.bedrock.words import words

ANSWERED_FROM = 0.6  # chosen on the questions that the weights were fitted on: docs/figures/stand-in-answers.json
RANKED, QUOTED = 3, 4
WITHIN = 2.5  # how far below the best line's score a further line may be
NOT_HELD = "The passages do not hold an answer to this question."
GENERAL = (
    "I am a local stand-in for a language model and only answer from passages of the documents: "
    "ask who says, does or knows something in them, and I will quote the lines."
)
GREETINGS = frozenset(("hello", "hi", "hey", "greetings", "good", "morning", "evening", "afternoon", "there", "day"))


def answer(prompt: Prompt, embedder: Embedder) -> str:
    """Raises EmbedderUnavailableError."""
    if not prompt.passages:
        return general(prompt.question)
    selection = select(prompt.question, prompt.passages, embedder)
    if selection.confidence < ANSWERED_FROM:
        return NOT_HELD
    return "\n".join(quote(unit) for unit in best(selection))


def best(selection: Selection) -> list[Unit]:
    """The best unit and up to two more that are nearly as good; a question among them brings its reply along."""
    places: list[int] = []
    for place, score in selection.ranked[:RANKED]:
        if score >= selection.ranked[0][1] - WITHIN:
            places.append(place)
            reply = selection.reply_to(place)
            if selection.units[place].asks and reply is not None:
                places.append(reply)
    return [selection.units[place] for place in list(dict.fromkeys(places))[:QUOTED]]


def quote(unit: Unit) -> str:
    """`Seyton says: "The queen, my lord, is dead." — Macbeth, 5.5 [1]`."""
    number = unit.passage.number
    said = f'"{unit.text}" — {unit.passage.locator}' + ("" if number is None else f" [{number}]")
    if unit.is_stage:
        return f"Stage direction: {said}"
    return f"{unit.speaker} says: {said}" if unit.speaker else said


def general(text: str) -> str:
    """A reply where there is nothing to quote: a greeting is returned, everything else is told what can be asked."""
    spoken = words(text)
    if spoken and len(spoken) <= 4 and set(spoken) <= GREETINGS:
        return f"Hello. {GENERAL}"
    return GENERAL


def evidence(statement: str, passages: Sequence[Passage], embedder: Embedder) -> str:
    """Lines that bear on a statement. A line that denies where the statement affirms is called a line against it."""
    selection = select(statement, passages, embedder)
    if not selection.units or selection.confidence < ANSWERED_FROM:
        return f"I found no lines that speak for or against “{statement}”."
    denies = _denies(statement)
    chosen = best(selection)
    for_it = [quote(unit) for unit in chosen if _denies(unit.text) == denies]
    against = [quote(unit) for unit in chosen if _denies(unit.text) != denies]
    sections = [f"On “{statement}” the text has these lines."]
    sections += ["May speak for it:", *for_it] if for_it else []
    sections += ["May speak against it:", *against] if against else []
    return "\n".join(sections)


def _denies(text: str) -> bool:
    return not {"not", "no", "never", "nor", "none", "nothing", "without"}.isdisjoint(words(text))
