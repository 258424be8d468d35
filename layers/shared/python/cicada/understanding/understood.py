"""What a message means, read alone and after those before it, and which documents it names by a description."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.asking_back import ordinal, refers_back
from cicada.understanding.facts import Mention, MentionKind, in_singular, names_kind
from cicada.understanding.meaning import Meaning
from cicada.understanding.reading import LIKELY_WISH, NOTHING, Reading, Role
from cicada.understanding.vocabulary import Kind, Vocabulary
from cicada.understanding.words import lexicon, word_set

VERY_UNSURE = 0.2
"""A reading of less confidence is hardly more than a guess."""
# Messages before the last one that are looked at.
_EARLIER = 8
DEFINITE = word_set("the this that der die das den dem des diese dieser dieses le la el los las il lo")
_OF_ALL = word_set("whole entire overall")
_ASKING = word_set("how when where why wie wann wo warum comment quand où cómo cuándo dónde")
_JOINING = word_set(
    "of for with about on concerning regarding von für mit über zu de du des pour avec sur del para con sobre"
)
_ARTICLES = DEFINITE | word_set("a an our ein eine einen un une una um uma")
_HELPING, _PASSIVE = frozenset({"do", "does", "did"}), frozenset({"by", "been", "was", "is", "successor"})
_DESCRIBING = (MentionKind.VALUE, MentionKind.NAME, MentionKind.WORD, MentionKind.RECORD)


class Described(Struct, frozen=True):
    """A definite phrase in the singular. `words`: as written, without the article. `mentions`: in it.

    `is_kind`: it ends with a word for records or for a kind of them. `is_bare`: that word is all of it.
    """

    words: str
    mentions: tuple[Mention, ...]
    is_kind: bool
    is_bare: bool

    @property
    def names_by_name(self) -> bool:
        """Whether it is a word for a kind of document with a name: "the Marsh Road charter"."""
        return self.is_kind and any(each.kind is MentionKind.NAME for each in self.mentions)


def described(reading: Reading, vocabulary: Vocabulary, known: Collection[str]) -> Described | None:
    """The first definite phrase of the message that may describe one document. `known`: words of many stores.

    Who writes "refund policy" and nothing else leaves the article out.
    """
    pairs = list(zip(reading.facts.mentions, reading.roles, strict=True))
    is_whole = _is_telegraphic(reading.facts.mentions, vocabulary)
    if is_whole and (found := _phrase(pairs, reading, vocabulary, ())):
        return found
    for at, (mention, _) in enumerate(pairs):
        before = reading.facts.tokens[mention.start - 1].text if mention.start else ""
        if before in DEFINITE and _begins(pairs[at : at + 2], known):
            found = _phrase(pairs[at:], reading, vocabulary, known)
            if found:
                return found
    return None


def _is_telegraphic(mentions: Sequence[Mention], vocabulary: Vocabulary) -> bool:
    """Whether words of no value or field, and then a kind, are all of the message."""
    words, kinds = mentions[:-1], mentions[-1:]
    telling = lexicon().function | lexicon().cues.keys()
    are_plain = all(each.kind is MentionKind.WORD and each.text.lower() not in telling for each in words)
    return bool(words) and are_plain and any(names_kind(each, vocabulary) for each in kinds)


def _begins(pairs: Sequence[tuple[Mention, Role]], known: Collection[str]) -> bool:
    """Whether a phrase begins here: with a word that describes, or another before one, as in "the warehouse lease"."""
    (first, role), *after = pairs
    if _describes(first, role, known):
        return True
    word = first.text.lower()
    is_plain = first.kind is MentionKind.WORD and word not in lexicon().function and word not in lexicon().cues
    return is_plain and any(
        each.kind is MentionKind.WORD and first.end == each.start and _describes(each, of, known) for each, of in after
    )


def _phrase(
    pairs: list[tuple[Mention, Role]], reading: Reading, vocabulary: Vocabulary, known: Collection[str]
) -> Described | None:
    """The words from here on that describe, up to the first record or kind in the singular, or the last of them."""
    run: list[Mention] = []
    for mention, role in pairs:
        if run and not (run[-1].end == mention.start and _describes(mention, role, known)):
            break
        run.append(mention)
        if names_kind(mention, vocabulary):
            break
    last, following = run[-1], pairs[len(run)][0] if len(run) < len(pairs) else None
    if following and last.kind is MentionKind.NAME and _is_year_of(last, following):
        return Described(_words([*run, following], reading), (*run, following), is_kind=False, is_bare=False)
    if following and names_kind(last, vocabulary) and _is_quoted(following, reading, last.end):
        return Described(following.text, (*run, following), is_kind=True, is_bare=False)
    if not in_singular(last, reading.facts):
        return None
    is_kind = names_kind(last, vocabulary)
    words = _words(run, reading)
    kind = next((each.value for each in last.meanings if each.field in vocabulary.kind_fields and each.value), "")
    if kind and len(run) > 1:
        words = f"{_words(run[:-1], reading)} {kind}"  # Documents know their kind by its value: SOP, not procedure.
    if not is_kind and all(each.kind is MentionKind.VALUE or each.text.lower() in known for each in run):
        return None  # "The Laboratory" is a department, and "the penalty" what is asked for.
    more = _complement(pairs[len(run) :], known) if is_kind else []
    if more:
        return Described(f"{_words(more, reading)} {words}", (*run, *more), is_kind=True, is_bare=False)
    return Described(words, tuple(run), is_kind, len(run) == 1)


def _is_year_of(name: Mention, following: Mention) -> bool:
    """Whether a year belongs to the name before it: "the Training Report 2024"."""
    return following.kind is MentionKind.DATE and following.start == name.end and following.text.isdecimal()


def _is_quoted(mention: Mention, reading: Reading, start: int) -> bool:
    is_next = mention.kind is MentionKind.NAME and mention.start == start + 1
    return is_next and reading.facts.tokens[start].text == '"'


def _words(run: Sequence[Mention], reading: Reading) -> str:
    return " ".join(each.raw for each in reading.facts.tokens[run[0].start : run[-1].end])


def _complement(pairs: Sequence[tuple[Mention, Role]], known: Collection[str]) -> list[Mention]:
    """What the kind is said to be of or for: "isolator" in "the contract for the isolator"."""
    found: list[Mention] = []
    for at, (mention, role) in enumerate(pairs):
        word = mention.text.lower()
        if (at == 0 and word in _JOINING) or (at > 0 and not found and word in _ARTICLES):
            continue
        is_next = not found or found[-1].end == mention.start
        if at == 0 or not is_next or not (_describes(mention, role, known) or role.name == "topic"):
            break
        found.append(mention)
    return found


def _describes(mention: Mention, role: Role, known: Collection[str]) -> bool:
    if mention.kind not in _DESCRIBING or role.name in ("show", "by", "agg"):
        return False
    word = mention.text.lower()
    if mention.kind is MentionKind.WORD:
        is_name = word not in known or mention.text[0].isupper()
        return word not in lexicon().function and (is_name or role.name not in (None, "none"))
    return True


def replacing(meaning: Meaning, reading: Reading, field: str) -> Meaning | None:
    """What a message asks of a document by its number: what has replaced it, or what it replaced.

    `field`: in which a document names those that it replaces. None for a message that asks neither.
    """
    words = [each.text for each in reading.facts.tokens]
    verb = next((at for at, word in enumerate(words) if word in lexicon().replacing), None)
    document = next((each for each, _ in reading.of_kind(MentionKind.DOCUMENT)), None)
    if verb is None or document is None or len(meaning.named) != 1:
        return None
    is_after = verb < document.start and _HELPING.isdisjoint(words[:verb])
    if is_after or (document.start < verb and not _PASSIVE.isdisjoint(words[verb - 1 : verb + 2])):
        return Meaning(wanted={field: meaning.named})
    return Meaning(named=meaning.named, fields=(field,))


def names_others(found: Described, reading: Reading, vocabulary: Vocabulary) -> bool:
    """Whether the message asks for several documents beside the one of the phrase."""
    others = (each for each in reading.facts.mentions if each not in found.mentions and names_kind(each, vocabulary))
    return any(not in_singular(each, reading.facts) for each in others)


def is_subject(found: Described, reading: Reading) -> bool:
    """Whether the message asks what the document does: "which SOPs does the Change Control SOP mention?"."""
    start = found.mentions[0].start
    return not _HELPING.isdisjoint(each.text for each in reading.facts.tokens[max(0, start - 2) : start])


def without(meaning: Meaning, found: Described, vocabulary: Vocabulary) -> Meaning:
    """The meaning without the conditions that were read from the phrase, but for the kind of the document."""
    inside = {
        (each.field, each.value) for mention in found.mentions for each in mention.meanings if each.kind is Kind.VALUE
    }
    names = {mention.text for mention in found.mentions}
    wanted = {
        name: tuple(
            each
            for each in values
            if name in vocabulary.kind_fields
            or ((name, each) not in inside and str(each) not in found.words and str(each) not in names)
        )
        for name, values in meaning.wanted.items()
    }
    days = {mention.days for mention in found.mentions if mention.days}
    bounds = {
        name: each
        for name, each in meaning.bounds.items()
        if each.contains not in names and not (days and vocabulary.types[name] is FieldType.DATE)
    }
    return replace(meaning, wanted={name: values for name, values in wanted.items() if values}, bounds=bounds)


class Understood(Struct, frozen=True):
    """A message as it is understood after those before it.

    `strategy`: one of `judging.STRATEGIES`. `single`: it speaks of one document that its conditions describe.
    `continues`: something of an earlier message holds. `completes`: the message before, if this one is the reply to
    what was asked back. `question`: what to ask back, with NeedsClarification.
    `has_subject`: it has words that may be a subject of the texts. `wants_documents`: it asks for the documents about
    its topic.
    """

    message: str
    meaning: Meaning
    strategy: str
    confidence: float
    single: bool = False
    continues: bool = False
    question: str = ""
    completes: str = ""
    has_subject: bool = False
    wants_documents: bool = False


def in_turn(messages: Sequence[str], after: Callable[[str, Understood | None], Understood]) -> Understood:
    """The last of a user's messages. `after`: what one means after what came before it."""
    found: Understood | None = None
    for message in messages[-_EARLIER - 1 :]:
        found = after(message, found)
    return found or after("", None)


class ReadAlone(Struct, frozen=True):
    """A message read alone. `wish`: the probability that it wants documents, if it has a topic.

    `phrase`: what may describe one document. `strategies`: the probability of each. `numbers`: what the confidence
    depends on.
    """

    message: str
    reading: Reading
    meaning: Meaning
    strategy: str
    confidence: float
    wish: float
    phrase: Described | None
    strategies: Mapping[str, float]
    numbers: Sequence[float]

    @property
    def has_topic_words(self) -> bool:
        """Whether its topic has words that are no values."""
        return any(role.name == "topic" for role in self.reading.roles)

    @property
    def wants_documents(self) -> bool:
        """Whether it wants the documents about its topic."""
        return bool(self.meaning.topic) and self.wish > LIKELY_WISH

    @property
    def restricting(self) -> frozenset[MentionKind]:
        """The kinds of the mentions that are conditions."""
        return frozenset(mention.kind for mention, role in self.reading.of_kind(*MentionKind) if role.is_condition)

    @property
    def restricts_by_guess(self) -> bool:
        """Whether its conditions are of numbers, dates and names alone, and it has no word for documents."""
        is_guess = bool(self.restricting) and self.restricting.isdisjoint({MentionKind.VALUE, MentionKind.ASKER})
        return is_guess and not (self.reading.names_records or self.meaning.fields or self.meaning.aggregates)

    @property
    def names_one(self) -> bool:
        """Whether it names one document: "the Change Control SOP", but "the SOP about cleaning" may be any of several.

        A phrase beside a word for documents ("letters about the cholera outbreak") is their subject.
        """
        if self.phrase is None or self.phrase.is_bare:
            return False
        return self.phrase.is_kind or not self.reading.names_records

    @property
    def is_of_a_subject(self) -> bool:
        """Whether hardly anything was read, though it has several words of its own: "endotoxin limit per stopper"."""
        telling = lexicon().function | lexicon().cues.keys()
        words = self.reading.of_kind(MentionKind.WORD, MentionKind.NAME)
        subject = [each for each, role in words if each.text.lower() not in telling and role.name in NOTHING]
        refers = refers_back(self.message) or self.reading.refers_to_several
        return self.confidence < VERY_UNSURE and len(subject) > 1 and not refers

    @property
    def _asks_by_itself(self) -> bool:
        """Whether it is a whole question that refers to nothing: not "what about noise?" or "who wrote them?"."""
        first, second = [*(each.text for each in self.reading.facts.tokens[:2]), "", ""][:2]
        asks = first in lexicon().which | _ASKING and second != "about"
        return asks and not (refers_back(self.message) or self.reading.refers_to_several)

    def begins_anew(self, before: Understood) -> bool:
        """Whether it names all that it wants: "which documents are about noise?", "what does the Noise Policy say?"."""
        asks_of_it = self.strategy in ("C", "H") or bool(self.meaning.fields)
        if before.strategy == "M" and asks_of_it and self.names_one:
            return True
        computes = self.meaning.aggregates or self.meaning.group or self.meaning.order
        if computes and not _OF_ALL.isdisjoint(each.text for each in self.reading.facts.tokens):
            return True  # "The total value of the whole inventory" is not of the costumes alone.
        if before.strategy == "M" and self._says_again(before):
            return True
        is_of_texts = before.strategy in ("C", "H") and not before.wants_documents
        asks_of_phrase = self.strategy == "M" and self.meaning == Meaning(fields=self.meaning.fields)
        if self.phrase and asks_of_phrase and (is_of_texts or self._names_another(before)):
            return True  # After holidays, or a list of procedures, "when does the lease end?" is of a lease.
        if before.wants_documents and self.strategy in ("C", "H", "N") and self._asks_by_itself:
            return True  # After the documents about glass, "what is the shelf life of the drops?" is of all of them.
        if not self.reading.names_records:
            return False
        if self.wish > LIKELY_WISH and (self.meaning.topic or before.wants_documents):
            return True
        # After an answer from texts a count of documents is of others, unless it refers to them.
        counts = self.strategy == "M" and bool(self.meaning.aggregates or self.meaning.group)
        return counts and is_of_texts and not refers_back(self.message)

    def _says_again(self, before: Understood) -> bool:
        """Whether it asks "which" of a value that was said before: "which surgeries were cancelled" is of them all."""
        wanted, earlier = self.meaning.wanted, before.meaning.wanted
        again = any(earlier.get(name) == values for name, values in wanted.items() if name != TABLE)
        return again and self._asks_by_itself and len(wanted) > 1

    def _names_another(self, before: Understood) -> bool:
        """Whether it asks of a thing by a noun that is no word for records and was not said before."""
        if self.phrase is None or self.phrase.is_kind or not self.phrase.is_bare or not self.meaning.fields:
            return False
        noun = self.phrase.words.lower()
        is_said = noun in before.message.lower() or refers_back(self.message)
        # "The biggest" and "the fourth" are of those before.
        return not is_said and noun not in lexicon().implied and ordinal(noun) is None

    def speaks_of_the_list(self, before: Understood) -> bool:
        """Whether it is about the documents that were listed about a subject: "who owns them?"."""
        # "The lease" is another document, "the approved ones" are of the list.
        last = self.phrase.mentions[-1].kind if self.phrase else MentionKind.VALUE
        names_others = self.meaning.topic or self.reading.names_records or last is not MentionKind.VALUE
        return before.wants_documents and not names_others
