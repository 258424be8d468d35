"""What administrators see and change: the accounts of their own tenant, and never themselves out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.conversation.administration import AdminCommand, Administration
from cicada.conversation.model import (
    AnswerFeedback,
    AnswerRecord,
    Connection,
    NewRequest,
    Question,
    RequestKey,
    Status,
    TokensUsed,
)
from cicada.conversation.protocol import (
    AddUser,
    DisableUser,
    EnableUser,
    ListUsers,
    ReadFailures,
    ReadFeedback,
    ReadUse,
    SetGroups,
    UsersPage,
    frame,
)
from cicada.conversation.revocation import Revoker
from cicada.conversation.tenant_reports import TenantReports
from cicada.errors import (
    NoAdministratorError,
    UnavailableError,
    UserExistsError,
    UserNotFoundError,
    UserRefusedError,
)
from cicada.identity import Principal
from cicada.observability.audit import Administered
from cicada.observability.telemetry import ignore
from tests.fakes.accounts import INITIAL_PASSWORD, InMemoryAccounts
from tests.fakes.clock import Clock
from tests.fakes.conversation import InMemoryConnections, RecordingChannel
from tests.fakes.request_log import InMemoryRequestLog
from tests.fakes.token_counter import InMemoryTokenCounter
from tests.fakes.usage_table import InMemoryUsageTable

REQUEST = "7e57d004-2b97-4e7a-b45f-5387367791cd"
ANN = Principal("acme", "ann", frozenset({"admins", "tenant:acme"}), "ann@acme")
CAROL = Principal("house", "carol", frozenset({"admins"}))
NOW = 1_795_262_400.0  # 2026-11-21 12:00 UTC


@dataclass
class Office:
    """Ann and Amy administer acme, whose users are Bob and Ben; Carol administers the default tenant."""

    accounts: InMemoryAccounts = field(default_factory=lambda: InMemoryAccounts(now=NOW))
    connections: InMemoryConnections = field(default_factory=InMemoryConnections)
    channel: RecordingChannel = field(default_factory=RecordingChannel)
    tokens: InMemoryTokenCounter = field(default_factory=InMemoryTokenCounter)
    log: InMemoryRequestLog = field(default_factory=lambda: InMemoryRequestLog(Clock(NOW)))
    audited: list[Administered] = field(default_factory=list)
    group: str = "admins"
    limit: int = 0

    def __post_init__(self) -> None:
        for name, *groups in (
            ("ann", "admins", "tenant:acme"),
            ("amy", "admins", "tenant:acme"),
            ("bob", "hr", "pool_Okta", "tenant:acme"),
            ("ben", "tenant:acme"),
            ("eve", "admins", "tenant:beta"),
            ("both", "hr", "tenant:acme", "tenant:beta"),
            ("odd", "Tenant:acme"),
            ("carol", "admins"),
        ):
            self.accounts.put(name, *groups)

    def serve(self, command: AdminCommand, principal: Principal = ANN) -> Any:
        clock = Clock(NOW)
        revoker = Revoker(InMemoryUsageTable(), self.connections, self.channel, self.log, ignore)
        reports = TenantReports(self.tokens, self.log, clock, self.limit)
        wired = (self.accounts, reports, revoker, self.group, "house", "pool_", ignore, self.audited.append)
        return Administration(*wired, clock).serve(command, Connection("c1", principal, NOW + 600, NOW))


@pytest.fixture
def office() -> Office:
    return Office()


def names(page: UsersPage) -> list[str]:
    return sorted(each.name for each in page.users)


READING: list[AdminCommand] = [ReadUse(REQUEST), ReadFeedback(REQUEST), ReadFailures(REQUEST)]
OF_A_USER: list[Callable[[str], AdminCommand]] = [
    lambda name: DisableUser(REQUEST, name),
    lambda name: EnableUser(REQUEST, name),
    lambda name: SetGroups(REQUEST, name, ["hr"]),
]


@pytest.mark.parametrize("make", OF_A_USER)
@pytest.mark.parametrize("name", ["eve", "both", "odd", "carol", "nobody", "", "ann\n"])
def test_an_account_of_another_tenant_is_like_none_and_is_not_touched(
    office: Office, make: Callable[[str], AdminCommand], name: str
) -> None:
    before = dict(office.accounts.by_name)
    with pytest.raises(UserNotFoundError) as refusal:
        office.serve(make(name))
    assert str(refusal.value) == "There is no such user in your organisation."
    assert (office.accounts.by_name, office.accounts.signed_out) == (before, [])


def test_only_the_own_tenants_accounts_are_listed(office: Office) -> None:
    page = office.serve(ListUsers(REQUEST))
    assert names(page) == ["amy", "ann", "ben", "bob"]
    assert names(office.serve(ListUsers(REQUEST), CAROL)) == ["carol"]
    assert [each.name for each in page.users if each.you] == ["ann"]
    assert {each.name: each.groups for each in page.users}["bob"] == ("hr",)


@pytest.mark.parametrize("groups", [frozenset(), frozenset({"Admins"}), frozenset({"tenant:admins"})])
@pytest.mark.parametrize("command", [*READING, ListUsers(REQUEST), AddUser(REQUEST, "new")])
def test_whoever_is_no_administrator_is_refused_and_recorded(
    office: Office, command: AdminCommand, groups: frozenset[str]
) -> None:
    with pytest.raises(NoAdministratorError):
        office.serve(command, replace(ANN, groups=groups))
    assert [each.refused for each in office.audited] == ["no_administrator"]


def test_a_stage_without_administrators_has_none_whatever_the_groups(office: Office) -> None:
    office.group = ""
    with pytest.raises(NoAdministratorError):
        office.serve(ListUsers(REQUEST), replace(ANN, groups=frozenset({""})))


def test_a_new_account_is_of_the_administrators_tenant_alone(office: Office) -> None:
    made = office.serve(AddUser(REQUEST, "new", ["hr"]))
    assert (made.user.name, made.user.groups, made.user.state) == ("new", ("hr",), "initial")
    assert made.initial_password == INITIAL_PASSWORD
    assert office.accounts.account("new").groups == ("hr", "tenant:acme")
    office.serve(AddUser(REQUEST, "guest"), CAROL)
    assert office.accounts.account("guest").groups == ("tenant:house",)
    assert names(office.serve(ListUsers(REQUEST), CAROL)) == ["carol", "guest"]


@pytest.mark.parametrize("name", ["a b", "a\n", "\u200b", " ", "\ud83d"])
def test_a_name_that_no_user_can_have_is_refused(office: Office, name: str) -> None:
    with pytest.raises(UserRefusedError, match="cannot be the name of a user"):
        office.serve(AddUser(REQUEST, name))


@pytest.mark.parametrize("name", ["bob", "eve"])
def test_a_name_that_is_taken_is_said_for_any_tenant_alike(office: Office, name: str) -> None:
    with pytest.raises(UserExistsError, match=r"^This name is taken: choose another one\.$"):
        office.serve(AddUser(REQUEST, name))


@pytest.mark.parametrize(
    "group", ["tenant:beta", "tenant:acme", "Tenant:beta", "ｔｅｎａｎｔ:beta", "pool_Okta", "a b"]
)
@pytest.mark.parametrize(
    "make", [lambda g: AddUser(REQUEST, "new", [g], True), lambda g: SetGroups(REQUEST, "bob", [g], True)]
)
def test_no_group_of_a_tenant_or_of_a_provider_is_given(office: Office, make: Any, group: str) -> None:
    with pytest.raises(UserRefusedError):
        office.serve(make(group))
    assert "new" not in office.accounts.by_name
    assert office.accounts.account("bob").groups == ("hr", "pool_Okta", "tenant:acme")


def test_the_groups_of_a_user_become_those_that_are_named_and_the_tenant_stays(office: Office) -> None:
    made = office.serve(SetGroups(REQUEST, "bob", ["admins"]))
    assert made.user.groups == ("admins",)
    assert office.accounts.account("bob").groups == ("admins", "pool_Okta", "tenant:acme")


def test_a_new_group_is_made_only_where_that_is_asked_for(office: Office) -> None:
    with pytest.raises(UserRefusedError, match="There is no group “sales” yet"):
        office.serve(SetGroups(REQUEST, "bob", ["hr", "sales"]))
    assert office.serve(SetGroups(REQUEST, "bob", ["hr", "sales"], True)).user.groups == ("hr", "sales")


def test_a_disabled_user_is_signed_out_and_what_is_open_is_closed(office: Office) -> None:
    office.connections.add(Connection("b1", Principal("acme", "bob"), NOW + 600, NOW - 5), 0)
    office.connections.add(Connection("e1", Principal("beta", "bob"), NOW + 600, NOW - 5), 0)
    made = office.serve(DisableUser(REQUEST, "bob"))
    assert (made.user.state, made.closed, office.accounts.signed_out) == ("disabled", 1, ["bob"])
    assert office.channel.closed == {"b1"}
    assert office.serve(EnableUser(REQUEST, "bob")).user.state == "active"


def test_nobody_disables_themselves_or_takes_the_last_administrator_away(office: Office) -> None:
    with pytest.raises(UserRefusedError, match="cannot disable yourself"):
        office.serve(DisableUser(REQUEST, "ann"))
    office.serve(DisableUser(REQUEST, "amy"))
    with pytest.raises(UserRefusedError, match="last administrator"):
        office.serve(SetGroups(REQUEST, "ann", []))
    # Her token names the group for some minutes after she was taken out of it.
    office.accounts.put("ann", "tenant:acme")
    office.serve(EnableUser(REQUEST, "amy"))
    with pytest.raises(UserRefusedError, match="last administrator"):
        office.serve(DisableUser(REQUEST, "amy"))
    assert office.accounts.account("amy").state == "active"


def test_two_administrators_cannot_take_each_other_away_at_once(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = office.accounts.change_groups

    def at_once(name: str, add: list[str], remove: list[str]) -> None:
        if name == "amy" and remove:
            office.accounts.put("ann", "tenant:acme")
        change(name, add, remove)

    monkeypatch.setattr(office.accounts, "change_groups", at_once)
    with pytest.raises(UserRefusedError, match="last administrator"):
        office.serve(SetGroups(REQUEST, "amy", []))
    assert "admins" in office.accounts.account("amy").groups


def test_each_act_is_recorded_with_its_outcome(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.serve(SetGroups(REQUEST, "bob", ["hr"]))

    def fails(name: str) -> float:
        raise UnavailableError("The user pool could not be reached; try again.")

    monkeypatch.setattr(office.accounts, "sign_out", fails)
    with pytest.raises(UnavailableError):
        office.serve(DisableUser(REQUEST, "bob"))
    act = Administered(NOW, "acme", "ann", REQUEST, "groups", login="ann@acme", connection_id="c1")
    assert office.audited == [
        replace(act, account="bob", groups=("hr",)),
        replace(act, act="disable", account="bob", refused="dependency_unavailable"),
    ]


def test_a_page_of_accounts_fits_a_frame_and_the_next_one_goes_on(office: Office) -> None:
    for number in range(40):
        office.accounts.put(f"u{number}", "tenant:acme", *(f"g{each}-{'x' * 100}" for each in range(30)))
    seen, after = [], None
    while True:
        page = office.serve(ListUsers(REQUEST, after))
        assert len(frame(page, request_id=REQUEST).encode()) <= 32 * 1024
        seen += names(page)
        if not (after := page.next):
            break
    assert len(seen) == len(set(seen)) == 44


def test_reports_are_of_the_administrators_tenant_alone(office: Office) -> None:
    office.limit = 100
    office.tokens.add("acme", "2026-11-21", TokensUsed(7, 1), NOW)
    key = RequestKey(Principal("acme", "bob"), REQUEST)
    office.log.create(NewRequest(key, Question("Who?", REQUEST, "store"), "c", NOW, NOW + 60), "{}")
    lease = office.log.take_lease(key, NOW, NOW + 15)
    assert lease
    office.log.advance(lease, 2, NOW + 15, Status.FAILED, AnswerRecord(code="internal"))
    office.log.rate(key, AnswerFeedback("bad", NOW))
    for principal, seen in ((ANN, 1), (CAROL, 0)):
        use, rated, failed = (office.serve(command, principal) for command in READING)
        assert (sum(each.tokens for each in use.days), len(rated.latest), len(failed.latest)) == (8 * seen, seen, seen)


def test_each_report_is_recorded_as_an_act_of_its_own(office: Office) -> None:
    for command in READING:
        office.serve(command)
    assert [(each.act, each.account, each.refused) for each in office.audited] == [
        ("use", "", ""),
        ("feedback", "", ""),
        ("failures", "", ""),
    ]
