"""A message as words and topics, and the words that a follow-up is recognised by, language by language.

A language without cues here has no follow-ups: its messages are searched for as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from cicada.languages.terms import STEMMED, stop_words

_TOKEN = re.compile(r"\"[^\"\n]{2,80}\"|[^\W_]+(?:['.&-][^\W_]+)*|[?!.;:,()]")
_ASCII = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"'}
)
_INVERTED = re.compile(r"-(?:t-)?(?=(?:ils?|elles?|on)\b)", re.IGNORECASE)
_ELIDED = re.compile(r"\b(?:qu|[cdjlmnst]|(?:de|nei|da|su|ne)?ll|un)'(?=\w)", re.IGNORECASE)
_SENTENCE_ENDS = frozenset("?!.;:")
_SCRIPT = (
    ("ja", re.compile(r"[\u3041-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s", "e", "y")
# The least letters of a word that are compared.
_LEAST = 3


class Word(Struct, frozen=True):
    """`text` as it is written, `key` in lower case without a possessive; `named`: written like a proper name.

    `telling`: it says something of the topic. `begins` and `ends` a sentence or clause.
    """

    text: str
    key: str
    named: bool
    telling: bool
    begins: bool
    ends: bool


class Place(Struct, frozen=True):
    """Where a word stands. `shouted`: in a message whose capitals tell nothing."""

    begins: bool
    ends: bool
    shouted: bool


class Topic(Struct, frozen=True):
    """Words that stand together and say something, such as "Macbeth's wife"; `named`: a proper name is among them."""

    text: str
    keys: tuple[str, ...]
    named: bool


class Reading(Struct, frozen=True):
    """A message in one language. `cues` is None for scripts without spaces, whose words are not told apart."""

    text: str
    language: str
    cues: Cues | None
    words: tuple[Word, ...]
    topics: tuple[Topic, ...]

    @property
    def names(self) -> tuple[Topic, ...]:
        return tuple(topic for topic in self.topics if topic.named)

    @property
    def telling(self) -> int:
        """How many words say something of a topic."""
        return sum(word.telling for word in self.words)


def language_of(messages: Iterable[str], likely: str = "en") -> str:
    """The language with most words of its own in the messages, in doubt the likely one; Asian ones by their script."""
    text = " ".join(messages).lower().translate(_ASCII)
    for language, script in _SCRIPT:
        if script.search(text):
            return language
    words = re.findall(r"[^\W\d_]{2,}(?:'[^\W\d_]+)*", text)

    def own(language: str) -> int:
        cues = CUES.get(language)
        return sum(word in cues.asking or word in cues.again for word in words) if cues else 0

    return max([likely, *CUES], key=own)


def read(message: str, language: str) -> Reading:
    """The message's words and topics."""
    if language in SCRIPTS:
        return Reading(message, language, None, (), tuple(_pieces(message, language)))
    cues = CUES[language]
    words = tuple(_words(_apart(message, language), cues, function_words(language)))
    return Reading(message, language, cues, words, tuple(_topics(words)))


def speaks_to_the_assistant(message: str) -> bool:
    """Whether the message has a word for the assistant and no word that says something of a topic: "Who are you?"."""
    language = language_of([message])
    if language in SCRIPTS:
        return False
    keys = {word.key for word in read(message, language).words}
    return bool(keys & YOU) and keys <= function_words(language)


def stem(word: str) -> str:
    """Enough of a word to tell that two forms are of the same word; it need not be a word itself."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word[: -len(ending)]
    return word


def _pieces(message: str, language: str) -> Iterator[Topic]:
    for piece in SCRIPTS[language].empty.split(message):
        if piece and piece.strip():
            yield Topic(piece.strip(), (piece.strip(),), named=False)


def _apart(message: str, language: str) -> str:
    """The words that French and Italian write together with a pronoun or an article, such as "est-elle"."""
    plain = message.translate(_ASCII)
    return _ELIDED.sub(" ", _INVERTED.sub(" ", plain)) if language in ("fr", "it") else plain


@cache
def function_words(language: str) -> frozenset[str]:
    """The words of a language with cues that say nothing of a topic by themselves."""
    cues = CUES[language]
    own = cues.person | cues.thing | cues.pointing | cues.comparing | cues.joining | cues.definite | cues.asking
    return own | stop_words(STEMMED[language])


def _words(message: str, cues: Cues, function_words: frozenset[str]) -> Iterator[Word]:
    tokens: Sequence[str] = _TOKEN.findall(message)
    shouted = _shouted(tokens)
    begins = True
    for at, token in enumerate(tokens):
        if token[0] in "?!.;:,()":
            begins = begins or token in _SENTENCE_ENDS
            continue
        ends = at + 1 == len(tokens) or tokens[at + 1][0] in "?!.;:,()"
        yield _word(token, cues, function_words, Place(begins, ends, shouted))
        begins = False


def _word(token: str, cues: Cues, function_words: frozenset[str], place: Place) -> Word:
    if token[0] == '"':
        return Word(token.strip('"'), token.strip('"').lower(), True, True, place.begins, place.ends)
    key = token.lower().removesuffix("'s")
    capital = token[0].isupper() and key != "i" and not place.shouted
    telling = key not in function_words and (len(key) > 1 or key.isdigit())
    if key in cues.empty | cues.correcting and (place.begins or not capital):
        telling = False
    return Word(token, key, capital and telling, telling, place.begins, place.ends)


def _shouted(tokens: Sequence[str]) -> bool:
    """Whether capitals tell nothing, because nearly every word has one."""
    words = [token for token in tokens if token[0].isalpha()]
    return len(words) > 3 and sum(word[0].isupper() for word in words) >= 0.8 * len(words)


def _topics(words: Sequence[Word]) -> Iterator[Topic]:
    group: list[Word] = []
    for word in words:
        if group and not _joins(group[-1], word):
            yield _topic(group)
            group = []
        if word.telling:
            group.append(word)
    if group:
        yield _topic(group)


def _joins(last: Word, word: Word) -> bool:
    """Names join names; after a possessive the thing that is owned joins."""
    if not word.telling or word.begins or last.ends:
        return False
    return last.named == word.named or last.text.endswith("'s")


def _topic(group: Sequence[Word]) -> Topic:
    return Topic(" ".join(word.text for word in group), tuple(word.key for word in group), any(w.named for w in group))


class Cues(Struct, frozen=True):
    """One language's words, in lower case.

    `person` and `thing`: pronouns and possessives of the third person. `object`: those of `person` that are never the
    subject; `either`: those that are an object at the end of a clause and possessive elsewhere. `pointing`:
    demonstratives. `comparing`: words that ask for more of the same ("other", "else"). `openings`: what comes before a
    name that the last question is asked again about ("what about"), behind words of `joining` or without them.
    `joining`: words that join a message to the last one ("and"). `definite` and `indefinite`: articles. `clauses`:
    words that begin another clause. `idle`: words after a `thing` that means nothing ("does it snow?"). `asking`:
    question words and others that tell the languages apart. `correcting`: words that take back what was said before ("I
    meant"). `again`: words that ask for the last answer in another form, or for a part of it. `people`: nouns for
    persons. `empty`: words that say nothing of a topic.
    """

    person: frozenset[str]
    thing: frozenset[str]
    pointing: frozenset[str]
    comparing: frozenset[str]
    openings: tuple[tuple[str, ...], ...]
    joining: frozenset[str]
    definite: frozenset[str]
    indefinite: frozenset[str]
    clauses: frozenset[str]
    asking: frozenset[str]
    correcting: frozenset[str]
    again: frozenset[str]
    people: frozenset[str]
    empty: frozenset[str]
    object: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()


class Script(Struct, frozen=True):
    """A language written without spaces between words, or with particles at their ends.

    `referring` finds a pronoun, a demonstrative or an elliptic question; `empty` cuts a message into topic words.
    """

    referring: re.Pattern[str]
    empty: re.Pattern[str]


def _cues(**words: str) -> Cues:
    openings = tuple(tuple(each.split()) for each in words.pop("openings").split(";"))
    return Cues(openings=openings, **{name: frozenset(text.split()) for name, text in words.items()})


YOU = frozenset(["you", "your", "du", "dir", "tu", "te", "vous", "usted", "você", "你", "あなた"])
"""Words for the assistant."""

CUES = {
    "en": _cues(
        person="he she him her his hers himself herself",
        thing="it its itself they them their theirs themselves",
        object="him himself herself",
        either="her",
        pointing="this that these those there then such",
        comparing="other others else another same instead former latter",
        openings="what about;how about;what of;same for;the same for;same with;the same with",
        joining="and but or also so then",
        definite="the",
        indefinite="a an",
        clauses="after before when while because if since until though unless what why how who where",
        idle="take takes took taken true possible snow snows rain rains matter seem seems likely common",
        asking="who whom whose what which when where why how did does do is are was were can could will would has "
        "have the a an of",
        correcting="no nope not sorry meant mean actually rather",
        again="short shorter shorten brief briefly long longer simple simpler simply easier plain summarise summarize "
        "summary rephrase repeat explain elaborate clarify expand detail details detailed example examples say said "
        "says tell means happen happened happens next please thanks sure ok okay come comes quote exactly source "
        "sources sentence sentences word words english german french spanish translate show open read number document "
        "passage result item full one",
        people="man woman husband wife mother father son daughter brother sister king queen prince princess lord lady "
        "doctor boy girl child author president teacher uncle aunt friend actor actress writer singer player god "
        "goddess ghost soldier captain leader emperor pope general judge poet composer director inventor founder "
        "scientist nurse patient manager employee customer owner murderer messenger",
        empty="tell know means explain explained give gives given information info please thanks thank happen happens "
        "happened happening say says said saying think thinks thought want wants wanted like likes many much able "
        "may might shall must ok okay yes really let ask asked asking question answer interested curious wonder "
        "wondering get gets got go goes went come comes came make makes made making use used using take takes took "
        "taken see sees saw look looks call calls called name named names thing things something anything someone "
        "anyone people person way ways kind kinds type types sort lot lots time times good bad great still even yet "
        "well always never ever often usually today long far big small new old different similar less least first "
        "second third last next previous back right wrong true difference example examples reason reasons describe "
        "discuss clarify find found help work works become becomes became keep put try need needs show shows clear "
        "sure oh hi hello hey wow cool nice speaking regarding concerning besides within without upon whether "
        "although though however therefore us everything nothing every everyone nobody none part parts fact facts "
        "story detail details bit little point idea anyway whole end sad god amazing surprised happy glad love lets "
        "that's it's what's who's one ones",
    ),
    "de": _cues(
        person="er ihn ihm ihr ihre ihrer ihren ihrem sein seine seiner seinen seinem",
        thing="es sie ihnen dessen deren",
        object="ihn ihm ihnen",
        pointing="dies diese dieser dieses diesem diesen jene jener das da dort dann damit dafür dazu davon darin "
        "darüber danach davor",
        comparing="andere anderer anderes anderen sonst ebenso dasselbe derselbe dieselbe gleiche",
        openings="was ist mit;wie ist es mit;wie steht es mit;wie sieht es mit;dasselbe für",
        joining="und aber oder auch also dann",
        definite="der die das den dem des",
        indefinite="ein eine einen einem einer",
        clauses="nachdem bevor wenn während weil ob seit bis obwohl was warum wie wer wo",
        idle="gibt dauert dauerte stimmt wahr möglich schneit regnet scheint",
        asking="wer wen wem wessen was welche welcher welches wann wo warum wieso weshalb wie ist sind war waren hat "
        "haben wird der die das ein eine von",
        correcting="nein nicht sorry entschuldigung meinte meine sondern doch",
        again="kurz kürzer knapper länger einfach einfacher ausführlicher genauer nochmal erklär erkläre erklären "
        "zusammen fasse sag sagt sagte mehr bitte danke beispiel quelle nummer passiert deutsch englisch zeig",
        people="mann frau mutter vater sohn tochter bruder schwester könig königin prinz arzt ärztin freund freundin",
        empty="sagen sagt sagte gibt geben macht machte passiert passierte geschieht geschah heißt bedeutet mehr "
        "bitte danke erzähl erzähle erkläre viele gut ja ok schon mal eigentlich genau",
    ),
    "fr": _cues(
        person="il elle lui son sa ses",
        thing="ils elles le la les leur leurs y en",
        object="lui",
        pointing="ce cet cette ces cela ça celui celle ceux celles là alors",
        comparing="autre autres sinon même mêmes",
        openings="quant à;qu'en est-il de;pareil pour;la même chose pour",
        joining="et mais ou aussi donc alors",
        definite="le la les l",
        indefinite="un une des",
        clauses="après avant quand lorsque pendant parce si depuis pourquoi comment qui où",
        idle="faut",
        asking="qui que quoi quel quelle quels quelles quand où pourquoi comment combien est sont était qu'est-ce "
        "est-ce a-t-il le la les un une des du de",
        correcting="non pardon désolé voulais dire plutôt",
        again="court courte bref brièvement simple simplement détail détails explique expliquez dit plus exemple "
        "source passe encore résume répète français anglais numéro merci",
        people="homme femme mari mère père fils fille frère sœur roi reine prince médecin ami amie auteur",
        empty="dit disent fait faire font passe arrive arrivé signifie merci plaît s'il plus beaucoup bien oui encore "
        "parle parlez explique donne donner appelle",
    ),
    "es": _cues(
        person="él ella le su sus suyo suya",
        thing="ellos ellas lo los las les",
        object="le lo",
        pointing="este esta esto estos estas ese esa eso esos esas aquel aquella aquello allí ahí entonces",
        comparing="otro otra otros otras mismo misma además",
        openings="qué hay de;qué pasa con;lo mismo para",
        joining="y e pero o también entonces",
        definite="el la los las",
        indefinite="un una unos unas",
        clauses="después antes cuando mientras porque si desde hasta aunque qué cómo quién dónde",
        asking="quién quiénes qué cuál cuáles cuándo dónde por cómo cuánto cuántos es son era fue el la los las un "
        "una de del",
        correcting="no perdón quería quise decir sino",
        again="corto breve brevemente simple detalle detalles explica dijo ejemplo fuente pasa repite resume inglés "
        "español número gracias",
        people="hombre mujer marido esposa esposo madre padre hijo hija hermano hermana rey reina príncipe médico "
        "amigo",
        empty="dice dijo hace hacer hizo pasa pasó ocurre significa gracias favor bien todavía cuéntame explica da "
        "dar llama",
    ),
    "pt": _cues(
        person="ele ela lhe seu sua seus suas dele dela",
        thing="eles elas deles delas",
        object="lhe",
        pointing="este esta isto estes estas esse essa isso esses essas aquele aquela aquilo disso nisso lá aí então",
        comparing="outro outra outros outras mesmo mesma além",
        openings="quanto a;quanto ao;quanto à;sobre;o mesmo para",
        joining="e mas ou também então",
        definite="o a os as",
        indefinite="um uma uns umas",
        clauses="depois antes quando enquanto porque se desde até embora como quem onde",
        asking="quem que quê qual quais quando onde porquê por como quanto quantos é são era foi o a os as um uma do "
        "da de",
        correcting="não desculpa quis queria dizer",
        again="curto breve simples detalhe detalhes explique disse exemplo fonte acontece repita resuma inglês "
        "português número obrigado",
        people="homem mulher marido esposa esposo mãe pai filho filha irmão irmã rei rainha príncipe médico amigo",
        empty="diz disse faz fazer fez acontece aconteceu significa obrigado obrigada favor muitos bem sim ainda "
        "conte explique dá dar chama",
    ),
    "it": _cues(
        person="lui lei gli suo sua suoi sue egli ella",
        thing="esso essa essi loro lo ne ci",
        object="gli lo",
        pointing="questo questa questi queste quello quella quelli quelle ciò lì là allora",
        comparing="altro altra altri altre stesso stessa inoltre",
        openings="per quanto riguarda;che ne è di;che dire di;invece;lo stesso per",
        joining="e ed ma o anche allora",
        definite="il lo la i gli le l",
        indefinite="un una uno",
        clauses="dopo prima quando mentre perché se finché come chi dove",
        asking="chi che cosa quale quali quando dove perché come quanto quanti è sono era fu il lo la i gli le un una "
        "di del della",
        correcting="no scusa intendevo volevo dire",
        again="breve semplice dettaglio dettagli spiega disse esempio fonte succede ripeti riassumi inglese italiano "
        "numero grazie",
        people="uomo donna marito moglie madre padre figlio figlia fratello sorella re regina principe medico amico",
        empty="dice disse fa fare succede successo accade significa grazie favore molto molti bene sì ancora dimmi "
        "spiega dà dare chiama c'è",
    ),
}  # fmt: skip

SCRIPTS = {
    "ja": Script(
        re.compile(r"彼女|彼ら|彼|それ|これ|あれ|その|この|あの|そこ|そちら|同じ|他の|ほかの|じゃなくて|ではなく|では、|じゃあ|^.{1,12}は[?？]$"),
        re.compile(
            r"(?:誰|何故|何|彼女|彼ら|彼|教え|短く|短い|詳し|説明|例|[ぁ-ん]|[、。？?！!「」『』\s])+"
        ),
    ),
    "zh": Script(
        re.compile(r"他们|她们|它们|[他她它]|这|那|同样|其他|另外|我是说|我指的是|呢[?？]?$"),
        re.compile(
            r"为什么|什么|怎么样|怎么|哪里|哪个|哪些|如何|多少|他们|她们|它们|这个|那个|那么|请问|告诉|简短|短一点|详细|解释|说明|多|[谁吗呢的了是在和与他她它这那我你把被有,。，、？?！!《》“”\s]"
        ),
    ),
    "ko": Script(
        re.compile(r"(?:^|\s)(?:그녀|그들|그것|그거|이것|저것|그|이|저|거기|그럼|그러면|그리고|같은|다른)(?=\S{0,3}(?:\s|$|[?]))|[은는]요\s*[?？]?$"),
        re.compile(
            r"(?:^|\s)(?:짧게|자세히|설명\S*|누가|누구\S*|무엇\S*|뭐\S*|왜|언제|어디\S*|어떻게|어떤|얼마나|그녀\S*|그들\S*|그것\S*|그|그럼|그리고)(?=\s|$|[?])"
            r"|(?:에게서|에서|에게|으로|[은는이가을를의에로과와도])(?=\s|$|[?])|[?？!.,\s]+"
        ),
    ),
}  # fmt: skip
