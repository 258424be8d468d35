"""What administrators are told of accounts and of use, and how it is read from frames."""

from __future__ import annotations

from dataclasses import dataclass

from cicada_client.events import Frame
from cicada_client.forms import count, count_or_none, objects, text, text_or_none, texts


@dataclass(frozen=True, slots=True)
class User:
    """An account. `groups`: those that can be changed. `you`: it is the user's own.

    `state`: `active`, `initial` (has not chosen a password), `reset`, `federated`, `disabled` or `other`.
    """

    name: str
    state: str
    groups: tuple[str, ...]
    email: str = ""
    you: bool = False


@dataclass(frozen=True, slots=True)
class UsersPage:
    """`next`: asks for the next page, None on the last. `administrators`: the group whose members are."""

    users: tuple[User, ...]
    administrators: str
    next: str | None = None


@dataclass(frozen=True, slots=True)
class UserChanged:
    """An account as it is now. `initial_password`: of a new one, empty otherwise. `closed`: connections of the user."""

    user: User
    initial_password: str = ""
    closed: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """Tokens by day, the latest first. `limit`: of a day, None where tokens are not counted."""

    days: tuple[tuple[str, int], ...]
    limit: int | None = None


def parse_users(frame: Frame) -> UsersPage:
    """The page in a `users` frame; items that are not objects are left out."""
    found = tuple(map(_user, objects(frame.get("users"))))
    return UsersPage(found, text(frame.get("administrators")), text_or_none(frame.get("next")))


def parse_user(frame: Frame) -> UserChanged:
    """What a `user` frame says."""
    user = frame.get("user")
    found = _user(user if isinstance(user, dict) else {})
    return UserChanged(found, text(frame.get("initialPassword")), count(frame.get("closed")))


def parse_use(frame: Frame) -> Use:
    """What a `use` frame says; items that are not objects are left out."""
    days = tuple((text(each.get("day")), count(each.get("tokens"))) for each in objects(frame.get("days")))
    return Use(days, count_or_none(frame.get("limit")))


def _user(item: Frame) -> User:
    return User(
        name=text(item.get("name")),
        state=text(item.get("state")),
        groups=texts(item.get("groups")),
        email=text(item.get("email")),
        you=item.get("you") is True,
    )
