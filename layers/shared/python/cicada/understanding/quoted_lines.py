"""A message about a line of a script that the last answer quoted, or about its scene.

"And what does she answer?", "to whom?", "what comes before that?" are told by the line and those around it; "who else
is in that scene?" and "and in the next one?" by the scene. What is sought in a question for a scene, and whether one is
for words that it quotes, is read here too.
"""

from __future__ import annotations

import re

from cicada.text import QUOTATION
from cicada.understanding.subjects import OF_ITS_FORM

_LONGEST = 100
_LEAD = r"(?:(?:and|but|so|then|ok|okay|well|now|please|also)\b[ ,]*+)*+"
_THAT = r"(?:that|this|it|these words|those words|th(?:e|at|is) (?:line|speech|quote|sentence))"
_SOMEBODY = r"(?:the |lady |lord |king |queen |first |second |third |old |young )?[\w'’]+"
_SAID = (
    rf"(?: (?:to|about|before|after|with) {_THAT}| (?:to )?(?:him|her|them)| back| then| next| in (?:reply|response))*+"
)
_WHERE = r"(?: (?:in the play|in|from|said|spoken|stand|come|found|taken))*+"
_SAYING = r"(?:say|said|saying|speak|speaking|talk|talking|addressed)"
_OF_A_LINE = (
    rf"(?:what|how) (?:does|do|did|is) {_SOMEBODY} (?:then )?(?:answer|reply|respond|retort|react){_SAID}",
    rf"what (?:does|do|did) {_SOMEBODY} (?:then )?say(?! (?:to )?(?:him|her|them)$)(?= ){_SAID}",
    rf"what(?:['’]s| is| was) (?:the|his|her|their) (?:answer|reply|response){_SAID}",
    r"what else (?:does|did) (?:he|she) say",
    r"(?:what|which line)(?: (?:comes|happens|follows|goes|stands|is said|was said))?(?: right| just)? "
    rf"(?:next|before|after)(?: {_THAT})?",
    r"(?:what(?:['’]s| is| was) |read |quote )?the (?:next|following|previous|preceding) "
    r"(?:lines?|sentences?|speech|words)",
    rf"(?:what(?:['’]s| is| was) )?the (?:lines?|sentence|speech) (?:right |just )?(?:before|after) {_THAT}",
    rf"how does {_THAT} (?:go on|continue)",
    rf"(?:who|which of them) (?:actually |is it that )?(?:says|said|speaks|spoke|is speaking)(?: {_THAT})?",
    rf"whose (?:line|words) (?:is|are|was|were) {_THAT}",
    rf"(?:to whom|who to)(?: (?:is|was|does|did) {_SOMEBODY}(?: {_SAYING})?(?: {_THAT})?)?",
    rf"whom? (?:is|was|does|did) {_SOMEBODY} {_SAYING}(?: {_THAT})? to",
    rf"(?:in |from )?(?:which|what) (?:act|scene|act and scene)(?: (?:is|was) {_THAT}{_WHERE})?",
    rf"where (?:is|was|does) {_THAT} (?:from|said|spoken|stand|in the play){_WHERE}",
)
_LINE = re.compile(rf"{_LEAD}(?:{'|'.join(_OF_A_LINE)})[ ?.!]*+", re.IGNORECASE)
_SCENE_AFTER = re.compile(
    r"\b(?:next|following) (?:scene|one)\b|\b(?:scene|one)(?: (?:right|just|directly))? after\b|\bscene that follows\b",
    re.IGNORECASE,
)
_SCENE_BEFORE = re.compile(
    r"\b(?:previous|preceding) (?:scene|one)\b|\b(?:scene|one)(?: (?:right|just|directly))? before\b", re.IGNORECASE
)
_THAT_SCENE = re.compile(r"\b(?:that|this|the|same) scene\b|\bin (?:it|that|this)\b", re.IGNORECASE)
_LEAST_QUOTED = 3  # words; a shorter quotation may be a title or a nickname
_ASKS_WHO_SAYS = re.compile(
    r"\b(?:who|whom|whose|which|where)\b.*\b(?:says?|said|speaks?|spoken?|lines?|words?)\b", re.IGNORECASE
)
# "Which scene of Hamlet is the one in the graveyard": plays speak of scenes and acts themselves, in other senses.
_ASKS_WHICH_SCENE = re.compile(
    r"^\W*(?:(?:and|so|please|tell me)\b\W*)*(?:in |at |from )?(?:which|what) (?:act|scene)s?(?:(?:,? and | or )scene)?"
    r"(?P<of>(?: of| in| from) (?:the play )?[\w'’]+)?(?: (?:is it(?: that| where)?|"
    r"is the one (?:with|in|of|where|that)|is|are|was|do|does|did|has|have|shows?|contains?|features?))?\b",
    re.IGNORECASE,
)
_STILL_OF_SCENES = re.compile(r"\bscene\b|\b(?:in|from)\W*$|\?", re.IGNORECASE)


def is_of_a_line(message: str) -> bool:
    """Whether the message asks for nothing but who says a line, to whom and where, or for what stands beside it."""
    return len(message) <= _LONGEST and _LINE.fullmatch(" ".join(message.split())) is not None


def scene_meant(message: str) -> int | None:
    """Which scene the message asks about, counted from that of the line: 0, 1 for the next, -1 for the one before it.

    None of other messages.
    """
    if len(message) > _LONGEST:
        return None
    if _SCENE_AFTER.search(message):
        return 1
    if _SCENE_BEFORE.search(message):
        return -1
    return 0 if _THAT_SCENE.search(message) and OF_ITS_FORM.search(message) else None


def sought_scene(message: str) -> str:
    """What is sought in a question for a scene or an act, without the words for that; empty of other messages."""
    found = _ASKS_WHICH_SCENE.match(message)
    rest = " ".join(_STILL_OF_SCENES.sub("", message[found.end() :]).split()) if found else ""
    return f"{rest}{found['of'] or ''}" if found and rest else ""


def asks_of_words(message: str) -> bool:
    """Whether the message quotes words and asks who says them, or where."""
    quoted = any(len(each.split()) >= _LEAST_QUOTED for each in QUOTATION.findall(message))
    return quoted and _ASKS_WHO_SAYS.search(QUOTATION.sub(" ", message)) is not None
