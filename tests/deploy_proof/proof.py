"""The steps of a proof, in their order. Each is taken with the commands of an operator."""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from local.stage.settings import ROOT
from tests.deploy_proof.alarm_chain import ring
from tests.deploy_proof.browser import ask_page
from tests.deploy_proof.only_on_aws import api_writes_its_log, collection_is_active
from tests.deploy_proof.remains import remains
from tests.deploy_proof.report import ProofError, Report, SkippedError
from tests.deploy_proof.target import Target

_SAMPLES = ROOT / "samples"
_TENANT = "deploy-proof"
_BASE = "deploy-proof"
_LIMIT = "CICADA_MESSAGES_PER_MINUTE"
_ANOTHER_LIMIT = "47"
# Places of the documents beside the one that has the fact, and how many questions are asked while they are ingested.
_HARBOURS = ("Ardwick", "Borrin", "Carsay", "Dunmore", "Elgol", "Farrow", "Glenmar")
_AT_ONCE = 4


class Proof:
    """Eight documents, one with a fact that stands nowhere else, one user, and what becomes of them."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._id = secrets.token_hex(4)
        self._user = f"proof-{self._id}"
        self._password = f"Proof-{secrets.token_urlsafe(18)}-1"
        self._day = f"{secrets.randbelow(28) + 1} March {1900 + secrets.randbelow(100)}"
        self._home = tempfile.TemporaryDirectory()
        self._released = ""

    def run(self, report: Report) -> bool:
        """Take all steps up to one that fails, and destroy the stack in any case. Whether nothing failed."""
        try:
            all(report.take(name, partial(self._unless_unable, name, step)) for name, step in self._steps())
        finally:
            report.take("destroy", partial(self._unless_unable, "destroy", self._destroy))
            self._home.cleanup()
        return report.end()

    def _steps(self) -> list[tuple[str, Callable[[], str]]]:
        return [
            ("bootstrap", self._bootstrap),
            ("doctor", self._doctor),
            ("deploy", self._deploy),
            ("collection", partial(collection_is_active, self._target)),
            ("user", self._add_user),
            ("ingest", self._ingest),
            ("terminal", self._ask_by_terminal),
            ("page", self._ask_by_page),
            ("calibrate", self._calibrate),
            ("access log", partial(api_writes_its_log, self._target)),
            ("status", self._status),
            ("alarm chain", partial(ring, self._target, self._id)),
            ("release forward", self._release_forward),
            ("release back", self._release_back),
        ]

    def _unless_unable(self, name: str, step: Callable[[], str]) -> str:
        if name in self._target.unable:
            raise SkippedError(self._target.unable[name])
        return step()

    def _bootstrap(self) -> str:
        self._target.deployment.bootstrap()
        return "cdk bootstrap: the account has the CDK's roles and its bucket for assets"

    def _doctor(self) -> str:
        given = [part for name, value in self._target.context.items() for part in ("-c", f"{name}={value}")]
        self._cicada("doctor", *given)
        return "cicada doctor: the account and the region have what a deployment needs"

    def _deploy(self) -> str:
        self._target.deployment.deploy({})
        outputs = self._target.outputs()
        self._released = self._limit()
        return f"cdk deploy: {self._target.stack} is complete, {outputs['WebSocketUrl']}"

    def _add_user(self) -> str:
        self._cicada("user", "add", self._user, "--tenant", _TENANT, "--password-stdin", stdin=f"{self._password}\n")
        listed = json.loads(self._cicada("user", "list", "--json"))["users"]
        if self._user not in [each["name"] for each in listed]:
            raise ProofError(f"{self._user} is not in the list of users.")
        return f"cicada user add, list: {self._user} is one of {len(listed)}"

    def _ingest(self) -> str:
        folder = Path(self._home.name, "documents")
        folder.mkdir()
        text = f"# The lighthouse of Kelmory\n\nThe lighthouse of Kelmory was first lit on {self._day}.\n"
        (folder / "kelmory.md").write_text(text, "utf-8")
        for harbour in _HARBOURS:
            (folder / f"{harbour.lower()}.md").write_text(f"# {harbour}\n\n{harbour} has a harbour.\n", "utf-8")
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            asked = [threads.submit(self._ask_early) for _ in range(_AT_ONCE)]
            self._cicada("ingest", str(folder), "--tenant", _TENANT, "--knowledge-base", _BASE)
            answered = sum(each.result() for each in asked)
        return (
            f"cicada ingest: {1 + len(_HARBOURS)} documents are searchable, one with a fact of its own; of {_AT_ONCE} "
            f"questions meanwhile {answered} were answered, and none called the stage misconfigured"
        )

    def _ask_early(self) -> bool:
        """Whether there is an answer: it may find nothing, be late or have to be asked for again.

        The index does not exist yet: the first questions and the first files create it together. Raises `ProofError`
        if the question ends because the stage is misconfigured.
        """
        try:
            self._ask()
        except ProofError as error:
            if '"misconfigured"' in str(error):
                raise
            return False
        return True

    def _ask_by_terminal(self) -> str:
        self._has_the_fact(self._ask())
        return f"cicada ask: the answer has the fact, {self._day}"

    def _ask(self) -> str:
        reply = self._cicada("ask", self._question, "--json", "--knowledge-base", _BASE, "--user", self._user)
        return str(json.loads(reply)["text"])

    def _ask_by_page(self) -> str:
        url = self._target.page_url or self._target.outputs().get("PageUrl")
        if not url:
            raise SkippedError("the stage has no page: it is deployed with -c page=none")
        self._has_the_fact(ask_page(url, _BASE, self._user, self._password, self._question))
        return f"{url}: signed in, asked, the answer has the fact"

    def _calibrate(self) -> str:
        """By one play and what is asked of it, which is enough for a calibration."""
        play, questions = Path(self._home.name, "play"), Path(self._home.name, "questions.jsonl")
        play.mkdir()
        shutil.copy(_SAMPLES / "macbeth.json", play)
        lines = (_SAMPLES / "calibration.jsonl").read_text("utf-8").splitlines()
        asked = [line for line in lines if '"scripts"' in line and "hamlet" not in line.lower()]
        questions.write_text("\n".join(asked), "utf-8")
        self._cicada("ingest", str(play), "--tenant", _TENANT, "--knowledge-base", "scripts")
        self._cicada("calibrate", str(questions), "--tenant", _TENANT)
        said = self._findings("calibration")
        if not any(each.startswith("calibrated for") and "by " in each for each in said):
            raise ProofError(f"The stage should be calibrated for its embedder: {said}")
        return f"cicada calibrate, status: {'; '.join(said)}"

    def _status(self) -> str:
        said = self._findings("vectors")
        kept = f"; its vectors have the {said[0]}" if said else ""
        return f"cicada status: functions, queues, alarms, index and models are well{kept}"

    def _findings(self, subject: str) -> list[str]:
        """What `cicada status` says of a part of the stack."""
        found = json.loads(self._cicada("status", "--tenant", _TENANT, "--knowledge-base", _BASE, "--json"))["findings"]
        return [each["text"] for each in found if each["subject"] == subject]

    def _release_forward(self) -> str:
        self._target.deployment.deploy({"messagesPerMinute": _ANOTHER_LIMIT})
        return self._released_with(_ANOTHER_LIMIT)

    def _release_back(self) -> str:
        self._target.deployment.deploy({})
        return self._released_with(self._released)

    def _released_with(self, limit: str) -> str:
        if (found := self._limit()) != limit:
            raise ProofError(f"{_LIMIT} is {found} and not {limit}.")
        self._ask_by_terminal()
        return f"{_LIMIT} is {limit}; the user signs in, and the answer still has the fact"

    def _destroy(self) -> str:
        self._target.deployment.destroy()
        if left := remains(self._target):
            raise ProofError(f"This is left: {', '.join(left)}.")
        return "nothing of the stage is left"

    @property
    def _question(self) -> str:
        return "When was the lighthouse of Kelmory first lit?"

    def _has_the_fact(self, answer: str) -> None:
        if self._day not in answer:
            raise ProofError(f"The answer should have {self._day}: {answer!r}")

    def _limit(self) -> str:
        client = self._target.client("lambda")
        function = client.get_function_configuration(FunctionName=f"{self._target.prefix}-ws-message")
        return str(function["Environment"]["Variables"][_LIMIT])

    def _cicada(self, *arguments: str, stdin: str = "") -> str:
        home = {"CICADA_PASSWORD": self._password, "XDG_STATE_HOME": self._home.name}
        return self._target.cicada(*arguments, stdin=stdin, **home)
