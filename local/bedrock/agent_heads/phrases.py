"""Phrases that surely mean one thing, whatever the heads make of the rest of the message."""

import re

_END = r"[ .!。]*$"
_ADDS = re.compile(
    r"\b(?:extend|expand|enlarge|supplement|complement|append|add(?:s|ed|ing)?\b|further to|as well|also\b"
    r"|too\b(?=[,.:;! ]*$| that|:)|in addition|ergänz|erweiter|füge?\b|hinzu|zusätzlich|complèt|ajout|aussi\b"
    r"|ampl[ií]a|añad|agreg|también|aggiun|anche\b|acrescent|adicion|também)|追記|追加|补充|추가",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"\b(?:replac|instead|rather|overwrit|rewrit|chang|correct|wrong|amend|edit\b|fix\b|revis|not\b|\w+n'?t\b|no longer"
    r"|should (?:be|say|read)|actually|ersetz|statt|änder|korrig|falsch|nicht|remplac|corrig|au lieu|modifi|sustitu"
    r"|reemplaz|cambi|en vez|sostitu|invece|substitu|troc|mud[ae])|変更|修正|訂正|ではなく|改|替换|수정",
    re.IGNORECASE,
)
_NAMING = re.compile(
    r"(?:^|[.!,;:。] ?|\band )(?:(?:please|pls|and|let's|let us|i'll|i shall|i'd|i will|we'll|so|then) )*(?:"
    r"(?:name|call|title|entitle) (?:it|this|that|this one|that one|the theory)"
    r"|(?:title|name|titel|titre|nom|título|titolo|nombre|nome)(?: ?:| is| ist)"
    r"|(?:keep|save|store|file) (?:it|this|that) (?:as|under(?: the)?(?: name| title)?(?: of)?)"
    r"|nenne? (?:sie|es|ihn|das)|unter dem (?:namen|titel)|appelle-l[ae]|sous le (?:nom|titre)(?: de)?"
    r"|ll[áa]mal[ao]|chiamal[ao]|chama(?:-lhe|-[ao])|名前は|名称は|就叫|标题是"
    rf") ?[\"“„«「]?(?P<name>[^.!?;:,\"“”„«»「」。]{{1,100}}?)[\"”“»」]?(?:にして|吧)?(?:,? please)?{_END}",
    re.IGNORECASE,
)
_BEHIND_NAME = re.compile(r" and (?:save|keep|stick|hang|put|add|store|file|check|test)\b.*$", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:(?:a|an|my|the|another|one) )?(?:theory|note|claim|idea|profile|card|entry)|later|so|yet|what.*|.* - .*",
    re.IGNORECASE,
)
_MAKES_ONE = re.compile(
    r"\b(?:(?:make|create|start|open|write|record|begin|save|do|add|lege?|mach|erstelle?|crée|fais|ouvre|crea|haz"
    r"|fa(?:i|nne)|cria|faz) ?(?:-?en )?-?(?:one|it|some|eine?n?s?|une?|uno|una|um|uma)|set (?:one|it) up"
    r"|creane un[oa])"
    r"(?= ?(?:$|[:.,;!–-])| (?:then|now|please|pls|up|for|an|alors|entonces|então|allora)\b)",
    re.IGNORECASE,
)
_NAMES_ITS_OWN = re.compile(
    r"\W*(?:profile |theory |note |entry )?(?:for|of|about|on|under|as|called|named|für|von|über|pour|de|sur|para|sobre"
    r"|per|di|su)"
    r" (?!(?:him|her|it|them|that|this|ihn|sie|lui|elle|él|ella|lei|ele|ela)\b)\w",
    re.IGNORECASE,
)
_SOURCE = (
    r"(?:play|text|script|book|document|stor(?:y|ie)|novel|scene|file|passage|source|manuscript|material|stück|buch"
    r"|dokument|drehbuch|skript|pièce|texte|livre|obra|texto|libro|documento|testo|copione|dramma|peça|livro)(?:s|en?)?"
)
_OUT_OF_TEXTS = re.compile(
    r"(?<![ ,])[ ,]+(?:(?:from|based (?:up)?on|out of|using|with the help of|according to|going by|aus|anhand|nach"
    r"|auf grundlage|à partir|d'après|selon|a partir|según|basad[oa] en|in base|secondo|com base|segundo)\b)"
    rf"(?:[ ,']+\w+){{0,6}}?[ ,']+{_SOURCE}\b[^:]*$",
    re.IGNORECASE,
)
_MAKES_ENTRY = re.compile(
    r"\b(?:creat(?:e|ing)?|mak(?:e|ing)|writ(?:e|ing)|build|generate|draft|compile|fill|start|set up|put together"
    r"|prepare|do me|give me|erstelle?|schreibe?|lege?|mache?|crée[rz]?|fais|faites|écri(?:s|re|vez)|rédige[rz]?|crear?"
    r"|haz|hazme|escribe|redacta|scrivi|fai|fammi|crie?|cria|faz|faça|escrev[ae])\b"
    r"|^(?:please |a |an |ein |une? )?(?:profile?|profil|fiche|ficha|perfil|profilo|scheda)\b",
    re.IGNORECASE,
)
_ANOTHERS = re.compile(
    r"\b(?:their|them|they|ihnen|leurs?|loro|deles|delas)\b"
    r"|\b(?:is|was|are|were|became|ist|war|est|était|es|era|è)\b (?:auch |also )?"
    r"(?:his|her|its|ihre?\w?|seine?\w?|s[ao]n|su|sus|(?:la |il )?su[ao]|seu|sua)\b"
    r"|\b(?:him|it|ihn|ihm)\b",
    re.IGNORECASE,
)
_CLAIMS = re.compile(
    r"\b(?:theor(?:y|ie|ia)|théorie|teor[ií]a|hypothes[ie]s|hypothese|hypothèse|hip[óo]tesis|ipotesi|hipótese|claim|idea)"
    r" ?[:.!]|仮説|推测|假设",
    re.IGNORECASE,
)
# A theory under its title: "Keep as theory Silent Banquo: he knew"; what begins in lower case is no title.
_TITLED = re.compile(
    r"(?:^|\b)(?:[Tt]heory|[Hh]ypothesis)(?:,? (?:called|titled|named|entitled))? "
    r"(?P<name>(?=[A-ZÄÖÜÉ0-9])[^:.!?\n\"“”]{1,100}): (?P<text>\S.*)",
    re.DOTALL,
)
_KEEPS_AT_END = re.compile(
    r"[.!;,] *(?:please |pls |and )*(?:keep|save|store|file|note) (?:it|this|that)[ .!]*$", re.IGNORECASE
)
# What is said of an entry, and of which: "put my verdict into the theory: …".
_REMARK = re.compile(
    r"^(?:(?:[\w']+ ){0,3}?"
    r"(?:my |the |an? |one |more |another |first |second |third |fourth |last |further |new |own )+"
    r"|(?:\w+,? )?)"
    r"(?P<what>remark|comment|verdict|addition|correction|observation|conclusion)s?"
    r"(?: (?:there|here))?(?: (?:in|into|to|on|for|under) (?P<name>[^:]{1,80}))?: (?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_OF_CHANGE = re.compile(
    r"\b(?:the|that|this|my|your)(?: last| latest| previous)? (?:change|edit|update|modification|correction)s?\b",
    re.IGNORECASE,
)
_WITH_BEHIND = re.compile(r"(?<=\w) (?:with|mit|um|avec|con|com)$")
_KIND_BEFORE = re.compile(
    r"^(?:the |a |an )?(?:character|person|location|place|episode|group|topic) (?=[\"“A-ZÄÖÜÉ])", re.ASCII
)


def only_adds(message: str, text: str) -> bool:
    """Whether the words around the text add it to what is there, and none replaces anything."""
    lead = message.replace(text, " ") if text else message
    return bool(_ADDS.search(lead)) and not _REPLACES.search(lead)


def named_apart(message: str) -> tuple[str, str]:
    """The message without the clause at its end that names what it says, and the name: "… Call it Real Madness."

    The name is empty if there is no such clause, or little before it that could be named.
    """
    found = _NAMING.search(message)
    if not found:
        return message, ""
    name = _BEHIND_NAME.sub("", found["name"]).strip()
    if _NO_NAME.fullmatch(name):
        return message, ""
    rest = message[: found.start()].strip(" ,;")
    if not re.search(r"\b\w+\W+\w+\W+\w+|[\u3040-\u9fff]{4}", rest):
        return message, ""
    return rest, name


def claims(message: str) -> bool:
    """Whether the message calls what follows a theory: "Theory: the bear is real"."""
    return bool(_CLAIMS.search(message))


def makes_one(message: str) -> bool:
    """Whether the message asks to make "one" and says not of whom: "ok then make one: Prince of Norway"."""
    lead = message.partition(":")[0]
    found = _MAKES_ONE.search(lead)
    return found is not None and not _NAMES_ITS_OWN.match(lead[found.end() :])


def without_texts(message: str) -> str:
    """A request for a new entry without the words that have it written out of the texts; empty if it has none."""
    found = _OUT_OF_TEXTS.search(message)
    return message[: found.start()] if found and _MAKES_ENTRY.search(message[: found.start()]) else ""


def tells_of_another(message: str, name: str, text: str) -> bool:
    """Whether a text that begins with a name is more on somebody else: "put down too that Hecate is their mistress".

    The message adds, and the text has a word for another than the one it names.
    """
    rest = text[len(name) :]
    return bool(name) and text.startswith(name) and only_adds(message, text) and bool(_ANOTHERS.search(rest))


def without_with(name: str) -> str:
    """The name without the "with" between it and the text: "extend Duncan with: …"."""
    return _WITH_BEHIND.sub("", name)


def without_kind(name: str) -> str:
    """The name without the word for its kind before it: "the group Weird Sisters"."""
    return _KIND_BEFORE.sub("", name)


def titled(message: str) -> tuple[str, str]:
    """The title and the text of a theory that stands before a colon; both empty if none does."""
    found = _TITLED.search(message)
    if found is None or re.search(r"\b(?:to|change|rename|show|delete)\b", message[: found.start()], re.IGNORECASE):
        return "", ""
    return found["name"].strip(), _KEEPS_AT_END.sub("", found["text"]).strip(" .")


def keeps(words: str) -> bool:
    """Whether the words around a theory ask to keep it, and not to test it."""
    return bool(re.search(r"(?i)\b(?:keep|save|file|store|note|call(?:ed)?|titled|named)\b", words))


def remark(message: str) -> tuple[str, str, str] | None:
    """What a message calls what it says of an entry, the words for the entry, which may be empty, and what it says."""
    found = _REMARK.match(message.strip())
    return (found["what"].lower(), (found["name"] or "").strip(), found["text"].strip()) if found else None


def is_of_change(message: str) -> bool:
    """Whether what is to go is a change and no entry: "scratch that last change"."""
    return bool(_OF_CHANGE.search(message))
