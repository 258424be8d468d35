"""A message as the classifier reads it, and what is certain without a model: greetings, thanks and sums."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from msgspec import Struct

# A long message says what it wants at its beginning or its end.
_HEAD_CHARACTERS = 240
_TAIL_CHARACTERS = 120
_QUOTATION_MARKS = "«»“”„‟「」『』《》〈〉"
_ASCII = str.maketrans(dict.fromkeys("’‘`´", "'") | dict.fromkeys(_QUOTATION_MARKS, '"'))
_QUOTATION = re.compile(r'"[^"]{1,300}"|(?<!\w)\'[^\']{2,80}\'(?!\w)')
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s]")
_SPACE = re.compile(r"\s+")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")


class Reading(Struct, frozen=True):
    """`text`: in lower case, white space as one space. `unquoted`: the same, each quotation as one mark.

    `words`: words and marks of the unquoted text as they are spelled. `is_ideographic`: words are not separated by
    spaces everywhere (Japanese, Chinese) or carry endings (Korean).
    """

    text: str
    unquoted: str
    words: tuple[str, ...]
    is_ideographic: bool


def read(message: str) -> Reading:
    """Every text has a reading; an empty one has no words."""
    plain = _SPACE.sub(" ", unicodedata.normalize("NFKC", _shortened(message)).translate(_ASCII)).strip()
    unquoted = _without_quotations(plain)
    return Reading(plain.lower(), unquoted.lower(), tuple(words_of(unquoted)), _IDEOGRAPHS.search(plain) is not None)


def words_of(text: str) -> list[str]:
    """Words and marks as they are spelled."""
    return _WORD.findall(text)


def is_ideograph(character: str) -> bool:
    return character > "\u2fff" and _IDEOGRAPHS.match(character) is not None


def _shortened(message: str) -> str:
    if len(message) <= _HEAD_CHARACTERS + _TAIL_CHARACTERS:
        return message
    return f"{message[:_HEAD_CHARACTERS]} {message[-_TAIL_CHARACTERS:]}"


def _without_quotations(text: str) -> str:
    """What is quoted is not what is asked, unless the message is nothing but a quotation."""
    rest = _QUOTATION.sub('"', text)
    return text if rest.strip() == '"' else rest


_LONGEST = 60
_PHRASES = """
hi, hello, hey, hiya, howdy, yo, good morning, good afternoon, good evening, good night, morning, evening, hi there,
hello there, hey there, greetings, how are you, how are you doing, how's it going, what's up, sup, bye, bye bye,
goodbye, ta, see you, see you later, see you tomorrow, see ya, cheers, thanks, thanks a lot, thanks so much,
many thanks, thank you, thank you so much, thank you very much, thx, thx a lot, ty, tysm, much appreciated, ok, okay,
great, perfect, awesome, nice, cool, lovely, wonderful, excellent, brilliant, well done, good job, good bot, wow, haha,
lol, again, everyone, all, that's all, thats all, that is all, that was all, that's it, that was it, for now, for today,
i needed, i wanted, i wanted to know, for your help, for the help, very helpful, that helps, that helped
hallo, guten morgen, guten tag, guten abend, gute nacht, moin, servus, grüß gott, danke, danke schön, dankeschön,
vielen dank, danke dir, tschüss, tschüß, auf wiedersehen, bis bald, bis morgen, super, toll, prima, wie geht's,
wie geht es dir, wie geht es ihnen
bonjour, bonsoir, salut, coucou, bonne nuit, bonne journée, merci, merci beaucoup, mille mercis, au revoir, à bientôt,
à demain, ça va, comment ça va, comment vas-tu, comment allez-vous, génial, parfait
hola, buenos días, buenas tardes, buenas noches, buenas, gracias, muchas gracias, mil gracias, adiós, hasta luego,
hasta mañana, qué tal, cómo estás, genial, perfecto
ciao, buongiorno, buonasera, buonanotte, salve, grazie, grazie mille, arrivederci, a domani, a presto, come stai,
come va, perfetto, ottimo
oi, olá, ola, bom dia, boa tarde, boa noite, obrigado, obrigada, muito obrigado, muito obrigada, valeu, tchau,
até logo, até mais, até amanhã, tudo bem, e aí, perfeito, ótimo
こんにちは, こんばんは, おはよう, おはようございます, おやすみ, おやすみなさい, ありがとう, ありがとうございます,
ありがとうございました, どうも, さようなら, またね, はじめまして, お疲れ様, お疲れさま, お疲れ様です
你好, 您好, 大家好, 早上好, 下午好, 晚上好, 早安, 晚安, 谢谢, 谢谢你, 谢谢您, 多谢, 非常感谢, 再见, 拜拜, 在吗, 嗨
안녕, 안녕하세요, 안녕히 계세요, 안녕히 가세요, 고마워, 고마워요, 고맙습니다, 감사합니다, 감사해요, 잘 자, 잘자,
좋은 아침, 반가워, 반갑습니다
"""
_NUMBER = r"-?\d[\d.,]*"
_OPERATION = (
    r"\s-\s|\s*[+*/x×÷^]\s*|\s*%\s*(?:of|von|de|di)\s|\s(?:plus|minus|times|divided by|mal|geteilt durch|fois|moins|por"
    r"|más|menos|vezes|mais|per|più|meno|diviso)\s|\s*[加减乘除]\s*"
)
_SUM = re.compile(
    r"(?:(?:please|calculate|compute|what(?:['’]?s| is)|how much is|was ist|wie ?viel (?:ist|sind)"
    r"|combien (?:font|fait)|cuánto (?:es|son)|quanto (?:è|é|fa|fanno))\s+)*"
    rf"{_NUMBER}(?:(?:{_OPERATION}){_NUMBER})+\s*=?[\s?？.!]*",
    re.IGNORECASE,
)


def is_small_talk(message: str) -> bool:
    """Whether the message has greetings and thanks and no other word, or is a sum: "What is 17 times 4?".

    An empty one and one of mere marks has no other word.
    """
    return len(message) <= _LONGEST and (
        _pattern().fullmatch(read(message).text) is not None or _SUM.fullmatch(message.strip()) is not None
    )


@cache
def _pattern() -> re.Pattern[str]:
    phrases = sorted(re.split(r",\s*|\n", _PHRASES.strip()), key=len, reverse=True)
    alternatives = "|".join(re.escape(phrase) + _boundary(phrase) for phrase in phrases if phrase)
    return re.compile(rf"[\W_]*(?:(?:{alternatives})[\W_]*)*")


def _boundary(phrase: str) -> str:
    """Nothing must follow a word of the languages that separate words."""
    return "" if is_ideograph(phrase[0]) else r"(?![^\W_])"
