"""What administrators are told of accounts, of use, of ratings and of failures, and how it is read from frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """Tokens by day, the latest first. `limit`: of a day, None where tokens are not counted.

    `dollars`: an estimate of their cost, for the days where it is known, by list prices of the day `prices_of`.
    """

    days: tuple[tuple[str, int], ...]
    limit: int | None = None
    dollars: Mapping[str, float] = field(default_factory=dict)
    prices_of: str = ""


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """What a user thinks of an answer. `rating`: `good` or `bad`. `asked_at`: an ISO 8601 time."""

    request_id: str
    asked_at: str
    knowledge_base: str
    rating: str
    reasons: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Ratings:
    """`days`: with how many good and bad ratings, the latest first. `latest`: of the latest questions.

    `complete`: whether all ratings were counted, and not the latest alone.
    """

    days: tuple[tuple[str, int, int], ...]
    latest: tuple[RatedAnswer, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class FailedAnswer:
    """A question that ended in the error of this code. `asked_at`: an ISO 8601 time."""

    request_id: str
    asked_at: str
    knowledge_base: str
    code: str


@dataclass(frozen=True, slots=True)
class Failures:
    """`days`: with a code and how many failed by it, the latest first. `latest`: of the latest questions.

    `complete`: whether all failures were counted, and not the latest alone.
    """

    days: tuple[tuple[str, str, int], ...]
    latest: tuple[FailedAnswer, ...]
    complete: bool = True


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
    listed = objects(frame.get("days"))
    days = tuple((text(each.get("day")), count(each.get("tokens"))) for each in listed)
    known = {text(each.get("day")): each.get("dollars") for each in listed}
    dollars = {day: float(cost) for day, cost in known.items() if isinstance(cost, int | float)}
    return Use(days, count_or_none(frame.get("limit")), dollars, text(frame.get("pricesOf")))


def parse_ratings(frame: Frame) -> Ratings:
    """What a `ratings` frame says; items that are not objects are left out."""
    days = (
        (text(each.get("day")), count(each.get("good")), count(each.get("bad"))) for each in objects(frame.get("days"))
    )
    latest = (
        RatedAnswer(*_asked(each), text(each.get("rating")), texts(each.get("reasons")), text(each.get("comment")))
        for each in objects(frame.get("latest"))
    )
    return Ratings(tuple(days), tuple(latest), frame.get("complete") is True)


def parse_failures(frame: Frame) -> Failures:
    """What a `failures` frame says; items that are not objects are left out."""
    listed = objects(frame.get("days"))
    days = ((text(each.get("day")), text(each.get("code")), count(each.get("requests"))) for each in listed)
    latest = (FailedAnswer(*_asked(each), text(each.get("code"))) for each in objects(frame.get("latest")))
    return Failures(tuple(days), tuple(latest), frame.get("complete") is True)


def _asked(item: Frame) -> tuple[str, str, str]:
    return text(item.get("requestId")), text(item.get("askedAt")), text(item.get("knowledgeBase"))


def _user(item: Frame) -> User:
    return User(
        name=text(item.get("name")),
        state=text(item.get("state")),
        groups=texts(item.get("groups")),
        email=text(item.get("email")),
        you=item.get("you") is True,
    )
