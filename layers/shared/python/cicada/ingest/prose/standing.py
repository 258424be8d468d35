"""Whether a document says at its beginning that it is in force, or no longer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cicada.ingest.prose.sections import Block, Heading, Paragraph
from cicada.knowledge_bases.inferred_standing import IN_FORCE, OUTDATED

# People say it in the first lines, above or under the title.
_LINES, _MOST_CHARACTERS = 4, 1_000
# "These filters were replaced" says nothing of the document, "these rules were replaced" does.
_DOCUMENT = (
    r"(?:document|polic(?:y|ies)|rules?|regulations?|procedures?|sop|plan|list|catalogue|edition|version|revision|issue|"
    r"agreement|contract|lease|letter|notice|guidelines?|guidance|guide|handbook|manual|instructions?|statutes?|"
    r"by-?laws?|charter|code|terms|conditions|tariffs?|fees|prices|rates|schedule|timetable|text|page|memo|circular|"
    r"order|offer|\w*ordnung|\w*regeln|fassung|ausgabe|\w*richtlinien?|\w*vertrag|\w*liste|dokument|satzung|anweisung|"
    r"règlement|règles|contrat|politique|reglamento|reglas|normas|contrato|política|tarifas?)"
)
_THIS = (
    r"(?:this|these|the (?:present|above|following)|diese[rs]?|cette|ces?|est[aeo]s?) "
    rf"(?:[\w'’-]+ ){{0,3}}?{_DOCUMENT}\b[^.:;]{{0,40}}?"
)
_IS = r"(?:is|are|was|were|has been|have been|ist|sind|wurden?|est|sont|a été|ont été|fue|fueron|ha sido|han sido)"
_REPLACED = (
    r"(?:now |since |meanwhile )?(?:replaced|superseded|withdrawn|repealed|rescinded|revoked|ersetzt|aufgehoben|"
    r"zurückgezogen|abrogée?s?|remplacée?s?|derogad[ao]s?|sustituid[ao]s?)\W*"
    r"(?:$|(?:by|on|with|as|from|since|and|durch|seit|am|und|par|depuis|et|por|desde|y)\b)"
)
_NOT_ANY_MORE = (
    r"(?:no longer|nicht mehr|plus|ya no) (?:in force|in effect|in use|valid|applicable|in kraft|gültig|en vigueur|"
    r"valable|vigentes?)\b"
)
_NO_LONGER = re.compile(
    rf"(?:[^\W\d_]{{1,20}}: )?(?:(?:{_THIS} {_IS} )?(?:{_REPLACED}|{_NOT_ANY_MORE})|"
    rf"{_THIS} (?:no longer appl(?:y|ies)|(?:n'est|ne sont|está|están) {_NOT_ANY_MORE})|"
    rf"{_THIS} {_IS} durch .{{1,80}} (?:ersetzt|aufgehoben)\b)",
    re.IGNORECASE,
)
_IN_FORCE = re.compile(
    r"(?:in force|in effect|valid|effective|in kraft|gültig|en vigueur|vigentes?) (?:since|seit|depuis|desde)\b|"
    rf"(?:{_THIS} )?(?:replaces?|supersedes?|takes? the place of|ersetz(?:t|en)|remplace(?:nt)?|sustituyen?)\b",
    re.IGNORECASE,
)
# What is to come replaces nothing yet.
_TO_COME = re.compile(
    r"\b(?:will|shall|draft|proposed|takes? effect|comes? into|wird|werden|entwurf|tritt|entrera|entrará)\b",
    re.IGNORECASE,
)
_OF_THE_DOCUMENT = re.compile(rf"{_THIS}|this is the|{_IN_FORCE.pattern}", re.IGNORECASE)
_PRONOUN = re.compile(r"^(?:it|they|sie|es|elle|il)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


def said_standing(blocks: Sequence[Block]) -> str:
    """What a sentence of the first lines says, such as "This version replaces that of 2024"; empty if none says it."""
    found = before = ""
    for line in [each.text for each in blocks[:_LINES] if isinstance(each, Heading | Paragraph)]:
        for sentence in (each.strip(" *_>[(–-") for each in _SENTENCE.findall(line[:_MOST_CHARACTERS])):
            # After a sentence on the document "it" is the document.
            said = _PRONOUN.sub("this text", sentence) if _OF_THE_DOCUMENT.match(before) else sentence
            if _NO_LONGER.match(said):
                return OUTDATED
            if _IN_FORCE.match(said) and not _TO_COME.search(said):
                found = IN_FORCE
            before = said
    return found
