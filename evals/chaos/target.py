"""The stage that is disturbed: how it is reached, and what can be done to it from the outside."""

from __future__ import annotations

import json
import os
import random
import signal
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.request import Request, urlopen

import jwt

from cicada.adapters.sqs_request_queue import request_message
from cicada.conversation.model import RequestKey
from cicada.permissions.model import Principal
from evals.chaos.database import Database
from evals.chaos.plan import FaultOrder, Storm
from local.stage.aws import aws_client
from local.stage.settings import StageConfig

_QUEUE = "cicada-local-requests.fifo"
_PROCESSOR = "ministack-lambda-cicada-local-message-processor"


@dataclass(frozen=True, slots=True)
class Target:
    """A running stage and what it says about itself."""

    config: StageConfig
    info: dict[str, Any]
    database: Database

    @property
    def url(self) -> str:
        return str(self.info["websocketUrl"])

    def token(self, user: str) -> str:
        """A fresh access token."""
        password = next(each["password"] for each in self.info["users"] if each["name"] == user)
        reply = aws_client(self.config, "cognito-idp").initiate_auth(
            AuthFlow="USER_PASSWORD_AUTH",
            ClientId=self.info["clientId"],
            AuthParameters={"USERNAME": user, "PASSWORD": password},
        )
        return str(reply["AuthenticationResult"]["AccessToken"])


def principal(token: str) -> Principal:
    """Whom the stage takes the token's owner for; its sample users are in no tenant's group."""
    return Principal("default", str(jwt.decode(token, options={"verify_signature": False})["sub"]))


@dataclass(frozen=True, slots=True)
class Suffered:
    """What the whole stage has suffered so far: killed processes, faults before and in the middle of a model's reply,
    and refused calls of DynamoDB.
    """

    kills: int = 0
    early_faults: int = 0
    late_faults: int = 0
    throttled: int = 0

    def since(self, before: Suffered) -> Suffered:
        return Suffered(
            self.kills - before.kills,
            self.early_faults - before.early_faults,
            self.late_faults - before.late_faults,
            self.throttled - before.throttled,
        )


class Trouble:
    """Kills processors, repeats queue messages, orders faults, throttles; counts all of it. For several threads."""

    def __init__(self, target: Target, seed: int) -> None:
        self._target = target
        self._queue = aws_client(target.config, "sqs")
        self._queue_url = self._queue.get_queue_url(QueueName=_QUEUE)["QueueUrl"]
        self._chance = random.Random(f"{seed}/kills")  # noqa: S311 - not for secrets
        self._lock = Lock()
        self._kills = 0
        self._ordered: list[FaultOrder] = []

    def kill(self, *, everyone: bool) -> int:
        """SIGKILL one processor or all; how many there were to kill."""
        with self._lock:
            alive = processors(self._target.config)
            killed = alive if everyone else self._chance.sample(alive, min(1, len(alive)))
            for process in killed:
                os.kill(process, signal.SIGKILL)
            self._kills += len(killed)
        return len(killed)

    def deliver_again(self, token: str, request_id: str) -> None:
        """The request's queue message once more, as no repeat and beside every order."""
        self._queue.send_message(
            QueueUrl=self._queue_url,
            MessageBody=json.dumps(request_message(RequestKey(principal(token), request_id))),
            MessageGroupId=str(uuid.uuid4()),
            MessageDeduplicationId=str(uuid.uuid4()),
        )

    def throttle(self, storm: Storm) -> None:
        """DynamoDB refuses calls for a while, whoever makes them."""
        self._target.database.storm(storm.seconds, storm.share)

    def order(self, fault: FaultOrder) -> None:
        """The stand-in's next call of the operation suffers the fault, whoever makes it."""
        with self._lock:
            self._faults("POST", asdict(fault))
            self._ordered.append(fault)

    def suffered(self) -> Suffered:
        """All so far. A fault counts from the call that it belongs to."""
        with self._lock:
            waiting = [FaultOrder(**fault) for fault in self._faults("GET")["waiting"]]
            return Suffered(
                self._kills,
                _times(self._ordered, early=True) - _times(waiting, early=True),
                _times(self._ordered, early=False) - _times(waiting, early=False),
                self._target.database.throttled,
            )

    def faults(self) -> dict[str, int]:
        """The faults ordered, by kind, without those that still wait."""
        with self._lock:
            counts: Counter[str] = Counter()
            for fault in self._ordered:
                counts[fault.kind] += fault.times
            for waiting in self._faults("GET")["waiting"]:
                counts[waiting["kind"]] -= waiting["times"]
            return dict(sorted(counts.items()))

    def calm(self) -> None:
        """Forget the faults that still wait."""
        with self._lock:
            left = [FaultOrder(**fault) for fault in self._faults("GET")["waiting"]]
            self._faults("DELETE")
            for fault in left:
                self._ordered.append(FaultOrder(fault.operation, fault.kind, fault.after, -fault.times, 0))

    def _faults(self, method: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = Request(  # noqa: S310 - a loopback address of the stage
            f"{self._target.config.bedrock_url}/_standin/faults",
            data=json.dumps(body).encode() if body else None,
            method=method,
        )
        with urlopen(request, timeout=10) as reply:  # noqa: S310
            text = reply.read()
        found: dict[str, Any] = json.loads(text) if text else {}
        return found


def _times(faults: Sequence[FaultOrder], *, early: bool) -> int:
    return sum(fault.times for fault in faults if fault.early == early)


def processors(config: StageConfig) -> list[int]:
    """The stage's message processors that have begun to work, told by the folder that the emulator unpacked them in.

    One that is still starting has called no service yet. The emulator takes its death for a fault of the function, and
    throws away the code of all the others with it (MiniStack 1.5, `invalidate_worker`), which no processor survives.
    """
    folder = str(config.folder / "tmp" / _PROCESSOR)
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if any(argument.startswith(folder) for argument in arguments) and _has_a_socket(process):
                found.append(int(process.name))
        except OSError:
            continue
    return sorted(found)


def _has_a_socket(process: Path) -> bool:
    return any(str(each.readlink()).startswith("socket:") for each in (process / "fd").iterdir())
