from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey
from cicada.errors import CicadaError, ConfigurationError, UnavailableError
from cicada.knowledge_bases.calibrations import SHIPPED, Calibrations, Cosines, Standard, write_calibrations
from cicada.knowledge_bases.file import check_kept, parse_kept
from cicada.knowledge_bases.inference import completed
from cicada.knowledge_bases.kept import CompletedBases
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from tests.fakes.base_record import InMemoryBaseRecord, says
from tests.fakes.clock import Clock

MINUTES, OTHERS = KnowledgeBaseKey("acme", "minutes"), KnowledgeBaseKey("other", "minutes")
STATUS = SchemaField("status", FieldType.KEYWORD, ("draft", "approved"), {"approved": ("valid",)}, shown=True)
DEPLOYED = KnowledgeBase("minutes", limit=7, schema=Schema({"status": STATUS}, logins={"a": "Ann"}))
TEXT = """groups = ["board"]
restricted = true
items = ["protocol"]
[fields.status]
synonyms.draft = ["in work"]
[fields.chair]
is_owner = true
"""


def test_what_is_kept_stands_over_what_was_deployed_and_leaves_the_rest() -> None:
    found = parse_kept(TEXT, "minutes.toml", DEPLOYED)
    assert (found.groups, found.restricted, found.limit, found.kept) == (("board",), True, 7, True)
    status, chair = found.schema.fields["status"], found.schema.fields["chair"]
    assert (status.values, status.shown, status.inferred) == (STATUS.values, True, False)
    assert status.synonyms == {"approved": ("valid",), "draft": ("in work",)}
    assert (chair.type, chair.inferred) == (FieldType.PERSON, True)
    assert (found.schema.items, found.schema.logins) == (("protocol",), {"a": "Ann"})


def test_what_is_in_force_is_kept_or_set() -> None:
    of_file = '[in_force]\nfield = "status"\nvalues = ["draft"]\n'
    first = parse_kept(of_file, "minutes.toml", DEPLOYED)
    assert first.schema.in_force is not None
    assert parse_kept(TEXT, "minutes.toml", first).schema.in_force == first.schema.in_force


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_a_file_that_says_nothing_sets_nothing(text: str) -> None:
    assert parse_kept(text, "minutes.toml", DEPLOYED) == DEPLOYED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limit = 5\nlimt = 5", r"f\.toml, line 2: 'limt' is no setting; use one of .*, limit, "),
        ("\nlimit = 500", r"f\.toml, line 2: .*limit is 500; write a whole number from 1 to 100"),
        ('groups = "board"', r"f\.toml, line 1: .*groups should be a list"),
        ("quality_threshold = 0.5\nquality_floor = 0.6", r"f\.toml, line [12]: .*floor must not be above"),
        ('[fields."Case No"]\n\nsynonym = 1', r"f\.toml, line 3: .*unknown key 'synonym'"),
        ("limit = \nx = 1", r"f\.toml is not TOML: .*line 1"),
    ],
)
def test_a_mistake_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        parse_kept(text, "f.toml", KnowledgeBase("minutes"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('date = "room"', r"f\.toml, line 1, date: the field 'room' is of type keyword; use a date"),
        ('limit = 3\nsort = "-romm"', r"f\.toml, line 2, sort: there is no field 'romm'; use title or one of room"),
        ('[fields.room]\nsynonyms.A = ["x"]\nsynonyms.B = ["x"]', r"f\.toml, line 3, .*the synonym 'x' means both"),
    ],
)
def test_what_contradicts_the_documents_is_refused_with_its_line(text: str, said: str) -> None:
    record = InMemoryBaseRecord()
    observed = record.observe(MINUTES, says(room="Hall A"), None)
    declared = parse_kept(text, "f.toml", KnowledgeBase("minutes")).schema
    with pytest.raises(ConfigurationError, match=said):
        check_kept(text, "f.toml", declared, completed(declared, observed, "minutes"))


def bases(record: InMemoryBaseRecord, clock: Clock) -> KnowledgeBases:
    return KnowledgeBases(named={"minutes": DEPLOYED}, completed=CompletedBases(record, clock, seconds=10))


def test_a_change_holds_for_its_tenant_alone_and_within_seconds() -> None:
    record, clock = InMemoryBaseRecord(), Clock(1000.0)
    found = bases(record, clock)
    assert found.of(MINUTES) == DEPLOYED
    record.write_text(MINUTES, "limit = 5")
    assert (found.of(MINUTES).limit, found.of(OTHERS).limit) == (7, 7)
    clock.now += 10
    assert (found.of(MINUTES).limit, found.of(OTHERS).limit) == (5, 7)


def test_a_question_reads_what_is_kept_once_in_a_while() -> None:
    record, clock = InMemoryBaseRecord(), Clock(1000.0)
    found = bases(record, clock)
    assert found.of(MINUTES).schema is found.of(MINUTES).schema
    found.of(MINUTES, frozenset({"user:ann"}))
    assert record.reads == 2


TITAN = "titan (1024 dimensions)"
OF_TITAN = replace(SHIPPED, embedder=TITAN, reranker="cohere", constant=0.5, made="2026-11-26")


def calibrated(record: InMemoryBaseRecord, embedder: str, said: list[CicadaError]) -> Calibrations:
    completed = CompletedBases(record, Clock(), seconds=0, embedder=embedder, report=said.append)
    found = KnowledgeBases(completed=completed)
    assert found.of(OTHERS).calibrations == found.of(MINUTES).calibrations
    return found.of(MINUTES).calibrations


def test_the_calibrations_of_the_stacks_embedder_are_those_that_are_kept() -> None:
    said: list[CicadaError] = []
    other = replace(SHIPPED, embedder="another (2 dimensions)", constant=9.0)
    found = calibrated(InMemoryBaseRecord(calibrations=write_calibrations([other], [OF_TITAN])), TITAN, said)
    assert (found.of("cohere"), found.by_reranker, said) == (OF_TITAN, {"cohere": OF_TITAN}, [])


def test_a_kept_calibration_takes_the_place_of_an_older_and_of_a_shipped_one() -> None:
    older, newer = replace(SHIPPED, constant=0.1), replace(SHIPPED, constant=0.2)
    record = InMemoryBaseRecord(calibrations=write_calibrations([OF_TITAN, older], [newer]))
    assert calibrated(record, SHIPPED.embedder, []).of("skipped") == newer


@pytest.mark.parametrize(
    "kept",
    [
        "no JSON",
        "[{}]",
        '[{"x":' + "[" * 100_000,
        '"\ud800"',
        write_calibrations((), [replace(SHIPPED, standards={"margin": Standard(0.0, 0.0)})]),
        write_calibrations((), [replace(SHIPPED, constant=-1e4)]),
        write_calibrations((), [replace(SHIPPED, cosines=Cosines(0.3, 0.3))]),
        write_calibrations((), [replace(SHIPPED, cosines=Cosines(0.2, 0.5))]),
    ],
)
def test_calibrations_that_cannot_be_read_are_reported_once_and_fail_no_question(kept: str) -> None:
    said: list[CicadaError] = []
    assert calibrated(InMemoryBaseRecord(calibrations=kept), SHIPPED.embedder, said).of("local") == SHIPPED
    assert [type(each) for each in said] == [ConfigurationError]


def test_with_calibrations_of_another_embedder_alone_answers_are_given_with_caution() -> None:
    said: list[CicadaError] = []
    record = InMemoryBaseRecord(calibrations=write_calibrations((), [SHIPPED]))
    assert calibrated(record, TITAN, said) == Calibrations(TITAN, {})
    assert [str(each) for each in said] == [f"The stack keeps calibrations, but none for {TITAN}."]


def test_if_it_cannot_be_read_nobody_is_taken_to_be_allowed() -> None:
    record = InMemoryBaseRecord(failure=UnavailableError("…"))
    with pytest.raises(UnavailableError):
        bases(record, Clock(1000.0)).of(MINUTES)
