"""What a message wants read as a whole: "summarise the travel policy", "what happens in 3.4?", "compare X and Y".

The forms are read; what they name is looked up later. A name that no document has makes the message an ordinary
question again, so the forms need not tell "the travel policy" from "the murder".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from msgspec.structs import replace

from cicada.document_routing.naming import scene_in, split_part
from cicada.documents.model import Subject

# Longer messages have more to say than to name what is to be read.
_LONGEST = 300
_X = r"(?P<x>.+?)"
_Y = r"(?P<y>.+?)"
_SHORT = r"(?:(?:very|short|brief|quick|concise|good|one-paragraph|one-page|high-level|executive|detailed)\s+)*"
_COURTESY = re.compile(
    r"^(?:(?:please|pls|hi|hello|hey|thanks|ok|okay|and|so|now|then|bitte|por favor|per favore|s['’]il (?:te|vous) "
    r"pla[iî]t|(?:can|could|would|will) you(?: please)?|(?:kannst|könntest) du(?: bitte)?|(?:peux|pourrais)[- ]tu|"
    r"(?:puedes|podr[ií]as)|(?:puoi|potresti)|(?:voc[eê] pode|pode)|i(?:['’]d| would) like(?: you to)?|i (?:want|need)|"
    r"let['’]s have|give (?:me|us)|show me|tell me|write(?: me)?|make)\b[\s,!]*)+",
    re.IGNORECASE,
)
# Without going back, or a row of full stops before another word would take an exponential time.
_AFTERTHOUGHT = re.compile(
    r"(?:[\s,]+(?:(?:in|with|within)\s+(?:\w+\s+){0,3}(?:words?|sentences?|lines?|paragraphs?|bullet points?|bullets?|"
    r"points?|detail|short|brief|general)|as a whole|overall|briefly|shortly|quickly|please|for me|for us|bitte|"
    r"kurz|por favor|per favore|s['’]il (?:te|vous) pla[iî]t|to me|then|exactly)|[\s.!?？。！]+)++$",
    re.IGNORECASE,
)
_SINGLE = (
    rf"(?:summari[sz]e|sum up|recap|condense|outline|digest|abridge|walk me through)\s+{_X}",
    rf"(?:an?\s+|the\s+)?{_SHORT}(?:summary|overview|outline|synopsis|recap|gist|digest|run-?down|pr[ée]cis|abstract"
    rf"|key points|main points|main ideas|highlights|takeaways)\s+(?:of|for|from|on)\s+{_X}",
    rf"tl;?\s?dr:?\s*(?:of|for)?\s+{_X}",
    rf"what(?:['’]s|\s+is|\s+are)?\s+(?:the\s+)?(?:gist|summary|main points|key points|plot|takeaways)\s+of\s+{_X}",
    rf"what(?:['’]s|\s+is|\s+was|\s+are)\s+{_X}\s+(?:all\s+)?about",
    rf"what\s+(?:does|do|did)\s+{_X}\s+(?:cover|contain|say|deal with|discuss|describe|talk about|consist of)",
    rf"what\s+(?:happens|happened|goes on|takes place|is said|is written|is going on)\s+in\s+{_X}",
    rf"what(?:['’]s|\s+is)\s+(?:going on\s+|happening\s+)?in\s+{_X}",
    # German, French, Spanish, Italian, Portuguese
    rf"fass(?:e|en sie)?\s+(?:mir\s+)?{_X}\s+(?:kurz\s+)?zusammen",
    rf"(?:eine\s+|die\s+)?(?:kurze\s+)?(?:zusammenfassung|übersicht|inhaltsangabe)\s+(?:von|vom|der|des|zu|über)\s+{_X}",
    rf"(?:worum\s+geht(?:\s+es|['’]s)|was\s+passiert|was\s+geschieht|was\s+steht)\s+(?:in|im|bei)\s+{_X}",
    rf"(?:wovon\s+handelt)\s+{_X}",
    rf"(?:r[ée]sum(?:e|er|ez|é)(?:[- ]moi)?)\s+(?:de\s+)?{_X}",
    rf"(?:un\s+|le\s+)?(?:r[ée]sum[ée]|aper[cç]u|synopsis)\s+(?:de\s+|du\s+|des\s+|d['’]){_X}",
    rf"(?:de\s+quoi\s+(?:parle|traite)|que\s+se\s+passe-t-il\s+dans|qu['’]est-ce\s+qui\s+se\s+passe\s+dans|que\s+dit)\s+{_X}",
    rf"(?:resum[eai]r?(?:me)?|res[uú]me(?:me)?|sintetiza)\s+{_X}",
    rf"(?:un\s+|el\s+|um\s+|o\s+|uma\s+)?(?:resumen|resumo|sinopsis|sinopse)\s+(?:de|del|da|do|dos|das)\s+{_X}",
    rf"(?:de\s+qu[eé]\s+(?:trata|va)|qu[eé]\s+(?:pasa|ocurre|sucede)\s+en|qu[eé]\s+dice)\s+{_X}",
    rf"(?:riassum(?:i|imi|ere|a)|sintetizza)\s+{_X}",
    rf"(?:un\s+|il\s+)?(?:riassunto|sommario|sunto)\s+(?:di|del|della|dello|dell['’])\s*{_X}",
    rf"(?:di\s+(?:che\s+)?cosa\s+(?:parla|tratta)|(?:che\s+)?cosa\s+(?:succede|accade)\s+(?:in|nel|nella)|cosa\s+dice)\s+{_X}",
    rf"(?:resum[ae](?:r)?)\s+{_X}",
    rf"(?:do\s+que\s+(?:trata|fala)|sobre\s+o\s+que\s+é|o\s+que\s+(?:acontece|se\s+passa)\s+(?:em|no|na)|o\s+que\s+diz)\s+{_X}",
    # Japanese, Chinese, Korean
    rf"{_X}(?:を|の)(?:短く|簡単に|簡潔に)?(?:要約|まとめ|概要|あらすじ|概略)(?:して|を|は|て)?.*",
    rf"{_X}(?:では|で)(?:は)?(?:何が|なにが)(?:起こ|起き|あり).*",
    rf"{_X}は(?:何|なに)について.*",
    rf"(?:请|請)?(?:总结|總結|概括|概述|归纳)(?:一下)?{_X}",
    rf"{_X}(?:的(?:摘要|概要|大意|内容是什么|主要内容.*)|讲了什么|讲的是什么|说了什么|里发生了什么|中发生了什么|發生了什麼)",
    rf"{_X}(?:을|를|의)?\s*(?:요약|줄거리|개요)(?:해|을|를|은|는)?.*",
    rf"{_X}(?:은|는)\s*무엇에\s*관한.*",
    rf"{_X}에서\s*(?:무슨|어떤)\s*일.*",
)
_COMPARED = (
    rf"(?:compare|contrast)\s+{_X}\s*(?:,|\s)(?:and|with|to|against|versus|vs\.?)\s+{_Y}",
    rf"(?:what(?:['’]s|\s+is|\s+are)?|list|explain|describe)?\s*(?:the\s+)?(?:\w+\s+)?(?:differences?|similarities|comparison)"
    rf"\s+between\s+{_X}\s+and\s+{_Y}",
    rf"how\s+(?:do|does|did|is|are)\s+{_X}\s+(?:differ(?:s|ent)?|compare)\s+(?:from|to|with)\s+{_Y}",
    rf"how\s+(?:do|are)\s+{_X}\s+and\s+{_Y}\s+(?:differ|differ from each other|compare|different)",
    rf"{_X}\s+(?:versus|vs\.?)\s+{_Y}",
    rf"vergleich(?:e|en sie)?\s+{_X}\s+(?:mit|und)\s+{_Y}",
    rf"(?:was\s+ist\s+|was\s+sind\s+)?(?:der|die|den)?\s*unterschiede?\s+zwischen\s+{_X}\s+und\s+{_Y}",
    rf"compar(?:e|er|ez)\s+{_X}\s+(?:et|avec|à)\s+{_Y}",
    rf"(?:quelles?\s+(?:est|sont)\s+)?(?:la|les)?\s*diff[ée]rences?\s+entre\s+{_X}\s+et\s+{_Y}",
    rf"compara(?:r)?\s+{_X}\s+(?:con|y)\s+{_Y}",
    rf"(?:cu[aá]l(?:es)?\s+(?:es|son)\s+)?(?:la|las)?\s*diferencias?\s+entre\s+{_X}\s+y\s+{_Y}",
    rf"(?:confronta|paragona)\s+{_X}\s+(?:con|e)\s+{_Y}",
    rf"(?:qual\s+[eè]\s+|quali\s+sono\s+)?(?:la|le)?\s*differenz[ae]\s+(?:tra|fra)\s+{_X}\s+e\s+{_Y}",
    rf"compar(?:e|ar)\s+{_X}\s+(?:com|e)\s+{_Y}",
    rf"(?:qual\s+é\s+|quais\s+são\s+)?(?:a|as)?\s*diferen[çc]as?\s+entre\s+{_X}\s+e\s+{_Y}",
    rf"{_X}(?:と|、){_Y}(?:を比較|の違い|を比べ|の差).*",
    rf"(?:请|請)?(?:比较|比較|对比)(?:一下)?{_X}(?:和|与|與|跟){_Y}",
    rf"{_X}(?:和|与|與|跟){_Y}(?:有什么|有何|的|之间的)?(?:区别|不同|差异|區別).*",
    rf"{_X}(?:와|과|하고)\s*{_Y}(?:을|를|의)?\s*(?:비교|차이).*",
)
_IN_SHORT = re.compile(
    rf"{_X}[\s,:]+(?:in short|in brief|briefly|in a nutshell|kurz|en bref|en resumen)\W*", re.IGNORECASE
)
_SUMMING_UP = re.compile(
    rf"\b(?:summari[sz]e|sum up|summary|recap|gist|digest|(?:main|key) points|zusammen(?:fassung)?|r[ée]sum\w*|"
    rf"resum\w*|riassu\w*)\b|{_IN_SHORT.pattern}$",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:all|every|each|these|those|them)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:it|this|that|these|them|both|(?:(?:the|this|that) )?(?:document|file|text|script|play|story|book|policy|"
    r"contract|one|whole thing)|es|das|dies|ça|cela|esto|eso|questo|isso|isto|"
    r"これ|それ|この文書|这个|这|它|이것|그것|이 문서)",
    re.IGNORECASE,
)

OF_ITS_FORM = re.compile(
    r"\bwho(?:['’]s)? (?:all |else )?(?:(?:is|are|was|were) )?(?:all |else )?(?:in|there|present|with|on ?stage|"
    r"appears?|speaks?|talks?|enters?|comes? (?:in|on)|opens?|begins?|starts?|ends?|closes?|has|gets)\b"
    r"|\b(?:which|what|how many)(?: (?!do|does|did|can)\w+)? (?:people|persons|speakers?|scenes?|acts?|chapters?|"
    r"roles)\b"
    r"|\bcharacters\b|\b(?:first|last|opening|closing|final) (?:\w+ )?(?:lines?|words?|speech|speaker)\b"
    r"|\bspeaks? (?:first|last)\b"
    r"|\b(?:begins?|opens?|starts?|ends?|closes?|set|takes? place)\b",
    re.IGNORECASE,
)
"""Who is in a scene, and how it is made up: all of it tells that, and not what a search finds."""


def asks_for_summary(message: str) -> bool:
    """Whether a message asks for the contents of one document in fewer words."""
    return _SUMMING_UP.search(message) is not None and _SEVERAL.search(message) is None


def subjects_of(message: str, earlier: Sequence[str] = (), *, of_scripts: bool = False) -> tuple[Subject, ...]:
    """What is to be read as a whole; two of a comparison; none for every other message.

    `earlier`: the user's messages before, oldest first. "It", and a part without its document, are of the document that
    the last of them named which named one; where none did, `Subject.document` stays empty. `of_scripts`: any question
    on a numbered act or scene is read; in other documents such a number may be a version's or an amount.
    """
    named = tuple(_named(message)) or tuple(_scene(message) if of_scripts else ())
    if all(subject.document for subject in named):
        return named
    document = _before(earlier)
    return tuple(subject if subject.document else replace(subject, document=document) for subject in named)


def _before(earlier: Sequence[str]) -> str:
    """The document that was named last."""
    found = (subject.document for message in reversed(earlier) for subject in _named(message) if subject.document)
    return next(found, "")


def _named(message: str) -> Iterator[Subject]:
    said = " ".join(message.split())
    plain = _COURTESY.sub("", said) if len(said) <= _LONGEST else ""
    asked = _AFTERTHOUGHT.sub("", plain)
    if not asked:
        return
    for form in _forms(_COMPARED):
        if found := form.fullmatch(asked):
            yield from _pair(_subject(found["x"]), _subject(found["y"]))
            return
    for form in _forms(_SINGLE):
        if found := form.fullmatch(asked):
            yield _subject(found["x"])
            return
    if found := _IN_SHORT.fullmatch(plain):
        yield _subject(found["x"])


def _scene(message: str) -> Iterator[Subject]:
    section, document = scene_in(" ".join(message.split())) if len(message) <= _LONGEST else ("", "")
    if section:
        yield Subject("" if _PRONOUN.fullmatch(document) else document, section, not OF_ITS_FORM.search(message))


@cache
def _forms(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def _subject(words: str) -> Subject:
    section, document = split_part(words)
    return Subject("" if _PRONOUN.fullmatch(document) else document, section)


def _pair(one: Subject, other: Subject) -> tuple[Subject, Subject]:
    """The document that one names is the other's too, if that is only a part: "act 1 and act 2 of Hamlet"."""
    return (
        Subject(one.document or (other.document if one.section else ""), one.section),
        Subject(other.document or (one.document if other.section else ""), other.section),
    )
