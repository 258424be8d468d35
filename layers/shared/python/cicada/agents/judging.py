"""Judging a theory by passages that the searches of the turn found, and showing a verdict that was kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.entries import Entries, day
from cicada.agents.evidence import Ground, Judgement, Standing, TurnEvidence, Verdict
from cicada.agents.model import Entry, matching_key
from cicada.agents.tools import ArgumentError, read_name, read_text
from cicada.documents.model import Passage, ScriptLocator
from cicada.quotation import named, quoted

REASON_LIMIT = 1_000
_SEARCHES = 2
_GROUNDS_OF_A_SIDE = 10
_UNSEARCHED = (
    "Refused: before a theory is judged, search at least twice in different words, for what supports it and for what "
    "speaks against it. Nothing was judged."
)
_ELSEWHERE = "Verdicts are not kept here. Give yours in the answer, in words, with what it rests on."
_FAR = (
    "Refused: no search found passages that are near enough to be evidence. Search again in other words, or judge the "
    "theory open. Nothing was judged."
)


class Judging(Struct, frozen=True):
    """Judges the theories of a scope. `evidence`: of the turn; None where the tools run in another process."""

    entries: Entries
    evidence: TurnEvidence | None

    def judge(self, title: str, verdict: str, supporting: str, contradicting: str, reason: str) -> str:
        """Keep the verdict with the theory of this title; without a title only hold it against what was found.

        Raises `ArgumentError` unless the verdict rests on enough searches, and on passages that they found.
        """
        evidence = self.evidence
        if evidence is None:
            raise ArgumentError(_ELSEWHERE)
        if evidence.wordings < _SEARCHES:
            raise ArgumentError(_UNSEARCHED)
        found = read_verdict(verdict)
        grounds = (*_grounds(supporting, evidence), *_grounds(contradicting, evidence, against=True))
        _refuse_groundless(found, grounds, evidence)
        why = read_text(reason, "reason", REASON_LIMIT)
        seen = sorted({each.passage.document.document_id for each in evidence.passages.values()})
        judgement = Judgement(found, why, grounds, self.entries.keeping.clock(), tuple(seen))
        said = f"The theory was judged {found}. It is not saved, so the verdict is not kept."
        if title.strip():
            wanted = read_name(title, self.entries.wording.name)
            said = self.entries.settled(lambda: self._keep(wanted, judgement, evidence))
        evidence.verdict = found
        return f"{said}\nAnswer with the verdict, and cite what it rests on."

    def _keep(self, wanted: str, judgement: Judgement, evidence: TurnEvidence) -> str:
        entry = self.entries.known().one_live("", wanted)
        label = self.entries.wording.label(entry)
        if evidence.read.get(entry.id) != entry.version:
            raise ArgumentError(
                f"Refused: read the {label} with get_theory, then judge it as it is. Nothing was judged."
            )
        self.entries.keeping.store.keep_judgement(self.entries.scope, replace(entry, judgement=judgement))
        before = entry.judgement
        was = f" On {day(before.at)} it was judged {before.verdict}." if before else ""
        return f"The {label} was judged {judgement.verdict}, and the verdict is kept with it.{was}"


def read_verdict(text: str) -> Verdict:
    """One of the verdicts, or `ArgumentError` naming them all."""
    try:
        return Verdict(matching_key(text))
    except ValueError:
        raise ArgumentError(f"The verdict must be one of: {', '.join(Verdict)}. Nothing was judged.") from None


def _grounds(numbers: str, evidence: TurnEvidence, *, against: bool = False) -> tuple[Ground, ...]:
    chosen = list(dict.fromkeys(map(int, re.findall(r"\d{1,4}", numbers))))[:_GROUNDS_OF_A_SIDE]
    unknown = [number for number in chosen if number not in evidence.passages]
    if unknown:
        raise ArgumentError(f"No search of this turn found a passage [{unknown[0]}]. Nothing was judged.")
    passages = (evidence.passages[number].passage for number in chosen)
    return tuple(
        Ground(each.document.document_id, each.version, each.passage_id, place_of(each), against) for each in passages
    )


def _refuse_groundless(verdict: Verdict, grounds: Sequence[Ground], evidence: TurnEvidence) -> None:
    needed = {Verdict.SUPPORTED: False, Verdict.CONTRADICTED: True}.get(verdict)
    if needed is None:
        return
    if not evidence.suffices:
        raise ArgumentError(_FAR)
    if not any(each.against is needed for each in grounds):
        side = "contradicting" if needed else "supporting"
        raise ArgumentError(f"Refused: {verdict} has to rest on a {side} passage; give its number. Nothing was judged.")


def place_of(passage: Passage) -> str:
    """Where a passage stands, in a few words: `Macbeth, 5.5`, or `Leave Policy, Carry-over`."""
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        return f"{locator.episode_name}, {locator.chapter_id}"
    return ", ".join((passage.title, *locator.path[-1:]))


def shown(entry: Entry, standing: Standing, evidence: TurnEvidence | None) -> str:
    """The verdict that is kept with a theory, with what it rests on by number, and whether that is still as it was.

    Of what the user may not read any more nothing is shown, nor is the reason, which may quote it.
    """
    judgement = entry.judgement
    if judgement is None:
        return ""
    lines = [f"Verdict of {day(judgement.at)}: {judgement.verdict}."]
    if not standing.gone:
        lines.append(quoted(judgement.reason))
    numbers = {each.passage.passage_id: evidence.number(each) for each in standing.passages} if evidence else {}
    grounds = [each for each in judgement.grounds if each.document_id not in standing.gone]
    for side, against in (("For", False), ("Against", True)):
        found = [each for each in grounds if each.against is against]
        places = (f"{named(each.place)}{_cited(numbers.get(each.passage_id))}" for each in found)
        lines += [f"{side}: {'; '.join(places)}"] if found else []
    return "\n".join((*lines, *_doubts(standing)))


def _cited(number: int | None) -> str:
    return "" if number is None else f" [{number}]"


def _doubts(standing: Standing) -> list[str]:
    """What has happened since to the documents that a verdict rests on."""
    said = []
    if standing.changed:
        titles = ", ".join(named(each) for each in standing.changed.values())
        said.append(f"{titles} changed since then.")
    if standing.gone:
        said.append("A document that was read for it was removed, or you may not read it any more.")
    if said:
        said.append("So the verdict may no longer hold: ask for the evidence again, and the theory is judged anew.")
    return [" ".join(said)] if said else []
