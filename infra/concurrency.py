"""How a stage shares the account's concurrent executions: so many for answers, for ingest, and for the chat.

https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
"""

from __future__ import annotations

from dataclasses import dataclass

# What AWS grants a new account: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
NEW_ACCOUNT = 10
# Lambda refuses a reservation that leaves less for the functions without one (PutFunctionConcurrency).
UNRESERVED_LEAST = 100
# The most that an event source's maximum concurrency can be (CreateEventSourceMapping).
SOURCE_MOST = 1000
# Four of ten executions answer, two ingest, and four are left for the chat, whose functions take milliseconds.
_ANSWERS_SHARE, _INGEST_SHARE = 0.4, 0.2
# More files in parallel only have the embedding model refuse their calls.
_INGEST_MOST = 20
# These run while a person waits for a connection or a reply. Accounts are administered seldom: that function shares
# what is not reserved.
CHAT_FUNCTIONS = (
    *("authorizer", "ws_connect", "ws_disconnect"),
    *("ws_message", "ws_resume", "ws_control", "ws_open", "ws_sign_out"),
)


@dataclass(frozen=True, slots=True)
class ConcurrencyBudget:
    """`answers`, `ingest`: the most that their queues invoke in parallel. `reserved`: for each function of the chat.

    `reserved` is None where Lambda allows no reservation; then all functions share what the queues leave.
    """

    account: int
    answers: int
    ingest: int
    reserved: int | None

    @property
    def left(self) -> int:
        """What the queues leave to the chat at their busiest."""
        return self.account - self.answers - self.ingest


def concurrency_budget(account: int) -> ConcurrencyBudget:
    """The budget of `account` concurrent executions: the account's quota, or this stage's part of it.

    Raises `ValueError` for less than a new account has.
    """
    if account < NEW_ACCOUNT:
        raise ValueError(f"A stage needs {NEW_ACCOUNT} concurrent executions; {account} are too few.")
    answers = min(int(account * _ANSWERS_SHARE), SOURCE_MOST)
    ingest = min(int(account * _INGEST_SHARE), _INGEST_MOST)
    unreserved = max(UNRESERVED_LEAST, answers + ingest)
    each = min(account - unreserved, int(account * _ANSWERS_SHARE)) // len(CHAT_FUNCTIONS)
    # A reservation is a limit too: one that is smaller than a new account's share would slow the chat down.
    return ConcurrencyBudget(account, answers, ingest, reserved=each if each >= NEW_ACCOUNT else None)
