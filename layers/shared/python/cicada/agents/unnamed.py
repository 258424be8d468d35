"""A message that asks to see the profile or theory that was just spoken of, and does not name it: "what's in it?"."""

from __future__ import annotations

import re
from functools import cache

_LONGEST = 80
_LEADS = r"(?:(?:ok|okay|so|and|now|then|great|thanks|please|fine|good|alright|cool|und|et|y|e)\b,? )*"
_TAILS = (
    r"(?: (?:now|so far|again|please|then|at the moment|right now|exactly|currently|jetzt|bitte|nun|maintenant|ahora"
    r"|adesso|agora))*"
)
_MARKS = " .!?¿¡。？！…"
_ASKED = r"""
what(?:'?s| is| was) (?:all )?(?:written |written down )?(?:in|inside|on) (?:it|there|this)
what(?:'?s| is| was) (?:all )?(?:written(?: there| down)?|there)
what (?:exactly )?(?:does|did) it (?:all )?(?:say|read|contain|look like)
what do (?:i|we|you) have (?:in|under|on) it
how does (?:it|that) (?:read|look)
(?:can|could|may) (?:i|we) (?:see|read|have a look at) it
let(?:'?s| me| us) (?:see|read|have a look at|look at) (?:it|what it says|what'?s in it)
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


def asks_to_see_it(message: str) -> bool:
    """Whether the message asks for nothing but to see what "it" says. What "it" is, the turns before must tell."""
    plain = " ".join(message.replace("’", "'").lower().split()).strip(_MARKS)
    return len(plain) <= _LONGEST and _pattern().fullmatch(plain) is not None


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"{_LEADS}(?:{'|'.join(_ASKED.strip().splitlines())}){_TAILS}")
