"""How a message is to be answered: by the fields, by the content, by both, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.inflection import singulars
from cicada.planning.deterministic.noun_phrases import HeadKind
from cicada.planning.deterministic.sentence import Sentence
from cicada.planning.plan import Shape
from cicada.planning.tokens import SENTENCE_ENDS

_MOST_WORDS_OF_A_FIELD = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """A shape, how sure it is, and the name of the rule that decided."""

    shape: Shape
    confidence: float
    rule: str


def residue(sentence: Sentence, found: Constraints) -> list[int]:
    """The positions of words that are neither conditions nor grammar: what the documents are searched for."""
    aside = _asides(sentence, found)
    rest = [at for at in range(len(sentence)) if at not in found.used | aside and _is_content(sentence, at)]
    return [at for at in rest if not _links_owner(sentence, found, at)]


def _asides(sentence: Sentence, found: Constraints) -> set[int]:
    """Why the user asks, not what: "I'm new here - …", "for my meeting tomorrow"."""
    if not found.phrases:
        return set()
    cuts = [at for at in range(len(sentence)) if sentence.word(at) in SENTENCE_ENDS | {",", "-", ":"}]
    bounds = [-1, *cuts, len(sentence)]
    aside: set[int] = set()
    for start, end in pairwise(bounds):
        inside = range(start + 1, end)
        asks = any(phrase.head in inside for phrase in found.phrases)
        if not asks and sentence.word(start + 1) in {
            "i",
            "we",
            "my",
            "as",
            "sorry",
            "hi",
            "hello",
            "thanks",
            "nothing",
        }:
            aside.update(inside)
        for at in inside:
            if (
                sentence.word(at) == "for"
                and sentence.word(at + 1) in {"my", "tomorrow", "today", "an", "the"}
                and (any(sentence.is_in(i, "occasions") for i in range(at, min(at + 6, end))))
            ):
                aside.update(range(at, min(at + 6, end)))
    return aside


def _links_owner(sentence: Sentence, found: Constraints, at: int) -> bool:
    """The verb between documents and their owner: "which protocols did Ben Okafor write"."""
    if not sentence.is_in(at, "belonging_verbs"):
        return False
    return any(i in found.used and i in sentence.taken for i in range(at - 2, at + 3))


def _is_content(sentence: Sentence, at: int) -> bool:
    if not sentence.word(at)[0].isalnum():
        return False
    if at in sentence.taken:
        return True
    return not sentence.is_in(at, "function", "determiners", "adverbs", "listing", "metadata", "politeness")


def decide(sentence: Sentence, found: Constraints, rest: list[int]) -> Decision | None:
    """What the rules are sure of; None where only the words can tell content from other matters."""
    words = [at for at in range(len(sentence)) if sentence.word(at)[0].isalnum()]
    if not words:
        return Decision(Shape.NEEDS_CLARIFICATION, 0.7, "empty")
    constrained = bool(found.conditions.fields())
    if not constrained and all(sentence.is_in(at, "small_talk") for at in words) and not _asks_back(sentence):
        return Decision(Shape.NO_MATCH, 0.95, "small talk")
    if is_action(sentence):
        return Decision(Shape.NO_MATCH, 0.9, "action")
    if found.unknown:
        return Decision(Shape.NO_MATCH, 0.85, "unknown value")
    if _unknown_kind(sentence, found):
        return Decision(Shape.NO_MATCH, 0.75, "unknown kind")
    if _lacks_field(sentence, found, rest):
        return Decision(Shape.NO_MATCH, 0.7, "unknown field")
    if _is_unclear(sentence, found, rest):
        return Decision(Shape.NEEDS_CLARIFICATION, 0.85, "no referent")
    if constrained:
        return _constrained(sentence, rest)
    return _listed(sentence, found, rest)


def _constrained(sentence: Sentence, rest: list[int]) -> Decision:
    if not rest:
        return Decision(Shape.METADATA_ONLY, 0.92, "conditions only")
    if not [at for at in _without_fields(sentence, rest) if not _is_filler(sentence, at)]:
        return Decision(Shape.METADATA_ONLY, 0.85, "conditions and fields")
    return Decision(Shape.HYBRID, 0.85, "conditions and content")


def _listed(sentence: Sentence, found: Constraints, rest: list[int]) -> Decision | None:
    """All documents, counts by a field, the newest: answered from the fields without conditions."""
    generic = [phrase for phrase in found.phrases if phrase.kind is HeadKind.GENERIC]
    asks_fields = bool(named_fields(sentence, found))
    left = [at for at in _without_fields(sentence, rest) if not _is_filler(sentence, at)]
    if not left and generic == found.phrases and _is_any_document(sentence, found):
        return Decision(Shape.NEEDS_CLARIFICATION, 0.7, "any document")
    if (generic or found.phrases or "everything" in sentence.words()) and not left:
        return Decision(Shape.METADATA_ONLY, 0.85, "all documents")
    if asks_fields and not left:
        return Decision(Shape.METADATA_ONLY, 0.6, "fields only")
    if generic and left:
        return Decision(Shape.CONTENT_ONLY, 0.85, "documents about content")
    return None


def _is_any_document(sentence: Sentence, found: Constraints) -> bool:
    """A question about a document: one, and nothing says which."""
    ordered = any(sentence.is_in(at, "ordering") for at in range(len(sentence)))
    return (
        bool(found.phrases)
        and not ordered
        and all(not phrase.plural and not phrase.asked for phrase in found.phrases)
        and not sentence.is_in(found.phrases[0].start, "quantifiers")
    )


def _is_filler(sentence: Sentence, at: int) -> bool:
    """A word that says nothing of a subject: "lying around", a number, "released" at the end."""
    dated = sentence.phrase_end(at, sentence.english.phrases["any_date_cues"]) > at and sentence.ends_clause(at + 1)
    return dated or sentence.word(at).isdigit() or sentence.is_in(at, "filler")


def _without_fields(sentence: Sentence, rest: list[int]) -> list[int]:
    return [at for at in rest if not sentence.names_field(at)]


def named_fields(sentence: Sentence, found: Constraints) -> list[str]:
    """The fields that the message names and does not constrain, in order."""
    names: list[str] = []
    for at in range(len(sentence)):
        end, fields = sentence.field_word(at)
        if end > at and at not in found.used and at not in sentence.taken:
            names.extend(sorted(fields - set(names)))
    return names


def _asks_back(sentence: Sentence) -> bool:
    """What is that? Is it this? Words of small talk with a pronoun that means a document."""
    words = [word for word in sentence.words() if word[0].isalnum()]
    asked = "?" in sentence.words() and not {"you", "your", "going"} & set(words)
    pronouns = {"it", "this", "that", "one"}
    return (asked and bool(pronouns & set(words))) or (
        words[-1] in pronouns and words[0] in {"how", "what", "is", "who"}
    )


def is_action(sentence: Sentence) -> bool:
    """A request to do something: "delete …", "please book …", "could you send …"."""
    at, weak = 0, False
    while at < len(sentence):
        if not sentence.word(at)[0].isalnum():
            at += 1
            continue
        end = sentence.phrase_end(at, sentence.english.phrases["request_openers"])
        if end == at:
            break
        weak |= sentence.phrase_end(at, sentence.english.phrases["weak_request_openers"]) == end
        at = end
    if weak or at >= len(sentence) or sentence.is_in(at, "reading_verbs"):
        return False
    return sentence.is_in(at, "actions") and _is_imperative(sentence, at)


def _is_imperative(sentence: Sentence, at: int) -> bool:
    """A verb and its object; the same word alone or before another noun may be a noun or an adjective."""
    following = at + 1
    if sentence.word(following).isdigit():
        return True
    if sentence.spans.get(at) is None and sentence.spans.get(following) is not None:
        return not (sentence.is_in(at, "verbs_like_nouns") and sentence.word(following).endswith("s"))
    after = sentence.word(following)
    if sentence.is_in(following, "objects") or sentence.word(following) in {'"'}:
        return True
    if sentence.is_in(at, "verbs_like_nouns") or sentence.spans.get(at):
        return False
    return sentence.unknown(following) or sentence.is_in(following, "document_nouns", "metadata") or after.isdigit()


def _unknown_kind(sentence: Sentence, found: Constraints) -> bool:
    """The documents asked for are of a kind, a status or a department that the schema does not have."""
    lexicon = sentence.lexicon
    if lexicon.types and _asks_for_kind(sentence, found):
        return True
    for phrase in found.phrases:
        for at in phrase.topics:
            if _names_unknown_value(sentence, at):
                return True
    return _unknown_predicate(sentence, found)


def _names_unknown_value(sentence: Sentence, at: int) -> bool:
    if at in sentence.taken:
        return False
    english = sentence.english
    lists = []
    parts = " ".join(sentence.lexicon.schema.fields).lower()
    if any(name in parts for name in ("status", "state", "stage", "phase")):
        lists.append(english.phrases["strong_statuses"])
    if any(name in parts for name in ("department", "team", "division", "unit")):
        lists.append(english.phrases["strong_departments"])
    return any(sentence.phrase_end(at, phrases) > at for phrases in lists)


def _unknown_predicate(sentence: Sentence, found: Constraints) -> bool:
    """Which SOPs are archived."""
    for phrase in found.phrases:
        at = phrase.end
        while sentence.word(at) in {
            "that",
            "which",
            "are",
            "is",
            "have",
            "been",
            "were",
            "was",
            "has",
            "still",
            "currently",
        }:
            at += 1
        if not _names_unknown_value(sentence, at):
            continue
        end = sentence.phrase_end(at, sentence.english.phrases["strong_statuses"])
        if end > at + (at == phrase.end) and sentence.ends_clause(end):
            return True
    return False


def _asks_for_kind(sentence: Sentence, found: Constraints) -> bool:
    """List all contracts; which invoices …; how many memos: a noun for documents that is no type of this schema."""
    genres, strong = sentence.english.phrases["genres"], sentence.english.phrases["strong_genres"]
    for at in range(len(sentence)):
        if at in sentence.taken or at in found.used:
            continue
        for length in (2, 1):
            words = [sentence.word(at + i) for i in range(length)]
            if not all(words):
                continue
            forms = {(*words[:-1], last) for last in (words[-1], *singulars(words[-1]))}
            plural = tuple(words) not in genres
            if forms & genres and _is_wanted(
                sentence, found, at, at + length, plural=plural, strong=bool(forms & strong)
            ):
                return True
    return False


def _is_wanted(sentence: Sentence, found: Constraints, at: int, end: int, *, plural: bool, strong: bool) -> bool:
    """The noun is the object of a listing or of "which", and nothing but grammar and conditions stands before it."""
    if any(phrase.kind is HeadKind.TYPE for phrase in found.phrases):
        return False
    before = [i for i in range(at) if sentence.word(i)[0].isalnum()]
    if not plural and not any(sentence.is_in(i, "listing") for i in before):
        return False
    if any(sentence.word(i) in {"how", "why", "when"} and sentence.word(i + 1) != "many" for i in before):
        return False
    if not all(
        i in found.used
        or i in sentence.taken
        or sentence.is_in(i, "listing", "metadata", "determiners", "adverbs", "politeness", "document_nouns")
        or sentence.word(i)
        in {"which", "what", "how", "are", "there", "do", "we", "i", "is", "can", "you", "me", "does", "in", "of"}
        for i in before
    ):
        return False
    after = sentence.word(end)
    closed = sentence.ends_clause(end) or end in found.used or end in sentence.dates or end in sentence.spans
    return closed or (strong and (bool(before) or after in {"about", "on", "from", "by", "with", "of", "signed"}))


def _lacks_field(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """Documents larger than some size: the schema has no field that the message asks by."""
    if not found.phrases:
        return False
    names = " ".join(sentence.lexicon.schema.fields).lower()
    for stem, phrases in sentence.english.grouped["missing_fields"].items():
        if stem in names or len(rest) > _MOST_WORDS_OF_A_FIELD:
            continue
        for at in range(len(sentence)):
            if at not in found.used and sentence.phrase_end(at, phrases) > at:
                return True
    measured = any(
        sentence.word(at - 1).isdigit() and sentence.is_in(at, "measures") and at not in found.used
        for at in range(1, len(sentence))
    )
    return measured or _lacks_date(sentence)


def _lacks_date(sentence: Sentence) -> bool:
    """A date by a cue such as "expire" that belongs to no date field of the schema."""
    own = sentence.lexicon.date_cues
    for stem in ("expir", "due"):
        for cue in sentence.english.grouped["date_cues"][stem]:
            if cue in own or len(cue) > 1:
                continue
            for at in range(len(sentence)):
                if sentence.word(at) == cue[0] and at not in sentence.taken and _dated_near(sentence, at):
                    return True
    return False


def _dated_near(sentence: Sentence, at: int) -> bool:
    near = any(at < phrase.start <= at + 3 for phrase in sentence.dates.values())
    return near and sentence.word(at) not in {"end", "ends", "ended", "ending"}


def _is_unclear(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """A pronoun or "the report" without anything that says which, and without a question on content."""
    words = [sentence.word(at) for at in range(len(sentence)) if sentence.word(at)[0].isalnum()]
    if _is_elliptic(sentence, words):
        return True
    vague = [at for at in range(len(sentence)) if sentence.is_in(at, "pronouns")]
    if _points_back(sentence, found, rest):
        return True
    if all(
        sentence.is_in(at, "vague", "pronouns", "function", "politeness", "listing", "determiners", "adverbs")
        for at in range(len(sentence))
        if sentence.word(at)[0].isalnum()
    ):
        pointing = any(sentence.is_in(at, "pronouns") for at in range(len(sentence)))
        asked = pointing or len(words) <= 4 or any(phrase.is_definite for phrase in found.phrases)
        return asked and not _is_plain_listing(found, words) and not _is_constrained_enough(found)
    kind_only = found.conditions.fields() <= {sentence.lexicon.types or ""}
    if vague and kind_only and not [at for at in _without_fields(sentence, rest) if not _is_filler(sentence, at)]:
        return any(sentence.is_in(at, "pointing") for at in vague)
    return kind_only and _is_bare_definite(sentence, found, rest)


def _points_back(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """That report, the previous result, the other decision: a thing of an earlier turn, and little more."""
    if found.conditions.fields() - {sentence.lexicon.types} or len(rest) > 3:
        return False
    for at in range(len(sentence) - 1):
        thing = at + 1
        named = sentence.is_in(thing, "things") or sentence.spans.get(thing) is not None
        if not named:
            continue
        if sentence.is_in(at, "previous"):
            return True
        if sentence.word(at) in {"that", "this", "those", "these"} and not sentence.is_in(at - 1, "document_nouns"):
            return sentence.word(at - 1) not in {"documents", "sops"} and sentence.spans.get(thing) is None
    return False


def _is_elliptic(sentence: Sentence, words: list[str]) -> bool:
    """The same for oncology; what about drafts; and for HR: a question whose other half was never asked."""
    return len(words) <= 6 and sentence.phrase_end(0, sentence.english.phrases["elliptic_openers"]) > 0


def _is_constrained_enough(found: Constraints) -> bool:
    return (
        any(phrase.filters > 0 for phrase in found.phrases)
        or any(phrase.plural and phrase.kind in {HeadKind.TYPE, HeadKind.STATUS} for phrase in found.phrases)
        or bool(found.conditions.ranges)
    )


def _is_plain_listing(found: Constraints, words: list[str]) -> bool:
    """Show all documents; how many documents are there; the newest document."""
    plural = any(phrase.plural and phrase.kind is not HeadKind.PRONOUN for phrase in found.phrases)
    orders = {
        "newest",
        "latest",
        "oldest",
        "recent",
        "recently",
        "many",
        "count",
        "all",
        "list",
        "number",
        "every",
        "earliest",
    }
    demonstrative = {
        "these",
        "those",
        "they",
        "them",
        "this",
        "other",
        "others",
        "same",
        "it",
        "previous",
        "two",
        "both",
    }
    if "everything" in words and not demonstrative & set(words):
        return True
    return bool(found.phrases) and (plural or bool(orders & set(words))) and not demonstrative & set(words)


def _is_bare_definite(sentence: Sentence, found: Constraints, rest: list[int]) -> bool:
    """Show me the report; what does the policy say: one document, and nothing says which."""
    if rest or len(found.phrases) != 1:
        return False
    phrase = found.phrases[0]
    ordered = any(sentence.is_in(at, "ordering") for at in range(len(sentence)))
    return phrase.kind is HeadKind.TYPE and not phrase.plural and not ordered and len(sentence) > 1
