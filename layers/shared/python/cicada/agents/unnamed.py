"""Messages that read what the user keeps and do not say so: "what's in it?", "and what contradicts it?"."""

from __future__ import annotations

import re
from functools import cache

_LONGEST = 80
_LEADS = r"(?:(?:ok|okay|so|and|now|then|great|thanks|please|fine|good|alright|cool|und|et|y|e)\b,? )*"
_TAILS = (
    r"(?: (?:now|so far|by now|already|again|please|then|at the moment|right now|exactly|currently|jetzt|bitte|nun"
    r"|maintenant|ahora|adesso|agora))*"
)
_MARKS = " .!?¿¡。？！…"
_ASKED = r"""
what(?:'?s| is| was) (?:all )?(?:written |written down )?(?:in|inside|on) (?:it|there|this)
what(?:'?s| is| was) (?:all )?(?:written(?: there| down)?|there)
what (?:exactly )?(?:does|did) it (?:all )?(?:say|read|contain|look like)
what do (?:i|we|you) have (?:in|under|on|about) (?:it|him|her|them)
what have (?:i|we|you) (?:got|written|noted|kept|saved)(?: down)?(?: (?:in|under|on|about|of|for) (?:it|him|her|them))?
how does (?:it|that) (?:read|look)
(?:can|could|may) (?:i|we) (?:see|read|have a look at) it
let(?:'?s| me| us) (?:see|read|have a look at|look at) (?:it|what it says|what'?s in it)
(?:show|read)(?: me| us)? what (?:i|we|you)(?:'ve| have) got(?: there| on (?:it|him|her|them))?
(?:show|read|display|print|repeat)(?: me| us)? it(?: back| out)?(?: aloud)?(?: to (?:me|us))?
was steht (?:da |denn |jetzt |nun |dort )*(?:drin|darin|drauf|da|dort)
zeige? (?:mir )?(?:es|sie|ihn)(?: mir)?
lies (?:mir )?(?:es|sie|ihn)(?: mir)? vor
qu'(?:est-ce qu'il y a|y a-t-il) (?:dedans|dessus|là-dedans)
(?:que dit-(?:elle|il)|qu'est-ce qu'(?:elle|il) dit)
(?:montre|montrez|lis|lisez)-l[ea](?:-moi)?
qué (?:pone|dice|hay)(?: ahí| dentro| allí| en él| en ella)?
(?:muéstramel|enséñamel|léemel|muéstral)[oa]
(?:che )?cosa (?:c'è (?:scritto|dentro)|dice|contiene)(?: lì| dentro)?
(?:mostramel|leggimel)[oa]
o que (?:diz|está escrito)(?: lá| aí| nele| nela)?
(?:mostra|lê)-m[oa]
(?:そこに(?:は)?|中に(?:は)?)?(?:何|なん|なに)(?:が|て|と)?(?:書いて(?:ある|あります)|書かれて(?:いる|います))(?:の|か|んですか)*
(?:それを)?(?:見せて|表示して|読んで)(?:ください)?
(?:里面|上面|那里|现在)*(?:写了|写的是|写着|有)(?:些)?什么(?:内容)?
(?:뭐라고|뭐가) (?:쓰여|적혀) ?있(?:어|어요|나요|습니까)
"""

_WEIGHS = re.compile(
    r"\b(?:contradict\w*|support\w*|(?:dis)?prove[sn]?|evidence|proof|against|in favou?r|other way a?round|other side"
    r"|the opposite|the reverse|vice versa)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 9
_SAYS = re.compile(
    r"(?:so |and |ok |now )*what (?:do|does|did) (?:my |the )?(?:theory )?(?P<name>.+?)"
    r" (?:say|read|claim|contain|state)[ .?!]*",
    re.IGNORECASE,
)
_OWN_WORDS = re.compile(
    r"\bi(?:['’]ve| have)? (?:said|wrote|written|noted|jotted|put down)\b|\bdid i (?:say|write|note|jot|put down)\b",
    re.IGNORECASE,
)


def weighs_it(message: str) -> bool:
    """Whether the message asks what speaks for or against "it", or for the other side, and names nothing."""
    said = message.split()
    names = any(each[:1].isupper() and each != "I" for each in said[1:])
    return len(said) <= _MOST_WORDS and not names and ":" not in message and bool(_WEIGHS.search(message))


def asked_to_read(message: str) -> str:
    """The words for the entry of which a message asks what it says: "what does Half-true Madness say?"."""
    found = _SAYS.fullmatch(message.strip())
    return found["name"].strip() if found else ""


def asks_own_words(message: str) -> bool:
    """Whether the message asks what the user wrote: "remind me who I said plays the boy"."""
    return bool(_OWN_WORDS.search(message)) and not message.strip().lower().startswith(("i ", "as i ", "like i "))


def asks_to_see_it(message: str) -> bool:
    """Whether the message asks for nothing but to see what "it" says. What "it" is, the turns before must tell."""
    plain = " ".join(message.replace("’", "'").lower().split()).strip(_MARKS)
    return len(plain) <= _LONGEST and _pattern().fullmatch(plain) is not None


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"{_LEADS}(?:{'|'.join(_ASKED.strip().splitlines())}){_TAILS}")
