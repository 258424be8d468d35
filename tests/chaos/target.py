"""The stage under test: how to reach it, and how to disturb it from the outside."""

from __future__ import annotations

import json
import os
import random
import signal
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any
from urllib.request import Request, urlopen

import jwt

from cicada.adapters.sqs import request_message
from cicada.conversation.model import RequestKey
from cicada.identity import Principal
from cicada_client.password_proof import PasswordProof
from local.stage.aws import aws_client
from local.stage.settings import StageConfig
from tests.chaos.database import Database
from tests.chaos.plan import FaultOrder, Storm, Victim
from tests.chaos.processors import ports_of, processors

_QUEUE = "cicada-local-requests.fifo"


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
        proof = PasswordProof(self.info["userPoolId"], user, password)
        cognito, client_id = aws_client(self.config, "cognito-idp"), self.info["clientId"]
        asked = cognito.initiate_auth(AuthFlow="USER_SRP_AUTH", ClientId=client_id, AuthParameters=proof.parameters)
        reply = cognito.respond_to_auth_challenge(
            ClientId=client_id,
            ChallengeName="PASSWORD_VERIFIER",
            ChallengeResponses=proof.responses(asked["ChallengeParameters"]),
        )
        return str(reply["AuthenticationResult"]["AccessToken"])


def principal(token: str) -> Principal:
    """The principal of the token's owner; the sample users are in no tenant's group."""
    return Principal("default", str(jwt.decode(token, options={"verify_signature": False})["sub"]))


@dataclass(frozen=True, slots=True)
class Suffered:
    """What may have disturbed a request so far.

    Processors that were answering it were killed; and in the whole stage there were faults before and in the middle of
    a model's reply, refused calls of DynamoDB, `deaths` of processors, and silent models among the early faults.
    """

    kills: int = 0
    early_faults: int = 0
    late_faults: int = 0
    throttled: int = 0
    deaths: int = 0
    silences: int = 0

    def since(self, before: Suffered) -> Suffered:
        return Suffered(
            self.kills - before.kills,
            self.early_faults - before.early_faults,
            self.late_faults - before.late_faults,
            self.throttled - before.throttled,
            self.deaths - before.deaths,
            self.silences - before.silences,
        )


class Trouble:
    """Kills processors, repeats queue messages, orders faults, throttles; counts all of it. Thread-safe.

    Faults that others ordered before are cancelled: only its own are counted.
    """

    def __init__(self, target: Target, seed: int) -> None:
        self._target = target
        self._queue = aws_client(target.config, "sqs")
        self._queue_url = self._queue.get_queue_url(QueueName=_QUEUE)["QueueUrl"]
        self._chance = random.Random(f"{seed}/kills")
        self._lock = Lock()
        self._hits: Counter[str] = Counter()
        self._ordered: list[FaultOrder] = []
        self._faults("DELETE")

    def kill(self, victim: Victim, request_id: str) -> int:
        """SIGKILL the processor that answers the request, any one, or all; returns how many were killed."""
        with self._lock:
            answering = {
                process: self._target.database.request_of(ports_of(process))
                for process in processors(self._target.config)
            }
            match victim:
                case Victim.OWN:
                    killed = [process for process, answered in answering.items() if answered == request_id]
                case Victim.ANY:
                    killed = self._chance.sample(list(answering), min(1, len(answering)))
                case Victim.ALL:
                    killed = list(answering)
            for process in killed:
                os.kill(process, signal.SIGKILL)
                self._hits[answering[process]] += 1
        return len(killed)

    @property
    def kills(self) -> int:
        """Processors killed so far."""
        with self._lock:
            return self._hits.total()

    def deliver_again(self, token: str, request_id: str) -> None:
        """Send the request's queue message again, with a new deduplication id and in a message group of its own."""
        self._queue.send_message(
            QueueUrl=self._queue_url,
            MessageBody=json.dumps(request_message(RequestKey(principal(token), request_id))),
            MessageGroupId=str(uuid.uuid4()),
            MessageDeduplicationId=str(uuid.uuid4()),
        )

    def throttle(self, storm: Storm) -> None:
        """DynamoDB refuses calls of any caller for a while."""
        self._target.database.storm(storm.seconds, storm.share)

    def order(self, fault: FaultOrder) -> None:
        """The stand-in's next call of the operation fails like this, whatever request it belongs to."""
        with self._lock:
            self._faults("POST", asdict(fault))
            self._ordered.append(fault)

    def suffered(self, request_id: str) -> Suffered:
        """What may have disturbed a request so far. A fault counts once a call has taken it."""
        with self._lock:
            waiting = [FaultOrder(**fault) for fault in self._faults("GET")["waiting"]]
            return Suffered(
                self._hits[request_id],
                _times(self._ordered, early=True) - _times(waiting, early=True),
                _times(self._ordered, early=False) - _times(waiting, early=False),
                self._target.database.throttled,
                self._hits.total(),
                _silences(self._ordered) - _silences(waiting),
            )

    def faults(self) -> dict[str, int]:
        """Counts of the faults that calls have taken, by kind."""
        with self._lock:
            counts: Counter[str] = Counter()
            for fault in self._ordered:
                counts[fault.kind] += fault.times
            for waiting in self._faults("GET")["waiting"]:
                counts[waiting["kind"]] -= waiting["times"]
            return dict(sorted(counts.items()))

    def calm(self) -> None:
        """Cancel the faults that no call has taken yet."""
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
        with urlopen(request, timeout=60) as reply:  # noqa: S310
            text = reply.read()
        found: dict[str, Any] = json.loads(text) if text else {}
        return found


def _times(faults: Sequence[FaultOrder], *, early: bool) -> int:
    return sum(fault.times for fault in faults if fault.early == early)


def _silences(faults: Sequence[FaultOrder]) -> int:
    return sum(fault.times for fault in faults if fault.silent)
