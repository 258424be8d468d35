"""Answers with the passages' sentences nearest to the question, or says that none surely does; outlines a whole text.

A passage that has a number is cited by it, as [n]; one without is named by its locator alone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from cicada.languages.terms import LANGUAGES, is_in
from cicada.understanding.intent.reading import is_small_talk
from local.bedrock.beside import BEFORE, of_quoted, what_follows
from local.bedrock.embedder import Embedder
from local.bedrock.nearest import Nearest, nearest
from local.bedrock.prompt import Passage, Prompt
from local.bedrock.quotation import ALIKE, likeness, quoted_words
from local.bedrock.related import with_referents, with_whole_list
from local.bedrock.scenes import of_scenes, scene_asked_for
from local.bedrock.spans import Span, beginning, quote, spans_of, whole
from local.bedrock.sums import worked_out
from local.bedrock.words import terms

# Below the first chance the answer says that it is unsure, below the second that it can only quote: a tenth of what the
# passages of three sets answer, and half as much more (docs/figures/stand-in-answers.json).
UNLIKELY, UNSURE = 0.34, 0.37
HARDLY = 0.08  # in the place of the first for a message that asks for what is said on a subject
QUOTED = 4
OUTLINED = 6
WITHIN = 2.5  # how far below the best span's score a further one may be
SECTION_WORDS = 80
SAID = 1.0  # how much less a sentence scores that was quoted before (decision 0057)
NOT_HELD = "The passages do not hold an answer to this question."
NOT_SURE = "I see no passage that surely answers this question."
NEAREST = "Nearest are:"
ONLY_QUOTED = "I can only quote:"
ENGLISH_ONLY = "I know English only: please ask in English, and I will quote what the documents say."
GENERAL = (
    "I am a local stand-in for a language model and only answer from passages of the documents: "
    "ask who says, does or knows something in them, and I will quote the lines."
)
_SUMMARY = re.compile(
    r"\b(?:summari[sz]\w+|summary|overview|outline|gist|compar\w+|differences?|main points)\b", re.IGNORECASE
)
# What says nothing of what a text is asked for, beside the words of its headings.
_OF_A_TEXT = frozenset(
    terms(
        "act chapter contents cover document episode find give happen line list open play policy quote read scene say"
        " section show sing speak text topic view"
    )
)
# The last answer in fewer words; the question that it answered follows in parentheses.
_SHORTER = re.compile(
    r"[^()]*\b(?:shorter|shorten|briefer|briefly|in short|tl;?dr|in (?:one|a) sentence|too long)\b[^()]*\((.+)\)",
    re.IGNORECASE | re.DOTALL,
)
_THANKS = re.compile(r"\b(?:thanks?|thx|ta|cheers|much appreciated)\b", re.IGNORECASE)
_GREETING = re.compile(r"\W*(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening|day)|greetings)\b", re.IGNORECASE)
# Common words of other languages that are English words.
_ENGLISH_TOO = frozenset("also come dog door end hat met non par per sea sit son till tue van want war".split())  # noqa: SIM905
_FOREIGN = re.compile(r"[^\W\d_A-Za-z]|¿")
_ON_A_SUBJECT = re.compile(r"^(?:list|show|find|give|tell)\b|\babout\b|\banything\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")  # a capitalised word that begins no sentence
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b|\bwhat (?:does|did|do|would) .{1,60} cost\b", re.IGNORECASE)
_WHO = re.compile(r"\W*(?:and |but |so )?(?:who|whom|whose)\b", re.IGNORECASE)
_SOMEBODY = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b|\b(?:Mr|Mrs|Ms|Dr)\b\.? [A-Z]")
_NUMBER = re.compile(
    r"[0-9]|\b(?:no|none|nothing|free|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
    r"|hundreds?|thousands?|dozen)\b",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"\blooks? like\b|\b(?:shapes?|forms?|wear(?:s|ing)?|dressed|carr(?:y|ies|ying)|holds?|holding|bears?)\b"
    r"|\bstage directions?\b",
    re.IGNORECASE,
)
_TELLS_LOOKS = re.compile(r":|\b(?:with|in|like|as|bearing|wearing|holding|carrying|dressed)\b", re.IGNORECASE)
_OF_ALL = re.compile(rf"{_SUMMARY.pattern}|\(\W*(?:please )?(?:open|read|show)\b", re.IGNORECASE)
_BARE_WHY = re.compile(r"\W*(?:and |but )?why(?: not)?\W*\(", re.IGNORECASE)
_RECORD = re.compile(r"[^:;]{1,40}: [^;]+; [^:;]{1,40}: ")  # a row of a table as a text of its own
_ID = re.compile(r"\b[A-Za-z]+-\w+-\d+\w*(?:\.\w+)?")


def answer(prompt: Prompt, embedder: Embedder) -> str:
    """Raises EmbedderUnavailableError."""
    if not prompt.passages:
        return worked_out(prompt.question) or _reply(prompt.question)
    if shorter := _SHORTER.fullmatch(prompt.question):
        is_whole = prompt.is_whole or bool(_SUMMARY.search(shorter[1]))
        return _first_half(_of_passages(replace(prompt, question=shorter[1], is_whole=is_whole), embedder))
    return _of_passages(prompt, embedder)


def _of_passages(prompt: Prompt, embedder: Embedder) -> str:
    asked = _ID.sub("", prompt.question)
    if prompt.is_whole:
        if told := of_scenes(asked, prompt.passages):
            return told
        read = Prompt(prompt.passages, asked)
        quotes = _quotes(read, embedder) if _asks_of(asked, prompt.passages) else ""
        return quotes or _outline(prompt.passages) or NOT_HELD
    told = of_quoted(asked, prompt.passages, prompt.said) or what_follows(asked, prompt.passages, prompt.said)
    if told:
        return told
    refusal = ENGLISH_ONLY if _is_foreign(prompt.question) else NOT_HELD
    return _quotes(replace(prompt, question=asked), embedder, refusal)


def _first_half(text: str) -> str:
    """The first half of the quotes; a refusal as it is."""
    quotes = text.split("\n")
    said = 1 if quotes[0] == ONLY_QUOTED else 0
    return text if text.startswith((NOT_HELD, NOT_SURE)) else "\n".join(quotes[: said + (len(quotes) - said + 1) // 2])


def _reply(message: str) -> str:
    """What is said without passages."""
    if _is_foreign(message):
        return ENGLISH_ONLY
    if not is_small_talk(message):
        return GENERAL
    if _THANKS.search(message):
        return "You are welcome."
    return f"Hello! {GENERAL}" if _GREETING.match(message) else GENERAL


def evidence(statement: str, passages: Sequence[Passage], embedder: Embedder) -> str:
    """Sentences relevant to a statement, for it or against it. Raises EmbedderUnavailableError."""
    quotes = _quotes(Prompt(tuple(passages), statement), embedder).removeprefix(f"{ONLY_QUOTED}\n")
    if not quotes:
        return f"I found no lines that speak for or against “{statement}”."
    return f"On “{statement}” the text has these lines.\n{quotes}"


def _is_foreign(question: str) -> bool:
    asked = " ".join(word for word in question.split() if word.strip("?!.,").lower() not in _ENGLISH_TOO)
    others = (language for language in LANGUAGES if language != "en")
    return any(is_in(asked, other) for other in others) or bool(_FOREIGN.search(asked) and not is_in(asked, "en"))


def _asks_of(question: str, passages: Sequence[Passage]) -> bool:
    """Whether a message asks something of a text, and not what is in it as a whole."""
    named = _OF_A_TEXT.union(*(terms(passage.heading) for passage in passages))
    return not _SUMMARY.search(question) and not named.issuperset(terms(question))


def _outline(passages: Sequence[Passage]) -> str:
    """The first words of passages at equal distances, which is no summary but shows what was read."""
    if len(passages) == 1 and _is_short(passages[0]):
        return quote([whole(passages[0])])
    spans = [span for span in spans_of(passages) if not span.is_stage]
    parts = [list(group) for _, group in groupby(spans, lambda span: span.rank)]
    shown = min(len(parts), OUTLINED)
    return "\n".join(quote(beginning(parts[at * len(parts) // shown])) for at in range(shown))


def _quotes(prompt: Prompt, embedder: Embedder, refusal: str = "") -> str:
    """The nearest spans, one line for those that follow each other; if the passages hardly answer, it says so first.

    Of a short section whose heading has all the words of the text, all of it. The refusal if there is nothing to quote.
    """
    text, passages, conditions = prompt.question, prompt.passages, prompt.conditions
    found = nearest(text, passages, embedder, conditions)
    if not found.ranked:
        return refusal
    found, has_words = _likest_first(text, _kind_first(text, _new_first(text, prompt.said, found)))
    chosen = with_referents(with_whole_list(text, _best(found), found.spans), found.spans)
    runs = _runs(chosen, found.spans)
    quotes = (quote([found.spans[position] for position in run]) for run in runs)
    lines = [*scene_asked_for(text, passages), *quotes]
    least = HARDLY if _ON_A_SUBJECT.search(text) else UNLIKELY
    is_unlikely = found.chance < least and not any(_has_words(each, text) for each in passages)
    lacks = is_unlikely or _lacks_what_is_asked(text, found, conditions)
    if lacks if has_words is None else not has_words:
        return "\n".join([f"{NOT_SURE} {NEAREST}", *lines]) if refusal == NOT_HELD else refusal
    best = found.spans[found.ranked[0][0]].passage
    if _is_short(best) and set(terms(best.heading)) >= set(terms(text)) != set():
        return quote([whole(best)])
    return "\n".join([*([ONLY_QUOTED] if found.chance < UNSURE and not has_words else []), *lines])


def _new_first(text: str, said: str, found: Nearest) -> Nearest:
    """What was found; what the last answer quoted scores less where the question goes on from that.

    Not after a document as a whole, of which nobody has asked for this, nor after what was not sure to answer. A bare
    "why?" may be answered beside what was wanted.
    """
    before = BEFORE.search(text)
    if not before or said.startswith(NOT_SURE) or _OF_ALL.search(before[0]) or _BARE_WHY.match(text):
        return found

    def is_said(span: Span) -> bool:
        is_row = span.is_row or _RECORD.match(span.text)
        return span.text in said and not (span.speaker or span.passage.state or is_row)

    ranked = ((at, score - SAID * is_said(found.spans[at])) for at, score in found.ranked)
    return replace(found, ranked=tuple(sorted(ranked, key=lambda each: -each[1])))


def _kind_first(text: str, found: Nearest) -> Nearest:
    """What was found, those spans first that score nearly as well as the best and are of the kind that is asked for.

    It is an amount, a name of somebody in a written text, or a direction on how somebody looks. Of 30 questions by
    strangers for an amount, it quotes three more rightly in the first place, and loses none.
    """
    asked = {*terms(text)}

    def tells_looks(span: Span) -> bool:
        is_telling = span.is_stage and _TELLS_LOOKS.search(span.text) is not None
        return is_telling and not asked.isdisjoint(terms(span.text))

    if _HOW_MUCH.search(text):
        found = _first(found, lambda span: _NUMBER.search(span.meaning) is not None)
    if _WHO.match(text):
        found = _first(found, lambda span: not span.speaker and _SOMEBODY.search(span.text) is not None)
    return _first(found, tells_looks) if _LOOKS.search(text) else found


def _first(found: Nearest, is_of_kind: Callable[[Span], bool]) -> Nearest:
    least = found.ranked[0][1] - WITHIN
    ranked = sorted(found.ranked, key=lambda each: each[1] < least or not is_of_kind(found.spans[each[0]]))
    return replace(found, ranked=tuple(ranked))


def _likest_first(text: str, found: Nearest) -> tuple[Nearest, bool | None]:
    """The ranked spans, the one first that is likest to what the text quotes, and whether it may be that.

    None in the place of the second if the text asks for no line.
    """
    quoted = quoted_words(text)
    if not quoted or not any(span.speaker for span in found.spans):
        return found, None
    alike = [likeness(quoted, span) for span in found.spans]
    at = max(range(len(alike)), key=alike.__getitem__)
    others = (each for each in found.ranked if each[0] != at)
    return replace(found, ranked=((at, found.ranked[0][1]), *others)), alike[at] >= ALIKE


def _lacks_what_is_asked(text: str, found: Nearest, conditions: str) -> bool:
    """Whether the passage has years and not the one that is asked for, no amount where one is, or none of the names."""
    passage = found.spans[found.ranked[0][0]].passage
    if not _has_names(passage, text, conditions):
        return True
    said = {*_YEAR.findall(" ".join((passage.heading, *(line.text for line in passage.lines))))}
    asked = {*_YEAR.findall(text)}
    has_amount = _NUMBER.search(found.spans[found.ranked[0][0]].meaning) or not _HOW_MUCH.search(text)
    return bool(asked and said and asked.isdisjoint(said)) or not has_amount


def _has_names(passage: Passage, text: str, conditions: str) -> bool:
    """Whether a written passage has one of the names in the text, if there are any; a scene may have nobody's name.

    Names in the conditions are met by the document.
    """
    names = {term for name in _NAME.findall(text) for term in terms(name)}.difference(terms(conditions))
    is_script = any(line.speaker for line in passage.lines)
    present = (terms(each) for each in (passage.heading, *(line.text for line in passage.lines)))
    return is_script or not names or any(not names.isdisjoint(each) for each in present)


def _has_words(passage: Passage, text: str) -> bool:
    """Whether the passage has all main words of the text."""
    present = (terms(f"{line.speaker} {line.text}") for line in passage.lines)
    return _OF_A_TEXT.union(terms(passage.heading), *present).issuperset(terms(text))


def _is_short(passage: Passage) -> bool:
    length = sum(len(line.text.split()) for line in passage.lines)
    return length <= SECTION_WORDS and not any(line.speaker for line in passage.lines)


def _best(found: Nearest) -> list[int]:
    """The best span and up to three more that score nearly as well; a question among them is followed by its reply."""
    positions: list[int] = []
    for position, score in found.ranked[:QUOTED]:
        if score >= found.ranked[0][1] - WITHIN:
            positions.append(position)
            reply = found.reply_to(position)
            if found.spans[position].asks and reply is not None:
                positions.append(reply)
    chosen = list(dict.fromkeys(positions))[:QUOTED]
    return chosen if found.spans[0].passage.state else _in_force_first(found, chosen)


def _in_force_first(found: Nearest, chosen: Sequence[int]) -> list[int]:
    """The chosen spans, and the best one of the same section in force where they are only of another version.

    Not for prompts that begin with what is not in force: they have the order that was asked for.
    """
    passages = [found.spans[position].passage for position in chosen]
    places = {each.place for each in passages if each.state} - {each.place for each in passages if not each.state}
    best: dict[str, int] = {}
    for position, _ in found.ranked:
        passage = found.spans[position].passage
        if passage.place in places and not passage.state:
            best.setdefault(passage.place, position)
    return sorted((*best.values(), *chosen), key=lambda position: bool(found.spans[position].passage.state))


def _runs(positions: Sequence[int], spans: Sequence[Span]) -> Iterator[list[int]]:
    """The positions, those together whose spans follow each other in a text."""
    left = list(positions)
    while left:
        run = [left.pop(0)]
        while beside := [at for at in left if at in (run[0] - 1, run[-1] + 1) and spans[at].joins(spans[run[0]])]:
            left.remove(beside[0])
            run = sorted([*run, beside[0]])
        yield run
