"""A message about the last answer itself, or about one document that it showed.

Of the first kind are its next page and its passages again ("why?", "shorter", "more on 2"), of the second "the second
one", "who wrote it?" and "is this SOP approved?".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from cicada.dialogue import ShownDocument
from cicada.documents.catalogue import ListedPage
from cicada.documents.model import ROW, TABLE, AnyOf, Condition, Subject
from cicada.understanding.asking_back import (
    asked_of_chosen,
    asks_who_did,
    chosen,
    number_chosen,
    ordinal,
    points_at_kind,
    with_name,
)
from cicada.understanding.follow_up_text import YOU, Cues, Reading, function_words, language_of, read
from cicada.understanding.follow_ups import stand_alone
from cicada.understanding.intent.reading import is_small_talk
from cicada.understanding.plan import PAGE_SIZE, Intent, Plan, PlanRequest, Shape, concepts_of
from cicada.understanding.quoted_lines import is_of_a_line, scene_meant
from cicada.understanding.subjects import subjects_of
from cicada.understanding.words import base_form, lexicon, tokens_of

if TYPE_CHECKING:
    from cicada.understanding.understood import Understood


_LONGEST = 120
_CITATION = re.compile(r"\[(\d{1,4})\]")
# With one of these a number is a limit, as in "and up to 72?".
_LIMITING = frozenset({"up", "above", "below", "over", "under", "until", "before", "after", "than"})
_ITS = re.compile(r"\b(?:he|she|him|her|his|its)\b", re.IGNORECASE)
_LACKS_OBJECT = re.compile(r"(?:and )?(?:who|when|where|by whom)(?: was| is| has)? \w{3,}ed\W*", re.IGNORECASE)
# "How much did the second one cost?"
_THE_NTH = re.compile(r"\bthe (?P<number>\w+) (?:one|row)\b", re.IGNORECASE)
_OF_BEFORE = frozenset({"before", "previously", "earlier", "formerly", "früher", "vorher", "avant", "antes", "prima"})
_ORDERING = frozenset({"NEW", "OLD", "MAX", "MIN"})
_MORE = re.compile(
    r"""(?:please\s+)?(?:show\s+(?:me\s+)?|give\s+me\s+|and\s+)?(?:the\s+)?
    (?:(?:next|following)(?:\s+(?:page|ones?))?|more|the\s+rest|continue|go\s+on
    |weiter|mehr|n[äa]chste\s+seite|suite|page\s+suivante|la\s+suite|m[áa]s|siguiente(?:\s+p[áa]gina)?
    |p[áa]gina\s+seguinte|mais|altri|avanti|pagina\s+seguente|次(?:のページ)?|もっと|更多|下一页|더|다음(?:\s*페이지)?)
    (?:\s+(?:please|results?|documents?|of\s+them))?\s*[.!…。]*""",
    re.VERBOSE | re.IGNORECASE,
)


def of_last_answer(request: PlanRequest) -> Plan | None:
    """The plan of such a message, for which nothing need be understood or searched; None for every other one."""
    if (page := next_page(request)) is not None:
        return page
    message, shown = request.message, request.shown
    if not shown.documents or len(message) > _LONGEST or is_small_talk(message):
        return None
    if request.of_scripts and shown.cited and (plan := _of_a_line(request)):
        return plan
    reading = read(message, language_of([message], likely=language_of(request.messages)))
    number = _number(reading)
    if number is not None:
        return _of_number(number, request)
    chosen_row = number_chosen(message) if shown.documents[0].row else None
    if chosen_row and chosen_row > len(shown.documents):
        return _nothing_under(chosen_row, request)
    # "Summarise it" is about the document, and not about the answer.
    is_about_it = shown.cited and _asks_again(reading) and not subjects_of(message)
    return _about(request, shown.cited) if is_about_it else None


def _of_a_line(request: PlanRequest) -> Plan | None:
    """The plan of a message on the line that the last answer quotes first, or on its scene."""
    scene = scene_meant(request.message)
    if scene is None and not is_of_a_line(request.message):
        return None
    quoted = _CITATION.search(request.turns[-1].answer) if request.turns else None
    first = int(quoted[1]) if quoted else 0
    cited = sorted(request.shown.cited, key=lambda each: each.number != first)
    return replace(_about(request, tuple(cited)), scene=scene)


def chooses_from_nothing(request: PlanRequest) -> bool:
    """Whether a message such as "the newest of them" only chooses from a list, and the last answer was none."""
    if not request.messages or request.listing or any(not each.excerpt for each in request.shown.documents):
        return False
    words = lexicon()
    said = {each.text for each in tokens_of(request.message) if each.raw.isalnum()} - words.function - words.which
    ordering = {each for each in said if words.cues.get(each) in _ORDERING or base_form(each) in words.implied}
    return bool(ordering) and not words.several.isdisjoint(said) and said <= ordering | words.several


def nothing_to_choose_from(request: PlanRequest) -> Plan:
    said = "The last answer showed no list to choose from. Which documents do you mean?"
    return Plan(Intent.SCRIPT_QUERY, Shape.NEEDS_CLARIFICATION, request.message, clarification=said)


def _of_number(number: int, request: PlanRequest) -> Plan | None:
    """The plan of what was shown under a number, or of asking which number is meant.

    A bare number may be the reply to a question that was asked back.
    """
    named = request.shown.numbered(number)
    is_bare = chosen(request.message, number) is not None
    if named is not None and named.row:
        return None  # The row of a table, which is looked up by its number there.
    if named is not None and (named.excerpt or not is_bare):
        return _about(request, (named,))
    return None if is_bare else _nothing_under(number, request)


def _nothing_under(number: int, request: PlanRequest) -> Plan:
    shown = request.shown
    said = f"The last answer shows nothing under {number}: its numbers go to {shown.documents[-1].number}."
    return Plan(Intent.SCRIPT_QUERY, Shape.NEEDS_CLARIFICATION, request.message, clarification=f"{said} Which one?")


def _about(request: PlanRequest, shown: tuple[ShownDocument, ...]) -> Plan:
    """A plan of the passages, or of a document as a whole, with the question that they answered."""
    before = stand_alone([*request.messages, request.message]).before
    return Plan(
        Intent.SCRIPT_QUERY,
        Shape.CONTENT_ONLY,
        request.message,
        knowledge_base=request.shown.knowledge_base,
        before=before,
        subjects=tuple(Subject(each.document_id) for each in shown if not each.excerpt),
        again=tuple(each for each in shown if each.excerpt),
    )


def _own_words(reading: Reading, cues: Cues) -> list[str]:
    """The words that say something of a topic, and do not only ask for the answer in another form."""
    idle = function_words(reading.language) | cues.again
    return [word.key for word in reading.words if word.key not in idle]


def _number(reading: Reading) -> int | None:
    """The one number that a message such as "more on 2" or "tell me about the second one" is about."""
    if reading.cues is None:
        return None
    own = _own_words(reading, reading.cues)
    if len(own) != 1 or not _LIMITING.isdisjoint(word.key for word in reading.words):
        return None
    return int(own[0]) if own[0].isdecimal() and len(own[0]) <= 2 else ordinal(own[0])


def _asks_again(reading: Reading) -> bool:
    """Whether the message asks something, and has no word that could be searched for.

    One that speaks to the assistant ("what can you do?") must point at the answer, or ask for a form of it.
    """
    cues = reading.cues
    if cues is None:
        return not reading.topics
    keys = {word.key for word in reading.words}
    asks = keys & (cues.again | cues.pointing | cues.thing | cues.person | cues.comparing)
    if not keys or keys & _OF_BEFORE or _own_words(reading, cues):
        return False  # "How was it before?" asks for an earlier version.
    return bool(asks or (keys & cues.asking and not keys & YOU))


def is_page_request(message: str) -> bool:
    """Whether the message asks for more, and for nothing else."""
    return _MORE.fullmatch(message.strip()) is not None


def listed_page(plan: Plan, asked: str) -> ListedPage | None:
    """What the next page of this plan's listing is made from. `asked`: the base that the question went to."""
    if not plan.is_listing:
        return None
    return ListedPage(
        asked,
        plan.knowledge_base,
        plan.filters,
        plan.sort,
        plan.aggregates,
        plan.group,
        plan.fields,
        plan.limit,
        plan.offset,
        subject=plan.search_value,
        left_out=plan.left_out,
    )


def next_page(request: PlanRequest) -> Plan | None:
    """The plan of the page after the one that was shown last; None if the message asks for something else.

    The page goes on as it was planned, so that it needs neither the question nor the model of then. After numbers
    alone, "more" is the first page of the documents that they were computed from.
    """
    shown = request.listing
    if shown is None or shown.asked != request.knowledge_base or not is_page_request(request.message):
        return None
    plan = plan_of(shown, request.message)
    if plan.asks_for_rows:
        return replace(plan, offset=shown.offset + (shown.limit or PAGE_SIZE))
    return replace(plan, sort=None, aggregates=(), group=(), limit=None)


def plan_of(shown: ListedPage, message: str) -> Plan:
    """The plan by which this page was listed; the message only stands in it as the query."""
    searched = Shape.HYBRID if shown.conditions else Shape.CONTENT_ONLY
    return Plan(
        Intent.SCRIPT_QUERY,
        searched if shown.subject else Shape.METADATA_ONLY,
        message,
        search_value=shown.subject,
        knowledge_base=shown.knowledge_base,
        filters=shown.conditions,
        sort=shown.sort,
        aggregates=shown.aggregates,
        group=shown.group,
        fields=shown.fields,
        limit=shown.limit,
        offset=shown.offset,
        named=() if shown.subject else shown.documents,
        key_concepts=concepts_of(shown.subject),
        wants_documents=bool(shown.subject),
        of_rows=shown.of_rows,
        left_out=shown.left_out,
    )


def chosen_document(request: PlanRequest) -> str | None:
    """The id of the document that a reply such as "the second one" chooses from those that were shown."""
    shown = request.listing.documents if request.listing else ()
    if request.listing and not shown and asked_of_chosen(request.message):
        shown = tuple(each.document_id for each in request.shown.documents if not each.excerpt)
    place = chosen(request.message, len(shown))
    return None if place is None else shown[place]


def of_shown_document(
    request: PlanRequest, earlier: Sequence[str], understand: Callable[[Sequence[str]], Understood]
) -> Understood | None:
    """What such a message means; None for any other. `understand`: reads messages as those of one conversation."""
    if earlier and (document := chosen_document(request)):
        return _of_chosen(document, asked_of_chosen(request.message), earlier, understand)
    document = _only_one(request)
    if document is None:
        return None
    if whole := with_name(request.message, document, bare=True):
        found = understand([whole])
        # What is asked of a cited document beside its fields, its text may say.
        is_of_a_field = found.strategy == "M" and found.meaning.fields and not found.meaning.restricted
        asks_a_field = is_of_a_field and not asks_who_did(request.message, request.schema)
        if found.meaning.named and (request.listing is not None or asks_a_field):
            return _on(document, found)
    if request.listing is None and points_at_kind(request.message):
        found = understand([request.message])
        return _on(document, found, wanted={}) if found.single else None
    return None


class SpokenRow(Struct, frozen=True):
    """The row of a table which a message is about. `rows`: its conditions. `asked`: what the message asks of it.

    `values`: its name, and those of its columns that were shown. `called`: what it is called in texts.
    """

    document: str
    rows: tuple[Condition, ...]
    asked: str
    values: tuple[str, ...] = ()
    called: tuple[str, ...] = ()

    @property
    def table(self) -> str:
        """The name of the table, or an empty text where the list before named none."""
        of_table = (each.values for each in self.rows if isinstance(each, AnyOf) and each.field == TABLE)
        return next((str(value) for values in of_table for value in values), "")


def row_spoken_of(request: PlanRequest) -> SpokenRow | None:
    """The listed row which a message calls "it", "she" or "the second one"; None for any other message."""
    listing, shown = request.listing, request.shown.documents
    if listing is None or not listing.of_rows or not shown or not shown[0].row:
        return None
    if request.shown.knowledge_base not in ("", request.knowledge_base):
        return None
    message, meant = request.message, _row_meant(request)
    if meant is None:
        return None
    is_choice = chosen(message, len(shown)) is not None
    tables = tuple(each for each in listing.conditions if each.field == TABLE)
    row = AnyOf(ROW, frozenset({float(meant.row)}))
    asked = asked_of_chosen(message) if is_choice else message
    return SpokenRow(meant.document_id, (row, *tables), asked, meant.values, meant.called)


def _row_meant(request: PlanRequest) -> ShownDocument | None:
    """The row that a message chooses by its number, or of "it" the only one or the first in an order."""
    message, shown = request.message, request.shown.documents
    if (place := chosen(message, len(shown))) is not None:
        return shown[place]
    number = _number(read(message, language_of([message], likely=language_of(request.messages))))
    if number is None and (of_one := _THE_NTH.search(message)):
        number = ordinal(of_one["number"].lower())
    if number is not None:
        return request.shown.numbered(number)
    refers = with_name(message, "", bare=True) or _ITS.search(message) or lacks_object(message)
    is_first = len(shown) == 1 or (request.listing is not None and request.listing.sort is not None)
    return shown[0] if refers and is_first else None


def lacks_object(message: str) -> bool:
    """Whether a question says what was done and not to what: "who operated?"."""
    return _LACKS_OBJECT.fullmatch(message.strip()) is not None


def of_the_first(plan: Plan, request: PlanRequest) -> Plan:
    """The plan, with its numbers of the first records alone where only those were listed: "what do they sum up to?"."""
    listing, shown = request.listing, request.shown.documents
    if listing is None or not (listing.limit and shown) or listing.group or not plan.continues:
        return plan
    if not plan.aggregates or plan.group or plan.filters != listing.conditions or len(shown) < listing.limit:
        return plan
    documents = tuple(dict.fromkeys(each.document_id for each in shown))
    if not listing.of_rows:
        return replace(plan, named=documents)
    if len(documents) > 1:
        return plan  # Rows of several documents may have the same numbers.
    rows = AnyOf(ROW, frozenset(float(each.row) for each in shown))
    return replace(plan, named=documents, filters=(rows, *plan.filters))


def speaks_of_another(found: Understood) -> bool:
    """Whether "his" is of one that the message itself names before: "Which boats did Abel build in his youth?"."""
    its = _ITS.search(found.message)
    before = found.message[: its.start()].casefold() if its else ""
    meaning = found.meaning
    values = [str(each) for name, values in meaning.wanted.items() if name != TABLE for each in values]
    return any(each.casefold() in before for each in (*values, *meaning.named))


def _of_chosen(
    document: str, asked: str, earlier: Sequence[str], understand: Callable[[Sequence[str]], Understood]
) -> Understood:
    """`asked`: what is asked of it, if anything; else it completes what was asked back."""
    if asked:
        found = understand([with_name(asked, document, bare=True) or f"{asked} in {document}?"])
        return _on(document, found, topic=found.meaning.topic or ("" if found.meaning.fields else asked))
    before = understand(earlier)
    # Of a list about a subject the document itself is wanted.
    return _on(document, before, topic="" if before.wants_documents else before.meaning.topic)


def _only_one(request: PlanRequest) -> str | None:
    """The id of the document that "it" is: the only one listed, the first in an order ("the newest?"), or cited."""
    shown, listing = request.shown.documents, request.listing
    if not shown or request.shown.knowledge_base not in ("", request.knowledge_base):
        return None
    if listing is None:
        return next((each.document_id for each in request.shown.cited), None)
    is_one = len(shown) == 1 or listing.sort is not None
    return shown[0].document_id if is_one and not shown[0].excerpt else None


def _on(document: str, found: Understood, **changes: Any) -> Understood:
    meaning = replace(found.meaning, named=(document,), **changes)
    return replace(found, meaning=meaning, single=False, continues=True, wants_documents=False)
