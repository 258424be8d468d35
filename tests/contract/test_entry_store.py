"""What every store of profiles and theories does: the fake and the real one alike."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cicada.adapters.dynamodb import entry_store as dynamo_entry_store
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.agents.evidence import Ground, Judgement, Verdict
from cicada.agents.model import (
    EARLIER_KEPT_SECONDS,
    THEORY,
    VERSIONS_KEPT,
    AgentKind,
    Change,
    Entry,
    EntryChangedError,
    EntryScope,
    EntryStore,
    EntryVersion,
    ProfileKind,
    matching_key,
)
from cicada.errors import ThrottledError, UnavailableError
from cicada.identity import Principal
from tests.contract.dynamo_requests import cancelled, pauses_of
from tests.contract.entries_table import entries_table
from tests.fakes.entry_store import InMemoryEntryStore

SHELF = EntryScope(Principal("acme", "ann"), "scripts", AgentKind.PROFILES)
OTHERS = {
    "another user": replace(SHELF, principal=Principal("acme", "bob")),
    "the user of this name at another tenant": replace(SHELF, principal=Principal("umbrella", "ann")),
    "another knowledge base": replace(SHELF, knowledge_base="contracts"),
    "a knowledge base whose name begins so": replace(SHELF, knowledge_base="scripts2"),
    "the other agent": replace(SHELF, agent=AgentKind.THEORIES),
}
BANQUO = Entry("id-banquo", ProfileKind.CHARACTER, "Banquo", "A companion.\n眠り", 1, 1_700_000_000.25)


@pytest.fixture(params=["memory", "dynamo"])
def store(request: pytest.FixtureRequest) -> Iterator[EntryStore]:
    if request.param == "memory":
        yield InMemoryEntryStore()
    else:
        with entries_table() as (client, table):
            yield DynamoEntryStore(client, table)


def entry(name: str, kind: str = ProfileKind.CHARACTER, text: str = "…") -> Entry:
    return Entry(f"id of {kind} {name}", kind, name, text, 1, 1.5)


def add(store: EntryStore, *entries: Entry, scope: EntryScope = SHELF) -> None:
    for each in entries:
        store.write(scope, Change(None, each, 1.0))


def following(before: Entry, **changes: Any) -> Entry:
    return replace(before, version=before.version + 1, **changes)


def change(store: EntryStore, before: Entry, at: float = 2.0, **changes: Any) -> Entry:
    after = following(before, **changes)
    store.write(SHELF, Change(before, after, at))
    return after


def test_what_was_saved_is_found_as_it_was(store: EntryStore) -> None:
    add(store, replace(BANQUO, brought_back=7))
    assert store.live(SHELF) == [replace(BANQUO, brought_back=7)]


def test_entries_are_ordered_by_kind_and_name(store: EntryStore) -> None:
    group, location = entry("Witches", ProfileKind.GROUP), entry("Inverness", ProfileKind.LOCATION)
    add(store, group, entry("banquo"), location, entry("Angus"), entry("Zoë #2"))
    assert [each.name for each in store.live(SHELF)] == ["Angus", "banquo", "Zoë #2", "Witches", "Inverness"]


def test_entries_longer_than_a_page_come_whole(store: EntryStore) -> None:
    """DynamoDB ends a page at 1 MB."""
    entries = [entry(f"name {number}", text="x" * 300_000) for number in range(6)]
    add(store, *entries)
    assert store.live(SHELF) == entries


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_other_shelves_are_out_of_reach(store: EntryStore, other: EntryScope) -> None:
    add(store, BANQUO)
    changed = change(store, BANQUO, text="A ghost.")
    assert store.live(other) == []
    assert store.earlier(other, 0.0) == []
    with pytest.raises(EntryChangedError):
        store.write(other, Change(changed, None, 3.0))
    add(store, BANQUO, scope=other)
    assert store.live(SHELF) == [changed]


def test_a_name_can_be_used_once_for_each_kind(store: EntryStore) -> None:
    add(store, entry("Dunsinane", ProfileKind.LOCATION), entry("Dunsinane", ProfileKind.EPISODE))
    for taken in ("Dunsinane", " DUNSINANE", "Ｄunsinane"):
        with pytest.raises(EntryChangedError):
            add(store, replace(entry(taken, ProfileKind.LOCATION), id="another"))
    assert len(store.live(SHELF)) == 2


@pytest.mark.parametrize("text", ["A ghost.", None], ids=["changed", "deleted"])
def test_what_was_replaced_or_deleted_is_kept(store: EntryStore, text: str | None) -> None:
    add(store, BANQUO)
    after = following(BANQUO, text=text) if text else None
    store.write(SHELF, Change(BANQUO, after, 2.5))
    assert store.live(SHELF) == ([after] if after else [])
    assert store.earlier(SHELF, 3.0) == [EntryVersion(BANQUO, 2.5)]


def test_what_was_deleted_can_be_saved_again(store: EntryStore) -> None:
    add(store, BANQUO)
    store.write(SHELF, Change(BANQUO, None, 2.5))
    add(store, following(BANQUO))
    assert store.live(SHELF) == [following(BANQUO)]


def test_a_renamed_entry_leaves_its_name(store: EntryStore) -> None:
    add(store, BANQUO)
    renamed = change(store, change(store, BANQUO, name="BANQUO"), name="Fleance's father")
    assert store.live(SHELF) == [renamed]
    add(store, replace(BANQUO, id="another"))
    assert [each.id for each in store.live(SHELF)] == ["another", "id-banquo"]


def test_a_change_from_a_state_that_is_gone_is_refused_and_changes_nothing(store: EntryStore) -> None:
    add(store, BANQUO)
    second = change(store, BANQUO, text="A ghost.")
    before = store.earlier(SHELF, 0.0)
    for after in (following(BANQUO, text="A thane."), following(BANQUO, name="Macbeth"), None):
        with pytest.raises(EntryChangedError):
            store.write(SHELF, Change(BANQUO, after, 3.0))
    assert store.live(SHELF) == [second]
    assert store.earlier(SHELF, 0.0) == before


def test_a_change_of_another_entry_that_took_the_name_is_refused(store: EntryStore) -> None:
    add(store, BANQUO, entry("Ross"))
    for before, name in ((replace(BANQUO, id="another"), "Banquo"), (BANQUO, "ROSS")):
        with pytest.raises(EntryChangedError):
            change(store, before, name=name, text="Another.")
    assert (store.live(SHELF), store.earlier(SHELF, 0.0)) == ([BANQUO, entry("Ross")], [])


def test_so_many_earlier_states_of_an_entry_are_kept_and_the_latest_come_first(store: EntryStore) -> None:
    add(store, entry("Ross"), BANQUO)
    change(store, entry("Ross"), at=1.0, text="A thane.")
    state = BANQUO
    for number in range(VERSIONS_KEPT + 3):
        state = change(store, state, at=10.0 + number, text=f"text {number}")
    earlier = store.earlier(SHELF, 0.0)
    versions = [each.entry.version for each in earlier if each.entry.id == BANQUO.id]
    assert versions == list(range(VERSIONS_KEPT + 3, 3, -1))
    assert earlier[-1].entry == entry("Ross")


def test_states_that_were_lost_at_one_moment_come_the_latest_version_first(store: EntryStore) -> None:
    add(store, BANQUO)
    change(store, change(store, BANQUO, at=2.0, text="A ghost."), at=2.0, text="A thane.")
    assert [each.entry.version for each in store.earlier(SHELF, 0.0)] == [2, 1]


def test_an_earlier_state_expires(store: EntryStore) -> None:
    add(store, BANQUO)
    change(store, BANQUO, at=100.0, text="A ghost.")
    assert len(store.earlier(SHELF, 100.0 + EARLIER_KEPT_SECONDS - 1)) == 1
    assert store.earlier(SHELF, 100.0 + EARLIER_KEPT_SECONDS) == []


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(matching_key)


RUNS = itertools.count()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(st.tuples(st.booleans(), st.sampled_from([*ProfileKind, THEORY]), NAMES), max_size=8))
def test_any_order_of_saves_and_deletes_ends_like_the_same_on_a_dictionary(
    store: EntryStore, actions: list[tuple[bool, str, str]]
) -> None:
    scope = replace(SHELF, knowledge_base=f"run-{next(RUNS)}")
    expected: dict[tuple[str, str], Entry] = {}
    for number, (save, kind, name) in enumerate(actions):
        given = replace(entry(name, kind), id=f"id {number}")
        known = expected.pop(given.key, None)
        if save:
            after = expected[given.key] = following(known, name=name) if known else given
            store.write(scope, Change(known, after, 1.0))
        elif known:
            store.write(scope, Change(known, None, 1.0))
        else:
            with pytest.raises(EntryChangedError):
                store.write(scope, Change(given, None, 1.0))
    assert store.live(scope) == [expected[key] for key in sorted(expected)]


JUDGED = Judgement(Verdict.SUPPORTED, "…", (Ground("macbeth.json", "v1", "macbeth.json#000001", "Macbeth, 5.5"),), 2.5)


def test_a_judgement_is_kept_in_place_and_stays_with_the_state_that_it_is_of(store: EntryStore) -> None:
    add(store, BANQUO)
    store.keep_judgement(SHELF, replace(BANQUO, judgement=JUDGED))
    judged = replace(BANQUO, judgement=JUDGED)
    assert store.live(SHELF) == [judged]
    assert store.earlier(SHELF, 0) == []
    after = following(judged, text="A ghost.", judgement=None)
    store.write(SHELF, Change(judged, after, 3.0))
    assert store.live(SHELF) == [after]
    assert [each.entry for each in store.earlier(SHELF, 0)] == [judged]


def test_a_theory_is_readable_without_a_verdict_that_cannot_be_read() -> None:
    with entries_table() as (client, table):
        store = DynamoEntryStore(client, table)
        add(store, BANQUO)
        store.keep_judgement(SHELF, replace(BANQUO, judgement=JUDGED))
        [row] = client.scan(TableName=table)["Items"]
        client.put_item(TableName=table, Item={**row, "judgement": {"S": '{"verdict":"doubted"}'}})
        assert store.live(SHELF) == [BANQUO]


def test_a_judgement_of_a_state_that_has_passed_is_refused(store: EntryStore) -> None:
    add(store, BANQUO)
    change(store, BANQUO, at=2.0, text="A ghost.")
    with pytest.raises(EntryChangedError):
        store.keep_judgement(SHELF, replace(BANQUO, judgement=JUDGED))


def test_the_rows_of_a_user_are_under_one_key_and_only_earlier_states_expire() -> None:
    with entries_table() as (client, table):
        store = DynamoEntryStore(client, table)
        add(store, BANQUO)
        change(store, BANQUO, at=100.7, text="A ghost.")
        rows = {item["sk"]["S"]: item for item in client.scan(TableName=table)["Items"]}
        expiry = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]["AttributeName"]
    live, earlier = "PROFILES#scripts#NOW#character#banquo", "PROFILES#scripts#EARLIER#id-banquo#00000001"
    assert {key: item.get(expiry) for key, item in rows.items()} == {
        live: None,
        earlier: {"N": str(100 + EARLIER_KEPT_SECONDS)},
    }
    assert {item["pk"]["S"] for item in rows.values()} == {"acme#ann"}


def test_a_write_that_meets_another_at_the_same_moment_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = pauses_of(monkeypatch, dynamo_entry_store)
    met, taken, full = ("TransactionConflict",), ("ConditionalCheckFailed",), ("ItemCollectionSizeLimitExceeded",)
    with entries_table() as (client, table):
        store = DynamoEntryStore(client, table)
        with cancelled(client, met, met, ()):
            add(store, BANQUO)
        assert len(slept) == 2
        for reasons, error in (
            ([met] * 6, ThrottledError),
            ([met, taken], EntryChangedError),
            ([full] * 6, UnavailableError),
        ):
            with cancelled(client, *reasons), pytest.raises(error):
                add(store, BANQUO)
