"""The fake backend's answers: events in the real form, from public-domain plays."""

from __future__ import annotations

import re

from cicada.conversation.protocol import (
    AnyEventBody,
    Chunk,
    Complete,
    Source,
    SourceLocator,
    SourcesFound,
    StatusChanged,
    Usage,
)

QUESTION = "Who tells Macbeth that the queen is dead?"
ANSWER = (
    "**Seyton** brings Macbeth the news. He leaves the stage at a cry of women and, when he comes back and Macbeth "
    "asks “Wherefore was that cry?”, he says: “The queen, my lord, is dead.” [1]\n\n"
    "Macbeth answers him with “She should have died hereafter; There would have been a time for such a word,” and "
    "goes on to the speech on to-morrow and to-morrow. [1] Earlier in the play the Doctor and a Gentlewoman had "
    "watched Lady Macbeth walk in her sleep. [2, 5]"
)
DONE = Complete(
    usage=Usage(input_tokens=2184, output_tokens=117),
    timings={"total": 2410, "firstToken": 640},
    path=("retrieve", "generate"),
    confidence=0.91,
)
_SEYTON = """Macbeth: I have almost forgot the taste of fears; The time has been, my senses would have cool'd To hear a
night-shriek; Wherefore was that cry?
Seyton: The queen, my lord, is dead.
Macbeth: She should have died hereafter; There would have been a time for such a word. To-morrow, and to-morrow,
and to-morrow, Creeps in this petty pace from day to day To the last syllable of recorded time."""
_DOCTOR = """Doctor: I have two nights watched with you, but can perceive no truth in your report. When was it she last
walked?
Gentlewoman: Since his majesty went into the field, I have seen her rise from her bed, throw her night-gown upon her."""


def script_source(
    n: int, chapter: str, messages: tuple[int, int], speakers: tuple[str, ...], excerpt: str, relevance: float | None
) -> Source:
    locator = SourceLocator(episode="Macbeth", chapter=chapter, messages=messages, speakers=speakers)
    text = re.sub(r"\n(?![A-Z]\w+: )", " ", excerpt)
    return Source(n=n, document_id="macbeth", title="Macbeth", locator=locator, excerpt=text, relevance=relevance)


SOURCES = (
    script_source(1, "5.5 Dunsinane. Within the castle.", (624, 630), ("Macbeth", "Seyton"), _SEYTON, 0.912),
    script_source(2, "5.1 Dunsinane. Ante-room in the castle.", (540, 561), ("Doctor", "Gentlewoman"), _DOCTOR, 0.604),
    script_source(
        3,
        "5.8 Another part of the field.",
        (688, 704),
        ("Malcolm", "Ross", "Siward", "Macduff"),
        "Malcolm: Who, as 'tis thought, by self and violent hands Took off her life.",
        0.388,
    ),
    script_source(
        4,
        "5.3 Dunsinane. A room in the castle.",
        (590, 601),
        ("Macbeth", "Doctor"),
        "Macbeth: How does your patient, doctor?",
        0.281,
    ),
    Source(
        n=5,
        document_id="notes/players.md",
        title="Notes for players",
        locator=SourceLocator(section=("Act five", "The sleep-walking scene")),
        excerpt="The Gentlewoman enters first and holds the light low.",
        relevance=None,
        fields={"Status": "retired", "Owner": "Ann Lee"},
    ),
)


def answered(text: str = ANSWER, sources: tuple[Source, ...] = SOURCES) -> list[AnyEventBody]:
    """The events of a whole answer behind `accepted`, the text word by word."""
    words = re.findall(r"\S+\s*", text)
    return [
        StatusChanged(stage="searching"),
        *([SourcesFound(sources=sources)] if sources else []),
        StatusChanged(stage="answering"),
        *(Chunk(content=word) for word in words),
        DONE,
    ]
