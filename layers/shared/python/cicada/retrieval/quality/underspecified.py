"""How likely a message does not say what it is about: "the actor" of nobody knows which film, "what should I do?"."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from cicada.languages.terms import words
from cicada.retrieval.fusion import logistic
from cicada.retrieval.quality.content_words import content_words, named_words, stem, stems

# Nouns for kinds of things. "The treaty of Utrecht" names one, "the treaty" only refers to one named before.
KINDS = frozenset(
    map(
        stem,
        """
    account act actor actress agency agreement airline album animal app application area article artist association
    athlete attack author award band bank battle bill bird board book brand bridge building business candidate capital
    car case castle celebrity chain champion channel chapter character charge child church city claim coach code college
    colony comedian comic committee community company competition component condition conference conflict contract
    council country county couple court creature crime crisis currency customer deal department device director disease
    district doctor document drama drug email emperor empire employee episode error event exam example expert factory
    family festival file film firm fish flag flower food foundation founder franchise function game genre government
    governor group guideline guy hero holiday hospital hotel house incident individual industry institute institution
    instrument insurance invention inventor island item job journal king kingdom lady lake language law lawyer leader
    league letter library location machine magazine man manager manual material matter meal medicine meeting member
    message method minister mission model money monument mountain movement movie museum musician name nation network
    newspaper novel number office officer order organisation organization owner painter painting paper park part
    participant party patient payment performance performer period person phone place plan planet plant platform play
    player poem poet policy political politician port president price prince princess principle problem procedure
    process product professor program programme project protagonist protein protest province publication queen question
    race record region regulation religion report request requirement restaurant result review river role rule ruler
    scandal scene school scientist season sector series service session setting ship show side singer site software
    soldier song source species sport star state station statement statue stock store story street student study style
    subject subscription substance supplier symbol system tax teacher team technique technology temple term territory
    test theater theatre theory thing time title tool topic tournament town tradition transaction treatment treaty
    tree tribe trilogy trip university user value vehicle vendor version victim village virus war weapon website
    winner woman word work worker writer
    """.split(),  # noqa: SIM905
    )
)
_DEFINITE = frozenset(["the", "this", "these", "those", "his", "her", "its", "their"])
# "That company" refers to one; in "a form that the company uses" the word begins a clause.
_DEFINITE_IF_NEXT = frozenset(["that", "such", "my", "our"])
REFERRING_WORDS = frozenset(
    "he she it they him her them his hers its their theirs this these those one ones same other another".split()  # noqa: SIM905
)
# Modifiers between "the" and its noun: "the last big tournament".
_REACH = 4


# Log odds. Their signs are from theory, their sizes are round numbers; docs/quality.md says what they were tried on.
_CONSTANT, _UNRESOLVED, _REFERRING, _UNCONNECTED, _NAMED, _EMPTY = -2.2, 1.6, 1.4, 0.8, -0.3, 2.0


class Vagueness(Struct, frozen=True):
    """Signals of an unclear subject. `unresolved`: definite references to a kind of thing that nothing named before.

    `referring`: pronouns and the like in a first message without names, so with nothing that they could refer to.
    `unconnected`: the message has neither a name nor a word in common with the turns before it.
    `named`: names and numbers in the message. `empty`: a first message without any word about a subject.
    """

    unresolved: int
    referring: int
    unconnected: bool
    named: int
    empty: bool


def underspecified(message: str, history: Sequence[str] = ()) -> float:
    """0 to 1: how likely nobody can know what the message is about. `history`: the turns before, oldest first."""
    found = vagueness(message, history)
    return logistic(
        _CONSTANT
        + _UNRESOLVED * min(found.unresolved, 2)
        + _REFERRING * min(found.referring, 2)
        + _UNCONNECTED * found.unconnected
        + _NAMED * min(found.named, 3)
        + _EMPTY * found.empty
    )


def vagueness(message: str, history: Sequence[str] = ()) -> Vagueness:
    """The signals of the message after the turns before it."""
    known = frozenset(word for turn in history for word in stems(turn))
    tokens, content, named = list(words(message)), content_words(message), len(named_words(message))
    return Vagueness(
        unresolved=len(_definite_kinds(tokens) - known),
        referring=0 if history or named else sum(token in REFERRING_WORDS for token in tokens),
        unconnected=bool(history) and not named and known.isdisjoint(content),
        named=named,
        empty=not history and all(word in KINDS for word in content),
    )


def _definite_kinds(tokens: Sequence[str]) -> frozenset[str]:
    """The kinds of things that the message takes for known: the noun nearest to a definite word before it."""
    found = set()
    for at, token in enumerate(tokens):
        reach = _REACH if token in _DEFINITE else 1 if token in _DEFINITE_IF_NEXT else 0
        ahead = [stem(each) for each in tokens[at + 1 : at + 1 + reach]]
        found |= set([each for each in ahead if each in KINDS][:1])
    return frozenset(found)
