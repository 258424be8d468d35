"""A correction that changes only a part of an entry, where it is clear which part: "forty-two, not forty"."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from local.bedrock.words import STOP_WORDS, terms

_PHRASE = r"[^,;:.!?\n]{1,100}"
_NOT = r"not|rather than|instead of|nicht|statt|pas|au lieu de|en vez de|em vez de|invece di|non|no|não"
_IS = r"(?:'s|’s| is| are| was| were| has| have)?(?: (?:should|ought to|must)(?: be| say| read| have)?)?"
_BUT = rf"but|sondern|mais|sino|ma|mas|(?:it|they|he|she|that|this|there){_IS}"
_QUOTED = r"[\"“„«'‘]([^\"“”„«»\n]{1,200}?)[\"“”»'’]"
_QUOTED_PAIR = re.compile(
    rf"{_QUOTED} (?:[\w-]+ ){{0,2}}?(?:to|with|by|into|for|→|->|=>|should (?:be|read|say))"
    rf"(?: (?:read|say|be))? {_QUOTED}"
)
_NEW_FIRST = re.compile(rf"(?P<new>{_PHRASE}?),? (?:and |und |et |y |e )?(?:{_NOT}) (?P<old>{_PHRASE})", re.IGNORECASE)
_NO = r"not|instead of|\w+n['’]t|(?:is|was|does|did|do|has|are|were|ca|wo)nt|nicht|pas|non|no|não"
_OLD_FIRST = re.compile(rf"\b(?:{_NO}) (?P<old>{_PHRASE}?),? (?:{_BUT}) (?P<new>{_PHRASE})", re.IGNORECASE)
_CHANGE = re.compile(
    rf"\b(?:replace|change|swap|turn) (?P<old>{_PHRASE}?) (?:with|by|to|into|for) (?P<new>{_PHRASE})", re.IGNORECASE
)
_ARROW = re.compile(rf"(?P<old>{_PHRASE}?) ?(?:→|->|=>) ?(?P<new>{_PHRASE})")
_MAKE = re.compile(
    r"\b(?:make (?:it|that|this)|(?:it|that|this) should (?:be|say|read)) "
    rf"(?P<new>(?:an?|the) (?!.*\b(?:{_NOT})\b){_PHRASE})",
    re.IGNORECASE,
)
# What leads to the right words, and what follows them that is not theirs.
_LEAD = re.compile(
    r"^.*\b(?:make|should (?:be|say|read|have)|must be|is|are|was|were|put|write|read|say)(?: (?:it|that|this|them))? ",
    re.IGNORECASE,
)
_ENTRY = (
    r"(?:it|there|that|this"
    r"|(?:the|my|his|her|that|this|[\w'’-]+['’]s) (?:[\w'’-]+ )*(?:profile|theory|note|card|entry)\b)"
)
_TAIL = re.compile(rf" (?:in|on|of) {_ENTRY}$", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the)\b", re.IGNORECASE)
_PIECE = r"(?:bits?|parts?|lines?|remarks?|sentences?|words?|mention|pieces?|details?|phrases?)"
_LEAVES_OUT = re.compile(
    r"\b(?:scrap|drop|remove|delete|cut|strike|erase|omit|lose|take out|leave out|get rid of|throw out|cross out)"
    rf"(?: out)? (?P<piece>(?:the |that |this )?{_PIECE} (?:(?:about|on|with|of|that says|where) )?)?"
    rf"(?P<old>{_PHRASE})",
    re.IGNORECASE,
)
_TAKES_OUT = re.compile(
    rf"\b(?:take|throw|leave|cut) (?P<piece>(?:the |that |this )?{_PIECE} (?:about|on|with|of) )?"
    rf"(?P<old>{_PHRASE}?) out(?P<of> of {_ENTRY})?(?!\w)",
    re.IGNORECASE,
)
_OUT_OF = re.compile(rf" (?:from|out of) {_ENTRY}.*$", re.IGNORECASE)
_REST = re.compile(
    r"\b(?:keep|leave|retain)\b.*\b(?:rest|else|others?|remainder)\b|\bthe rest (?:stays|can stay|is|remains)\b",
    re.IGNORECASE,
)
# A new text for the whole entry: "Change the profile to: …".
_WHOLE_ANEW = re.compile(r"\b(?:to|with|by|into|as|says?|reads?): *$", re.IGNORECASE)
_LONGEST = 4
_NUMBERS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand)"
)
_NUMBER = re.compile(rf"\d[\d.,:]*|{_NUMBERS}(?:-\w+)?", re.IGNORECASE)
_ALONE = (
    re.compile(r"\b(?:1[0-9]|20)\d\d\b"),
    re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", re.IGNORECASE),
    re.compile(r"\b(?!(?:1[0-9]|20)\d\d\b)\d+\b"),
)


def corrected(entry: str, message: str, text: str, name: str = "") -> str:
    """The entry's text with the corrected part in its place, or without what is to go; empty if that is not clear.

    `text`: what the message gives as the right words. If they are few, a year, a day of the week or a number that is
    alone of its sort in both needs no wrong one beside it. `name`: the entry's, which the message may add.
    """
    if gone := left_out(message):
        return without(entry, gone)
    if name:
        message = re.sub(rf" (?:for|in|of|on|about) {re.escape(name)}(?:['’]s \w+)?(?=\W*$)", "", message)
    clear = next(((old, new) for old, new in _pairs(message, entry) if new), None)
    if clear:
        old, new = clear
        return re.sub(_whole(old), lambda _: new, entry)
    for sort in _ALONE if len(text.split()) <= _LONGEST else ():
        right, wrong = sort.findall(text), sort.findall(entry)
        if len(right) == len(wrong) == 1 and right != wrong:
            return sort.sub(right[0], entry)
    return ""


def left_out(message: str) -> str:
    """The words that a message has taken out of an entry whose rest stays: "scrap the scar, keep the rest"."""
    found = _TAKES_OUT.search(message) or _LEAVES_OUT.search(message)
    if not found:
        return ""
    old = _OUT_OF.sub("", found["old"])
    is_of_part = found["piece"] or found.groupdict().get("of") or old != found["old"] or _REST.search(message)
    return _bare(re.sub(r"(?i) (?:and|but) (?:keep|leave|retain)\b.*$", "", old)) if is_of_part else ""


def without(entry: str, words: str) -> str:
    """The entry without its only part that has the words; empty if there is none, or nothing else would be left."""
    for separator in (r"([.;!?\n]+\s*|,\s*|\s+and\s+)", r"([.;!?\n]+\s*|,\s*)"):
        pieces = re.split(separator, entry)
        parts = range(0, len(pieces), 2)
        wanted = {*terms(words)}
        found = [at for at in parts if wanted and wanted.issubset(terms(pieces[at]))]
        if len(found) == 1 and sum(bool(pieces[at].strip()) for at in parts) > 1:
            at = found[0]
            kept = pieces[: max(at - 1, 0)] + (pieces[at + 1 :] if at else pieces[2:])
            return "".join(kept).strip(" ,;\n")
    return ""


def replaces_part(message: str, text: str) -> bool:
    """Whether the message says which words are wrong, so that the rest of the entry is to stay."""
    lead = message.partition(text)[0] if text else message
    if _WHOLE_ANEW.search(lead):
        return False
    found = (_QUOTED_PAIR.search(message), *(pattern.search(message) for pattern, _ in _WAYS if pattern is not _CHANGE))
    return any(found) or bool(left_out(message))


def corrected_words(message: str) -> list[str]:
    """What the message calls wrong or right, or has taken out; none of it is the name of an entry."""
    pairs = [words for found in _QUOTED_PAIR.finditer(message) for words in found.groups()]
    found = (each for pattern, _ in _WAYS for each in pattern.finditer(message))
    pairs += [_bare(words) for each in found for words in (each["old"], _TAIL.sub("", each["new"]))]
    return [each for each in (*pairs, left_out(message)) if each]


def _pairs(message: str, entry: str) -> Iterator[tuple[str, str]]:
    """The words that stand once in the entry with those that are to take their place, which may not be clear."""
    for found in _QUOTED_PAIR.finditer(message):
        if len(re.findall(_whole(found[1]), entry)) == 1:
            yield found[1], found[2]
    for pattern, end in _WAYS:
        for found in pattern.finditer(message):
            new = _bare(_TAIL.sub("", found["new"]))
            wrong = _spelt_out(_bare(_TAIL.sub("", found["old"])), new)
            old = _with_article(next(_standing(wrong.split(), entry), ""), new, entry)
            if old:
                yield old, new if end is None else _right(old, new, end)
    for found in _MAKE.finditer(message):
        new = _bare(_TAIL.sub("", found["new"]))
        phrase = rf"(?i)\b(?:an?|the) (?:[\w'’-]+ ){{0,2}}{re.escape(new.split()[-1])}\b"
        there = re.findall(phrase, entry)
        if len(there) == 1:
            yield there[0], new


def _spelt_out(old: str, new: str) -> str:
    """The wrong words with the noun that "one" stands for: "a tiny hat instead of an enormous one"."""
    return re.sub(r"\bones?$", lambda _: new.split()[-1], old) if new else old


def _with_article(old: str, new: str, entry: str) -> str:
    """The wrong words with the article before them, if the right ones have another: "the parrot" for "a raven"."""
    found = re.search(rf"(?i)\b(?:an?|the) {re.escape(old)}(?!\w)", entry) if old and _ARTICLE.match(new) else None
    return found[0] if found else old


def _right(old: str, new: str, end: int) -> str:
    """The right words of a phrase that has them at this end."""
    bare = _LEAD.sub("", new) if end else new
    articles = [at for at, word in enumerate(bare.split()) if _ARTICLE.fullmatch(word)]
    if end and articles and _ARTICLE.match(old):
        phrase, size = bare.split()[articles[-1] :], len(old.split())
        return " ".join(phrase if len(phrase) <= size + 1 else phrase[:size])
    like = _like(old, new.split(), end)
    return like or (bare if bare != new and len(bare.split()) <= len(old.split()) + 1 else "")


def _standing(words: Sequence[str], entry: str) -> Iterator[str]:
    """The beginnings of a phrase, and of it without its first word, that stand once in the entry, longest first."""
    for first in (0, 1):
        for size in range(len(words), 0, -1):
            part = words[first : first + size]
            says = len(part) == size and any(word not in STOP_WORDS and len(word) > 1 for word in part)
            if says and len(re.findall(_whole(" ".join(part)), entry)) == 1:
                yield " ".join(part)


def _like(old: str, words: Sequence[str], end: int) -> str:
    """The words at this end of a phrase that are like others: a number for a number, a name for a name, "in" for "in".

    Empty if none are; only right behind a "but" any words will do.
    """
    if _NUMBER.fullmatch(old):
        return next((word for word in words[:: -1 if end else 1] if _NUMBER.fullmatch(word)), "")
    first = old.split()[0]
    if first in words[1 if end else 0 :] and first.islower():
        at = len(words) - 1 - words[::-1].index(first) if end else words.index(first)
        return " ".join(words[at:] if end else words[at : at + len(old.split())])
    if first[0].isupper():
        run = takewhile(lambda word: word[0].isupper(), words[::-1] if end else words)
        return " ".join([*run][::-1] if end else run)
    return "" if end else " ".join(words[: len(old.split())])


# Patterns of a correction, and the end of the new words that are taken; all of them where that is None.
_WAYS: Sequence[tuple[re.Pattern[str], int | None]] = (
    (_OLD_FIRST, 0),
    (_NEW_FIRST, -1),
    (_CHANGE, None),
    (_ARROW, None),
)


def _bare(phrase: str) -> str:
    return phrase.strip(" \"'“”„«»‘’")


def _whole(phrase: str) -> str:
    return rf"(?i)(?<!\w){re.escape(phrase)}(?!\w)"
