"""Plans questions on the documents of one base, from its schema alone: what each message means after those before it.

1. facts: what the message surely mentions (`facts.py`);
2. reading: what each mention does, by learnt heads over the masked message (`reading.py`);
3. composition: conditions, numbers, order and topic (`message_meaning.py`), and what stays of the plan before
   (`following.py`);
4. judging: the strategy (`judging.py`), and how likely the whole plan is right (`confidence.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.understanding.asking_back import (
    LEAD,
    another_name,
    asked_standing,
    asks_who_did,
    clarification,
    completed,
    may_be_reply,
    refers_back,
    with_name,
)
from cicada.understanding.by_date import with_last, with_periods
from cicada.understanding.conditions import compared_columns, unread_conditions, unread_days, unread_names, with_tag
from cicada.understanding.confidence import plan_numbers, reading_numbers
from cicada.understanding.facts import MentionKind
from cicada.understanding.follow_up_text import YOU
from cicada.understanding.following import NEW, Earlier, Following, continued, following, strategy_of, with_same
from cicada.understanding.heads import Heads, packaged_heads, sigmoid
from cicada.understanding.judging import strategy_chances
from cicada.understanding.meaning import Meaning
from cicada.understanding.message_meaning import meaning_of, perhaps_asked_for
from cicada.understanding.reading import (
    LIKELY_WISH,
    SURE_WISH,
    Reading,
    read,
    unread_subject,
    wish_for_documents,
    with_contents_as_conditions,
    with_kinds_as_conditions,
    with_lists_as_topics,
)
from cicada.understanding.understood import (
    DEFINITE,
    VERY_UNSURE,
    Described,
    ReadAlone,
    Understood,
    described,
    in_turn,
    is_subject,
    names_others,
    replacing,
    without,
)
from cicada.understanding.vocabulary import Level, Vocabulary, compiled
from cicada.understanding.words import lexicon, split_words, word_set

_UNSURE = 0.35
_LEAST_SURE = 0.1
_LIKELY_LISTED = 0.3
_LIKELY_OPEN = 0.6
_MOST_RARE = 1
_ON_DOCUMENTS = ("C", "H", "M")
_BEFORE_DOERS = word_set("did does do has have will can may must would should could")
BEFORE_WHETHER = _BEFORE_DOERS | word_set("is are was were")
_MAY_ASK_FOR_DOCUMENTS = frozenset({"you", "i", "we", "me", "us", "there", "any"})
_OF_A_PERSON = word_set("he she him her his")
_WAS_IT = re.compile(r"\W*(?:and )?(?:what|how (?:much|many|high|long)) (?:was|were|is) it\b", re.IGNORECASE)
_WRITING = frozenset({"author", "by", "writer", "verfasser", "autor", "from", "sender"})


class SchemaReader(Struct, frozen=True):
    """Understands messages to the base of one schema; make one for each base and keep it."""

    schema: Schema
    vocabulary: Vocabulary
    heads: Heads = field(default_factory=packaged_heads)

    @classmethod
    def of(cls, schema: Schema) -> SchemaReader:
        return cls(schema, compiled(schema))

    def understand(self, messages: Sequence[str], now: date, asker: str = "") -> Understood:
        """The last of a user's messages. `now`: a day in the user's time zone; `asker`: the name in owner fields."""
        return in_turn(messages, lambda message, before: self.next(message, before, now, asker))

    def of_row(self, message: str, _table: str, now: date, asker: str) -> Understood:
        """A message on a row of a table; which columns that has is not known here."""
        return self.next(message, None, now, asker)

    def of_other_table(self, *_: object) -> None:
        """No other table is known here."""

    def people(self, _: str) -> Sequence[str]:
        """Nobody: no table is known here."""
        return ()

    def next(self, message: str, before: Understood | None, now: date, asker: str) -> Understood:
        """A message after what came before it."""
        plan, numbers = self.judged(message, before, now, asker)
        return replace(plan, confidence=self.heads.whole.chance(numbers)) if numbers else plan

    def judged(
        self, message: str, before: Understood | None, now: date, asker: str
    ) -> tuple[Understood, Sequence[float]]:
        """The plan, with the confidence of its parts, and the numbers by which the whole is judged.

        There are none where the message was not read by heads.
        """
        rule = self.schema.in_force
        if rule and rule.field and (named := asked_standing(message, before.meaning.named if before else ())):
            # Texts are searched where no document is called so: "is the discount still valid?"
            meaning = Meaning(named=(named,), fields=(rule.field,))
            return Understood(message, meaning, "M", VERY_UNSURE), ()
        own = self._read(message, now, asker)
        asks_what = own.strategy in ("H", "M") and self._asks_what_somebody_did(own.reading)
        if asks_what or (own.strategy in ("A", "H", "M") and self._asks_who_did(own)):
            own = replace(own, meaning=Meaning(topic=own.meaning.topic), strategy="C")
        if before is None or before.strategy == "N":
            plan = self._alone(own, asker)
            return plan, plan_numbers(own, plan, None, None)
        earlier = Earlier(before.meaning, before.strategy)
        goes_on = following(own.reading, own.meaning, own.strategy, earlier, self.heads)
        plan = self._after(own, before, goes_on, now, asker)
        return plan, plan_numbers(own, plan, before, goes_on)

    def _after(self, own: ReadAlone, before: Understood, goes_on: Following, now: date, asker: str) -> Understood:
        """The plan of a message after another one. `goes_on`: what it does to the plan before."""
        if own.strategy == "A" and (whole := self._of_the_named(own, before, now, asker)):
            return whole
        if other := another_name(before.meaning.named, own.message, asked=before.single):
            meaning = replace(before.meaning, named=(other,))
            return replace(before, message=own.message, meaning=meaning, continues=True)
        if before.strategy == "A" or before.single:
            is_request = own.strategy in _ON_DOCUMENTS and self._begins_a_request(own.reading, own.message)
            if not is_request and (whole := self._answered(own.message, before, goes_on, now, asker)):
                return whole
        if before.strategy == "A":
            return self._alone(own, asker)
        if before.strategy == "C" and own.strategy in ("A", "H", "M") and _is_of_texts(own):
            return Understood(own.message, Meaning(topic=before.meaning.topic), "C", own.confidence, continues=True)
        own = replace(own, meaning=with_same(own.meaning, before.meaning, own.reading))
        if goes_on.relation != NEW and not own.begins_anew(before):
            return self._continued(own, before, goes_on, asker)
        return self._alone(replace(own, confidence=min(own.confidence, goes_on.chance)), asker)

    def _read(self, message: str, now: date, asker: str) -> ReadAlone:
        reading = read(message, self.vocabulary, now, self.heads)
        meaning = meaning_of(reading, self.vocabulary, asker)
        chances = strategy_chances(reading, self.vocabulary, bool(asker), self.heads)
        strategy = max(chances, key=chances.__getitem__)
        if strategy == "A" and (reading.line.rare_words > _MOST_RARE or reading.strategies["A"] < _LIKELY_LISTED):
            # Who says that much can be answered: what is meant is there, though "that" and "it" are too.
            strategy = max((each for each in chances if each != "A"), key=chances.__getitem__)
        if strategy == "N" and self._asks_of_a_value(reading):
            # "Which animals belong to Ann Lee?" is of what her name is a value of.
            strategy = max((each for each in chances if each not in ("A", "N")), key=chances.__getitem__)
        numbers = reading_numbers(reading, meaning, chances, self.vocabulary)
        confidence = sigmoid(self.heads.confidence.scores(numbers)[0])
        wish = 0.0 if meaning.lacks_asker or _asks_whether(reading) else wish_for_documents(reading, self.heads)
        meaning = self._with_subject(meaning, reading, strategy, wish, asker)
        meaning = self._with_numbers(meaning, reading) if strategy == "M" else meaning
        asks_of_one = strategy == "M" and confidence < _LIKELY_OPEN and meaning == Meaning(fields=meaning.fields)
        # Nothing but a field was read of "when does the lease end?": "lease" is what it is asked of, however common.
        phrase = described(reading, self.vocabulary, () if asks_of_one else self.heads.known)
        if strategy == "M" and self._names_stand_in_a_field:
            phrase = None  # "The fox mask" is the value of a field.
        sure = min(confidence, max(wish, 1 - wish)) if meaning.topic else confidence
        return ReadAlone(message, reading, meaning, strategy, sure, wish, phrase, chances, numbers)

    def _asks_of_a_value(self, reading: Reading) -> bool:
        """Whether it asks "which" with a condition on a value, or has one on a person: "Search Ann Lee's reports"."""
        values = [role.field or "" for _, role in reading.of_kind(MentionKind.VALUE) if role.is_condition]
        first = next((each.text for each in reading.facts.tokens), "")
        is_of_a_person = any(self.vocabulary.types.get(each) is FieldType.PERSON for each in values)
        return bool(values) and (first in lexicon().which or is_of_a_person)

    def _with_subject(self, meaning: Meaning, reading: Reading, strategy: str, wish: float, asker: str) -> Meaning:
        """The meaning with its subject: values that are no conditions, or unknown words where documents are wanted.

        What is computed or shown has none.
        """
        if strategy == "M" and (meaning.aggregates or (meaning.fields and not meaning.restricted - {TABLE})):
            # "The total of unpaid fees" is of those that are not paid.
            meaning = meaning_of(with_contents_as_conditions(reading), self.vocabulary, asker)
        elif strategy == "M" and meaning.topic:
            meaning = meaning_of(with_kinds_as_conditions(reading, self.vocabulary), self.vocabulary, asker)
        if strategy == "M" and self._lists_all(meaning):
            meaning = replace(meaning, fields=perhaps_asked_for(reading, self.vocabulary))
        if meaning.topic and wish > LIKELY_WISH:
            meaning = meaning_of(with_lists_as_topics(reading, self.vocabulary), self.vocabulary, asker)
        if meaning.topic or meaning.order or meaning.limit or meaning.group:
            return meaning
        states_more = meaning.restricted or meaning.aggregates or meaning.fields
        is_wanted = wish > (SURE_WISH if states_more else LIKELY_WISH)
        return replace(meaning, topic=unread_subject(reading) if is_wanted else "")

    def _with_numbers(self, meaning: Meaning, reading: Reading) -> Meaning:
        """The meaning of a list or a number with its periods, its last records, its tag, and what it leaves out."""
        compared = compared_columns(reading, self.vocabulary)
        if compared and meaning.limit == 1:
            meaning = replace(meaning, order=None, limit=None)  # "Below the minimum stock" is no lowest price.
        unread = (*compared, *unread_conditions(reading), *unread_days(reading, self.vocabulary))
        unread = (*unread, *(unread_names(reading) if meaning.aggregates else ()))
        meaning = replace(meaning, unknown=(*meaning.unknown, *unread))
        meaning = with_periods(meaning, reading, self.schema, self.vocabulary)
        return with_tag(with_last(meaning, reading, self.vocabulary), reading, self.vocabulary)

    @property
    def _names_stand_in_a_field(self) -> bool:
        """Whether each record that the schema is of has a field of names, and is called by that."""
        fields = self.schema.fields.values()
        tables = [each.tables for each in fields if each.tables]
        names = [each.tables for each in fields if self.vocabulary.kinds[each.name] == "name"]
        return any(all(not own or own & other for other in tables) for own in names)

    def _of_the_named(self, own: ReadAlone, before: Understood, now: date, asker: str) -> Understood | None:
        """A message on the one document that was named before: "it" is read as that document's name."""
        name, *others = before.meaning.named or ("",)
        whole = with_name(own.message, name)
        if not name or others or whole is None:
            return None
        found, _ = self.judged(whole, None, now, asker)
        meaning = found.meaning if found.meaning.named else replace(found.meaning, named=(name,))
        strategy = found.strategy
        if strategy in ("A", "N"):
            strategy = "H" if own.has_topic_words else "M"
        return replace(found, message=own.message, meaning=meaning, strategy=strategy, continues=True)

    def _begins_a_request(self, reading: Reading, message: str) -> bool:
        """Whether the message begins with a word such as "list", "show" or "how", as no reply does."""
        first = next(zip(reading.facts.mentions, reading.roles, strict=True), None)
        if first is None or LEAD.match(message):
            return False
        mention, role = first
        word = mention.text.lower()
        is_plain = mention.kind is MentionKind.WORD and role.name == "none"
        return is_plain and word in self.heads.known and word not in DEFINITE

    def _answered(self, message: str, before: Understood, found: Following, now: date, asker: str) -> Understood | None:
        """The question that was asked back, completed by a reply; None if the message is no reply."""
        if found.relation == NEW or not may_be_reply(message):
            return None
        noun = before.meaning.named[-1] if before.meaning.named else ""
        whole, _ = self.judged(completed(before.message, message, noun), None, now, asker)
        if whole.strategy in ("A", "N") or (whole.single and whole.meaning.named == before.meaning.named):
            whole = Understood(message, Meaning(topic=message), "C", whole.confidence / 2)
        return replace(whole, continues=True, completes=before.message)

    def _continued(self, own: ReadAlone, before: Understood, found: Following, asker: str) -> Understood:
        earlier, meaning = Earlier(before.meaning, before.strategy), own.meaning
        if before.strategy in ("C", "H") and not before.wants_documents and own.restricts_by_guess:
            # After a question on what texts say, "and over 100,000?" is on them too.
            sure = min(own.confidence, found.chance)
            if before.strategy == "C":
                return Understood(own.message, Meaning(topic=before.meaning.topic), "C", sure, continues=True)
            if before.meaning.topic and own.restricting == {MentionKind.NUMBER} and not before.meaning.bounds:
                return Understood(own.message, before.meaning, "H", sure, continues=True)
        if before.strategy == "M" and not own.has_topic_words and own.reading.refers_to_several:
            meaning = meaning_of(with_contents_as_conditions(own.reading), self.vocabulary, asker)
        if own.strategy == "A" and before.strategy == "M" and not own.has_topic_words:
            meaning = replace(meaning, topic="")  # "Is it approved?" asks for a field of what was listed.
        whole = continued(meaning, earlier, found, own.reading, self.vocabulary)
        if before.strategy == "M" and before.meaning.named and own.meaning.fields and not own.has_topic_words:
            whole = replace(whole, topic="")  # "And the premium?" asks for another field of the same document.
        if meaning == Meaning() and own.is_of_a_subject:
            whole = replace(whole, unknown=(own.message,))  # After a list "returned goods" says nothing of it.
        kept = [max(each, 1 - each) for each in found.keeps.values()]
        if before.strategy == "M":
            whole = with_periods(whole, own.reading, self.schema, self.vocabulary)
            whole = with_last(whole, own.reading, self.vocabulary)
        sure = min(own.confidence, found.chance, *kept)
        wants = own.wants_documents or own.speaks_of_the_list(before)
        if wants and not whole.topic:
            whole = replace(whole, topic=before.meaning.topic)
        wants = wants and bool(whole.topic)
        strategy = strategy_of(whole, own.strategy, earlier)
        return Understood(own.message, whole, strategy, sure, continues=True, wants_documents=wants)

    def _alone(self, own: ReadAlone, asker: str) -> Understood:
        message, reading, meaning, phrase = own.message, own.reading, own.meaning, own.phrase
        strategy, confidence = own.strategy, own.confidence
        if own.wants_documents and not meaning.named and not own.names_one:
            strategy = "H" if meaning.restricted else "C"
            return Understood(message, meaning, strategy, confidence, has_subject=True, wants_documents=True)
        meaning, strategy = _asked_of_a_name(own, *self._consistent(own, asker))
        rule = self.schema.in_force
        if rule and rule.replaces and (found := replacing(meaning, reading, rule.replaces)):
            return Understood(message, found, "M", confidence)
        if strategy == "N" and phrase and phrase.is_kind and meaning.unknown:
            strategy = "A"
        asks_field = bool(meaning.fields) and meaning.restricted <= self.vocabulary.kind_fields
        if asks_field and (strategy == "C" or (strategy == "H" and own.strategy == "M")):
            # "Who owns the staff handbook?": the texts are searched if there is no such document.
            phrase = phrase or described(reading, self.vocabulary, ())
            strategy, confidence = ("A", min(confidence, _LEAST_SURE)) if phrase else (strategy, confidence)
        elif asks_field and phrase is None and strategy in ("A", "M"):
            # A field is asked of a document, however common the words for it: "the owner of the glove leak document".
            phrase = described(reading, self.vocabulary, ())
            of_none = not meaning.restricted and reading.leaves_out
            is_one = phrase and (strategy == "A" or of_none or (phrase.is_kind and not phrase.is_bare))
            phrase = phrase if is_one else None
        # "For the tax file: list all documents" asks for other documents than the one that it names.
        if phrase and phrase.is_kind and strategy in ("H", "M") and names_others(phrase, reading, self.vocabulary):
            if is_subject(phrase, reading) and not (meaning.fields or phrase.is_bare):
                return Understood(message, Meaning(named=(phrase.words,), topic=message), "H", confidence)
            meaning = without(meaning, phrase, self.vocabulary) if strategy == "M" else meaning
            phrase = None
        if phrase and strategy in ("A", "H", "M") and not meaning.lacks_asker:
            meaning, strategy, single = self._of_one(message, meaning, strategy, phrase)
            if single or meaning.named:
                strategy = strategy if single else self._of_named(own, meaning, strategy)
                return Understood(message, meaning, strategy, confidence, single)
        strategy = self._of_named(own, meaning, strategy) if meaning.named else strategy
        strategy = self._searching(own, meaning, strategy, is_open=phrase is None)
        noun = phrase.words if phrase else ""
        question = clarification(reading, meaning, self.schema, noun) if strategy == "A" else ""
        has_subject = bool(meaning.topic or meaning.named or reading.line.rare_words)
        has_subject = has_subject or not _asks_the_assistant(reading)
        return Understood(message, meaning, strategy, confidence, question=question, has_subject=has_subject)

    def _asks_what_somebody_did(self, reading: Reading) -> bool:
        """Whether it asks what a person did that no field tells: "what did Tomas vote?" asks for none of his documents.

        Where a schema is declared, or the field is that of an author, who says something has written it.
        """
        pairs = list(zip(reading.facts.mentions, reading.roles, strict=True))
        for (helping, _), (who, role), (verb, its) in zip(pairs, pairs[1:], pairs[2:], strict=False):
            field = self.schema.fields.get(role.field or "")
            if field is None or not field.inferred or field.type is not FieldType.PERSON:
                continue
            is_verb = verb.kind is MentionKind.WORD and its.name in ("none", "topic") and who.end == verb.start
            if is_verb and helping.text.lower() in _BEFORE_DOERS and _WRITING.isdisjoint(split_words(field.name)):
                return not reading.names_records
        return False

    def _asks_who_did(self, own: ReadAlone) -> bool:
        """Whether it asks of nothing but persons, who did what no field tells: "who saw it?" is no list of owners."""
        if own.meaning != Meaning(fields=own.meaning.fields, topic=own.meaning.topic):
            return False
        # Who is in a row has done what is asked.
        return self._has_undeclared_documents and asks_who_did(own.message, self.schema)

    @property
    def _has_undeclared_documents(self) -> bool:
        """Whether no schema is declared, and documents are not only rows of tables."""
        fields = [each for each in self.schema.fields.values() if each.name != TABLE]
        return self.schema.is_inferred and any(each.is_of_documents for each in fields)

    def _consistent(self, own: ReadAlone, asker: str) -> tuple[Meaning, str]:
        """What the message means with a strategy that leaves none of its words out."""
        reading, meaning, strategy = own.reading, own.meaning, own.strategy
        if meaning.lacks_asker and strategy in ("M", "H"):
            strategy = "A"
        elif strategy == "A" and (len(meaning.restricted) > 1 or (asker and meaning.speaks_of(asker))):
            strategy = "H" if meaning.topic else "M"
        is_unsure = strategy == "M" and own.confidence < _UNSURE
        names_some = meaning.restricted or meaning.named or reading.names_records
        is_of_all = self._lists_all(meaning) or (meaning.counts_all and reading.leaves_out)
        if strategy == "M" and not names_some and is_of_all:
            # "Next page" without a page before it is no list of everything, nor is a question about nothing known.
            strategy = "C" if meaning.topic or meaning.counts_all or reading.line.rare_words > 1 else "A"
        if strategy == "M" and self._is_of_things(reading, meaning):
            return Meaning(topic=own.message), "C"
        if strategy == "H" and meaning.topic:
            meaning = meaning_of(with_lists_as_topics(reading, self.vocabulary), self.vocabulary, asker)
        elif strategy == "H":
            meaning = meaning.searching_for_lists(self.vocabulary.types)
        if strategy == "H" and own.restricting == {MentionKind.NUMBER} and not reading.names_records:
            return Meaning(topic=meaning.topic), "C"  # "Who may sign an order over 20,000?" speaks of no documents.
        guessed = self._guessed(own, meaning) if strategy == "M" else None
        if guessed:
            return guessed
        if strategy == "M" and is_unsure and (reading.unread or meaning.topic) and self._lists_all(meaning):
            # A list that leaves a word out is no answer.
            strategy = "H"
            meaning = replace(meaning, topic=" ".join((*meaning.topic.split(), *reading.unread)))
        return meaning, strategy

    def _is_of_things(self, reading: Reading, meaning: Meaning) -> bool:
        """Whether it asks for things that nothing is called: "how many complaints in 2024" counts no documents."""
        plain = lexicon().function | lexicon().cues.keys() | lexicon().which | BEFORE_WHETHER
        words = (each.text.lower() for each, role in reading.of_kind(MentionKind.WORD) if role.name == "none")
        if reading.names_records or plain.issuperset(words) or not self._has_undeclared_documents:
            return False
        only_dated = meaning.bounds and all(
            self.vocabulary.types[name] is FieldType.DATE for name in meaning.restricted
        )
        states_more = meaning.named or meaning.fields or meaning.group or meaning.order
        return bool(only_dated) and not states_more

    def _guessed(self, own: ReadAlone, meaning: Meaning) -> tuple[Meaning, str] | None:
        """A search instead of a list that is hardly what is asked for; None where it may be."""
        reading = own.reading
        if own.confidence >= VERY_UNSURE:
            return None
        lists = frozenset(name for name, each in self.vocabulary.types.items() if each is FieldType.KEYWORDS)
        if len(reading.unread) > 1 and meaning.restricted <= lists:
            return Meaning(), "C"  # "A supplier gave me a hamper" lists nothing by a tag.
        asks_of_one = own.phrase is not None and meaning.fields  # "When is the review of the mash protocol due?"
        if meaning.topic and not (meaning.aggregates or meaning.group or reading.names_records or asks_of_one):
            return replace(meaning, order=None, limit=None), "H"  # "What does Nimbus promise?" asks for no documents.
        return None

    def _searching(self, own: ReadAlone, meaning: Meaning, strategy: str, *, is_open: bool) -> str:
        """The strategy, or a search where that may answer what seems to be for nobody or to leave its object out.

        `is_open`: no phrase may describe a document.
        """
        # Where no schema says what the documents are about, any subject may be theirs.
        if strategy == "N" and (meaning.named or not any(each.values for each in self.schema.fields.values())):
            return "C"
        if strategy == "A" and _asks_the_assistant(own.reading):
            return "N"
        # What has a subject is searched for before it is asked back.
        has_topic = is_open and bool(meaning.topic) and own.confidence < _LIKELY_OPEN
        return "C" if strategy == "A" and (has_topic or own.is_of_a_subject) else strategy

    def _of_named(self, own: ReadAlone, meaning: Meaning, strategy: str) -> str:
        """The strategy of a message on a named document: to show the document may leave out what is asked of it."""
        says_more = len(own.reading.facts.mentions) > 1 and own.confidence < _UNSURE and self._lists_all(meaning)
        if strategy == "A" or (strategy == "M" and says_more):
            return "M" if meaning.fields else "H"
        return strategy

    def _lists_all(self, meaning: Meaning) -> bool:
        """Whether it asks for the documents of a kind, or for all of them, and for nothing else of them."""
        states_more = meaning.aggregates or meaning.group or meaning.order or meaning.fields or meaning.limit
        return not states_more and meaning.restricted <= self.vocabulary.kind_fields

    def _of_one(self, message: str, meaning: Meaning, strategy: str, phrase: Described) -> tuple[Meaning, str, bool]:
        """What the message means if it speaks of the one document of a phrase, and whether it does so by kind alone."""
        states_more = meaning.named or meaning.limit or meaning.aggregates or meaning.group or meaning.order
        if states_more or (strategy == "H" and not phrase.is_kind):
            return meaning, strategy, False
        rest = without(meaning, phrase, self.vocabulary)
        if rest.restricted - self.vocabulary.kind_fields:
            if strategy != "H" or phrase.is_bare:
                return meaning, strategy, False
            rest = Meaning(topic=message)  # "Does the gifts policy apply to the Laboratory?" is asked of its text.
        if strategy == "A":
            strategy = "M" if meaning.fields else "H"
            rest = rest if rest.topic or rest.fields else replace(rest, topic=message)
        elif strategy == "M" and not rest.fields and not set(phrase.words.split()).issuperset(rest.topic.split()):
            strategy = "H"  # To show the document would leave out what is asked of it.
        if phrase.is_bare and phrase.is_kind:
            return rest, strategy, True
        # "The lease" may be any of several; who names more of a document means what fits it.
        is_name = phrase.mentions[0].kind is MentionKind.NAME
        asks_of_one = strategy == "M" and bool(rest.fields) and phrase.is_kind
        return replace(rest, named=(phrase.words,)), strategy, asks_of_one or (phrase.is_bare and not is_name)


def _asked_of_a_name(own: ReadAlone, meaning: Meaning, strategy: str) -> tuple[Meaning, str]:
    """A search in a document that has a name: "how long is the notice in the Marsh Road charter?"."""
    if strategy == "C" and own.phrase and own.phrase.names_by_name and not meaning.named:
        return replace(meaning, topic=own.message), "H"
    return meaning, strategy


def _asks_whether(reading: Reading) -> bool:
    """Whether a question is answered by yes or no, and asks for no documents: "can visitors bring their pets?"."""
    first, second = ([each.text for each in reading.facts.tokens] + ["", ""])[:2]
    return first in BEFORE_WHETHER and second not in _MAY_ASK_FOR_DOCUMENTS


def _is_of_texts(own: ReadAlone) -> bool:
    """Whether a question is on what the texts said before: "do members pay it too?", "how much does he owe?"."""
    said = [each.text for each in own.reading.facts.tokens]
    if "it" in said and (_asks_whether(own.reading) or _WAS_IT.match(own.message)):
        return True
    computes = own.strategy != "H" and bool(own.meaning.aggregates) and not own.meaning.restricted - {TABLE}
    return computes and (refers_back(own.message) or not _OF_A_PERSON.isdisjoint(said))


def _asks_the_assistant(reading: Reading) -> bool:
    """Whether the message speaks to the assistant and names nothing of the base: "What can you do?"."""
    mentions = reading.of_kind(MentionKind.VALUE, MentionKind.FIELD, MentionKind.RECORD)
    names_something = any(each.meanings[0].level > Level.IMPLIED for each, _ in mentions)
    return not names_something and any(each.text in YOU for each in reading.facts.tokens)
