"""Which words of a message are conditions, by their grammar."""

from __future__ import annotations

import pytest

from cicada.understanding.tokens import tokens_of
from tests.unit.planning.planned import filters


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("ratified charters", {"stage": "ratified", "kind": "charter"}),
        ("charters of the Rope Makers", {"guild": "Rope Makers", "kind": "charter"}),
        ("letters from GW", {"guild": "Glass Works", "kind": "letter"}),
        ("ledgers that are in use", {"stage": "ratified", "kind": "ledger"}),
        ("statutes by Will Tanner", {"kind": "charter", "keeper": "Will Tanner"}),
        ("Ada Brook's letters", {"keeper": "Ada Brook", "kind": "letter"}),
        ("Ada's ledgers", {"keeper": "Ada Brook", "kind": "ledger"}),
        ("which sketches do we have", {"stage": "sketch"}),
        ("letters and ledgers kept by Nora Brook", {"kind": frozenset({"letter", "ledger"}), "keeper": "Nora Brook"}),
        ("flour tag / lapsed / letters", {"tags": "flour", "stage": "lapsed", "kind": "letter"}),
        ("stage: lapsed, kind: report", {"stage": "lapsed", "kind": "report"}),
        ("ropemakers, charters, lapsed", {"guild": "Rope Makers", "kind": "charter", "stage": "lapsed"}),
        ("everything owned by Will Tanner", {"keeper": "Will Tanner"}),
        ("What does Will Tanner own?", {"keeper": "Will Tanner"}),
    ],
)
def test_values_that_modify_documents_are_conditions(message: str, expected: dict[str, object]) -> None:
    assert filters(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "How do I report a fire?",
        "Who sketches the new bridge?",
        "in the form of a letter of credit we pay how?",
        "How are ledgers bound?",
        "How are charters agreed?",
        "What do bakers put into rye bread?",
        "Is flour allowed near the ovens?",
        "Must a letter be answered in ink?",
        "Will rain harm the ropes?",
    ],
)
def test_values_that_are_the_question_s_own_words_are_none(message: str) -> None:
    assert filters(message) == {}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("charters that are not ratified", {"kind": "charter", "stage": ("not", "ratified")}),
        ("charters not yet agreed", {"kind": "charter", "stage": "sketch"}),
        ("non-ratified charters", {"kind": "charter", "stage": ("not", "ratified")}),
        ("ledgers except those of the Bakers", {"kind": "ledger", "guild": ("not", "Bakers")}),
        ("charters of Bakers or Rope Makers", {"kind": "charter", "guild": frozenset({"Bakers", "Rope Makers"})}),
        ("ledgers without a keeper", {"kind": "ledger", "keeper": None}),
        ("ledgers that nobody owns", {"kind": "ledger", "keeper": None}),
        ("charters not ratified", {"kind": "charter", "stage": ("not", "ratified")}),
    ],
)
def test_negation_and_alternatives_stay_within_a_field(message: str, expected: dict[str, object]) -> None:
    assert filters(message) == expected


def test_a_topic_is_a_tag_only_when_the_message_says_so() -> None:
    assert filters("ledgers tagged flour or fire safety") == {
        "kind": "ledger",
        "tags": frozenset({"flour", "fire-safety"}),
    }
    assert filters("ledgers about flour") == {"kind": "ledger"}


def test_my_documents_are_the_asker_s() -> None:
    assert filters("my charters", asker="Nora Brook") == {"kind": "charter", "keeper": "Nora Brook"}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("charters that I own", "charter"),
        ("which ledgers did I write?", "ledger"),
        ("letters I am responsible for", "letter"),
        ("what do I own?", None),
    ],
)
def test_what_i_own_is_the_asker_s(message: str, kind: str | None) -> None:
    expected = {"keeper": "Nora Brook"} | ({"kind": kind} if kind else {})
    assert filters(message, asker="Nora Brook") == expected


@pytest.mark.parametrize(
    "message",
    ["charters that say what I own outright", "how do I own up to a mistake?", "what must I write in a ledger?"],
)
def test_what_i_do_is_no_condition_where_it_is_the_question(message: str) -> None:
    assert "keeper" not in filters(message, asker="Nora Brook")


def test_a_surname_of_two_persons_names_neither() -> None:
    assert filters("letters by Brook") == {}
    assert filters("letters by Tanner") == {"kind": "letter", "keeper": "Will Tanner"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("charters sealed since 2024", {"kind": "charter", "sealed_on": ("2024-01-01", None)}),
        ("charters from 2024", {"kind": "charter", "sealed_on": ("2024-01-01", "2025-01-01")}),
        ("letters expiring within 30 days", {"kind": "letter", "expiry_date": ("2026-05-20", "2026-06-19")}),
        ("letters that expire in March", {"kind": "letter", "expiry_date": ("2027-03-01", "2027-04-01")}),
        ("What was sealed last month?", {"sealed_on": ("2026-04-01", "2026-05-01")}),
        ("the newest ledger", {"kind": "ledger"}),
        ("What did the 2024 ledgers say about rye?", {"kind": "ledger", "sealed_on": ("2024-01-01", "2025-01-01")}),
        ("the 2024 ledgers", {"kind": "ledger", "sealed_on": ("2024-01-01", "2025-01-01")}),
        ("last year's letters", {"kind": "letter", "sealed_on": ("2025-01-01", "2026-01-01")}),
        ("charters older than two years", {"kind": "charter", "sealed_on": (None, "2024-05-20")}),
    ],
)
def test_a_date_belongs_to_the_field_that_its_verb_names(message: str, expected: dict[str, object]) -> None:
    assert filters(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("letters with a fee over 2,500", {"kind": "letter", "fee": (2500.0, None)}),
        ("letters with a fee of at most 3k", {"kind": "letter", "fee": (None, 3000.0)}),
        ("charters with a fee between 10 and 20", {"kind": "charter", "fee": (10.0, 20.0)}),
        (
            "letters with a fee over 1.5 million in Bakers",
            {"kind": "letter", "fee": (1500000.0, None), "guild": "Bakers"},
        ),
        ("letters with a fee over 20k", {"kind": "letter", "fee": (20000.0, None)}),
        ("letters with a fee over 2,500 EUR", {"kind": "letter", "fee": (2500.0, None)}),
        ("letters worth at least $50,000 per year", {"kind": "letter", "fee": (50000.0, None)}),
        ("charters with a fee between EUR 10 and EUR 20", {"kind": "charter", "fee": (10.0, 20.0)}),
        ("secret letters", {"kind": "letter", "is_secret": True}),
        ("letters that are not secret", {"kind": "letter", "is_secret": False}),
    ],
)
def test_numbers_and_booleans_are_conditions_too(message: str, expected: dict[str, object]) -> None:
    assert filters(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("ratifed charters", {"stage": "ratified", "kind": "charter"}),
        ("chatrers of the bakers", {"kind": "charter", "guild": "Bakers"}),
        ("ROPE-MAKERS ledgers", {"guild": "Rope Makers", "kind": "ledger"}),
    ],
)
def test_spelling_may_vary(message: str, expected: dict[str, object]) -> None:
    assert filters(message) == expected


@pytest.mark.parametrize(
    "message", ["lapsed charters of the Bakers. {}", "{} So: list the lapsed charters of the Bakers"]
)
def test_of_a_long_message_the_beginning_and_the_end_are_read(message: str) -> None:
    long = message.format("The night watch came late again and nobody knew why. " * 40)

    assert filters(long) == {"stage": "lapsed", "kind": "charter", "guild": "Bakers"}
    assert len(tokens_of(long)) < 120


def test_the_middle_of_a_long_message_is_left_out_between_words() -> None:
    texts = [token.text for token in tokens_of("bakers " * 30 + "ledgers " * 500 + "ropes " * 40)]

    assert set(texts) == {"bakers", "ledgers", "ropes", "\n"}
