"""The accounts of a user pool, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from cicada.conversation.administration import Account, NewAccount
from cicada.errors import UserExistsError, UserNotFoundError, UserRefusedError

INITIAL_PASSWORD = "An-initial-one-of-1815"


@dataclass
class InMemoryAccounts:
    """`signed_out`: whose sign-ins were ended, in order, at `now`."""

    now: float = 0
    by_name: dict[str, Account] = field(default_factory=dict)
    made_groups: set[str] = field(default_factory=set)
    signed_out: list[str] = field(default_factory=list)

    def put(self, name: str, *groups: str) -> Account:
        """An account that is there before the test; its id is its name."""
        self.by_name[name] = Account(name, "active", "CONFIRMED", name, "", "2026-11-21", tuple(sorted(groups)))
        self.made_groups |= set(groups)
        return self.by_name[name]

    def page(self, group: str, after: str | None, most: int) -> tuple[Sequence[Account], str | None]:
        found = [each for each in self.by_name.values() if not group or group in each.groups]
        if after is not None and not after.isdecimal():
            raise UserRefusedError("The user pool refuses this name, this group or this page.")
        end = int(after or 0) + most
        return found[int(after or 0) : end], str(end) if end < len(found) else None

    def members(self, group: str) -> Iterator[Account]:
        yield from [each for each in self.by_name.values() if group in each.groups]

    def account(self, name: str) -> Account:
        if name not in self.by_name:
            raise UserNotFoundError("There is no such user.")
        return self.by_name[name]

    def has_group(self, group: str) -> bool:
        return group in self.made_groups

    def add(self, account: NewAccount) -> str | None:
        if account.name in self.by_name:
            raise UserExistsError("This name is taken: choose another one.")
        self.put(account.name, *account.groups)
        self._change(account.name, state="initial", status="FORCE_CHANGE_PASSWORD")
        return INITIAL_PASSWORD

    def change_groups(self, name: str, add: Sequence[str], remove: Sequence[str]) -> None:
        self._change(name, groups=tuple(sorted({*self.account(name).groups, *add} - {*remove})))
        self.made_groups |= set(add)

    def disable(self, name: str) -> None:
        self._change(name, state="disabled")

    def enable(self, name: str) -> None:
        self._change(name, state="active")

    def sign_out(self, name: str) -> float:
        self.signed_out.append(self.account(name).name)
        return self.now

    def _change(self, name: str, **changes: object) -> None:
        self.by_name[name] = replace(self.account(name), **changes)
