"""Parses passages and the question from a prompt, independently of the application that wrote it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

HEADING = re.compile(r"^(?:\[(\d+)\]|Passage:) +(\S.*)$")
BAR = re.compile(r"^\|(?: |$)")
# Passages that are a text, or what was chosen from all of it, instead of what a search found.
WHOLE = re.compile(r"^passages\b.*\bin (?:the|its) order\b", re.IGNORECASE)
CONDITIONS = re.compile(r"^each passage is of a document that meets\b", re.IGNORECASE)
QUESTION = re.compile(r"^(?:User )?question: *(.*)$", re.IGNORECASE)
# The other form of a heading: a line of its own, and each part of the place under its label, behind a bar.
OPENING = re.compile(r"^(?:\[\d+\]|Passage:)$")
LABEL = re.compile(r"^(Document|Section|Episode|Chapter|Messages|Speakers|State|Text):(?: (.*))?$")
# What the application says of a document that is not in force.
NOT_IN_FORCE = re.compile(r" · State: (.*) \((?:not yet|no longer) in force\)$")
SPEAKERS = re.compile(r"^Speakers?: *(.+)$")
SCRIPT_LINE = re.compile(r"^([^\W\d_](?:[^\W\d_]|['’.\- ]){0,40}): +(\S.*)$")
STAGE_DIRECTION = re.compile(r"^[(\[].*[)\]]$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a passage. `speaker` is empty for prose and stage directions."""

    text: str
    speaker: str = ""
    is_stage: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """`number` is None if the prompt gives none; then it cannot be cited by number."""

    number: int | None
    heading: str
    lines: tuple[Line, ...]

    @property
    def locator(self) -> str:
        """`Episode: Macbeth · Chapter: 5.5 Dunsinane. … · Messages: 12–31` → `Macbeth, 5.5`.

        A document that is not in force has its state behind its title: `Data Integrity Policy (retired), Retention`.
        """
        title, *others = [_short(field.partition(": ")[2] or field) for field in self.place.split(" · ")]
        return ", ".join([f"{title} ({self.state})" if self.state else title, *others[:1]])

    @property
    def place(self) -> str:
        """The heading without the state, which is the same for a section in two versions."""
        return self.heading.partition(" · State: ")[0]

    @property
    def state(self) -> str:
        """What the document is called that is not in force; empty for all others."""
        found = NOT_IN_FORCE.search(self.heading)
        return found[1] if found else ""

    @property
    def section(self) -> str:
        """The last field of the heading, without its label."""
        field = self.heading.split(" · ")[-1]
        return field.partition(": ")[2] or field

    @property
    def scene_title(self) -> str:
        """Where a scene is: `5.5 Dunsinane. Within the castle.` → `Dunsinane. Within the castle.`; or empty."""
        chapter = next((each for each in self.heading.split(" · ") if each.startswith("Chapter: ")), "")
        return re.sub(r"^Chapter: \S+ ?", "", chapter)


@dataclass(frozen=True, slots=True)
class Prompt:
    """`is_whole`: the passages are a text in its order. `conditions`: what the passages' documents meet.

    `said`: the last answer before the question.
    """

    passages: tuple[Passage, ...]
    question: str
    is_whole: bool = False
    conditions: str = ""
    said: str = ""


def parse(text: str) -> Prompt:
    """Split a user message. Without a `Question:` line the question is all text outside the passages."""
    lines = list(_headed(text.splitlines()))
    asked = max((row for row, line in enumerate(lines) if QUESTION.match(line)), default=len(lines))
    passages = tuple(_passages(lines[:asked]))
    if asked < len(lines):
        is_whole = any(map(WHOLE.match, lines[:asked]))
        said = _said_before(lines[:asked])
        return Prompt(passages, _question(lines[asked:]), is_whole, _conditions(lines[:asked]), said)
    return Prompt(passages, text.strip() if not passages else _last_question(lines))


def _headed(lines: Sequence[str]) -> Iterator[str]:
    """The lines with each heading on one line, and speakers on the next."""
    opening, label = "", ""
    place = dict[str, str]()
    for line in lines:
        named = LABEL.match(line) if opening else None
        if OPENING.match(line):
            opening, place = line, {}
        elif named and named[1] == "Text":
            speakers = place.pop("Speakers", "")
            yield f"{opening} " + " · ".join(f"{name}: {value}" for name, value in place.items())
            yield from [f"Speakers: {speakers}"] if speakers else []
            opening = ""
        elif named:
            label = named[1]
            place[label] = named[2] or ""
        elif opening:
            place[label] = BAR.sub("", line)
        else:
            yield line


def _conditions(lines: Sequence[str]) -> str:
    """The quoted lines below the one that announces conditions."""
    announced = next((row for row, line in enumerate(lines) if CONDITIONS.match(line)), len(lines))
    return " ".join(BAR.sub("", line) for line in takewhile(BAR.match, lines[announced + 1 :]))


def _said_before(lines: Sequence[str]) -> str:
    """The quoted lines below the last `You:`."""
    last = max((row for row, line in enumerate(lines) if line == "You:"), default=len(lines))
    return "\n".join(BAR.sub("", line) for line in takewhile(BAR.match, lines[last + 1 :]))


def _question(lines: Sequence[str]) -> str:
    first = QUESTION.match(lines[0])
    following = [first.group(1) if first else "", *lines[1:]]
    return "\n".join(following).strip().partition("\n\n")[0]


def _last_question(lines: Sequence[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip().endswith("?") and not BAR.match(line)), "")


def _passages(lines: Iterable[str]) -> Iterator[Passage]:
    number: int | None = None
    heading, body = "", list[str]()
    for line in lines:
        if found := HEADING.match(line):
            if heading:
                yield Passage(number, heading, tuple(_body(heading, body)))
            number = int(found.group(1)) if found.group(1) else None
            heading, body = found.group(2), []
        elif line.strip():
            body.append(line.strip())
    if heading:
        yield Passage(number, heading, tuple(_body(heading, body)))


def _body(heading: str, lines: Sequence[str]) -> Iterator[Line]:
    """Labels in a document, such as `When: monthly`, are no speakers."""
    listed = SPEAKERS.match(lines[0]) if lines else None
    names = {name.strip().lower(): name.strip() for name in listed.group(1).split(",")} if listed else {}
    said = _said(lines[1:] if listed else lines)
    spoken = sum(1 for line in said if SCRIPT_LINE.match(line))
    is_script = bool(names) or (spoken * 2 > len(said) and not heading.startswith("Document:"))
    for line in said:
        found = SCRIPT_LINE.match(line)
        if STAGE_DIRECTION.match(line):
            yield Line(line[1:-1], is_stage=True)
        elif found and (is_script or found.group(1).isupper()):
            yield Line(found.group(2), speaker=names.get(found.group(1).lower()) or _as_name(found.group(1)))
        else:
            yield Line(line)


def _said(lines: Sequence[str]) -> list[str]:
    """A passage's own text: its lines with a quotation bar, without the bar; all lines if none has one."""
    barred = [BAR.sub("", line).strip() for line in lines if BAR.match(line)]
    return [line for line in barred or lines if line]


def _as_name(speaker: str) -> str:
    return speaker.title() if speaker.isupper() else speaker


def _short(field: str) -> str:
    """A section that starts with a number is named by the number alone."""
    numbered = re.match(r"\d+(?:\.\d+)*(?= )", field)
    return numbered.group(0) if numbered else field.rstrip(".")
