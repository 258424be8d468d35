"""The steps of a proof, in their order. Each is taken with the commands of an operator."""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from local.stage.settings import ROOT
from tests.deploy_proof.alarm_chain import ring
from tests.deploy_proof.browser import ask_page
from tests.deploy_proof.only_on_aws import api_writes_its_log, collection_is_active
from tests.deploy_proof.remains import remains
from tests.deploy_proof.report import ProofError, Report, SkippedError
from tests.deploy_proof.target import Target

_TENANT = "deploy-proof"
_BASE = "deploy-proof"
_LIMIT = "CICADA_MESSAGES_PER_MINUTE"
_ANOTHER_LIMIT = "47"


class Proof:
    """One document with a fact that stands nowhere else, one user, and what becomes of them."""

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
        self._cicada("ingest", str(folder), "--tenant", _TENANT, "--knowledge-base", _BASE)
        return "cicada ingest: a document is searchable that has a fact of its own"

    def _ask_by_terminal(self) -> str:
        reply = self._cicada("ask", self._question, "--json", "--knowledge-base", _BASE, "--user", self._user)
        self._has_the_fact(json.loads(reply)["text"])
        return f"cicada ask: the answer has the fact, {self._day}"

    def _ask_by_page(self) -> str:
        url = self._target.page_url or self._target.outputs().get("PageUrl")
        if not url:
            raise SkippedError("the stage has no page: it is deployed with -c page=none")
        self._has_the_fact(ask_page(url, _BASE, self._user, self._password, self._question))
        return f"{url}: signed in, asked, the answer has the fact"

    def _calibrate(self) -> str:
        folder = Path(self._home.name, "plays")
        folder.mkdir()
        for name in ("macbeth.json", "hamlet.json"):
            shutil.copy(ROOT / "samples" / name, folder)
        self._cicada("ingest", str(folder), "--tenant", _TENANT, "--knowledge-base", "scripts")
        self._cicada("calibrate", "--tenant", _TENANT)
        found = json.loads(self._cicada("status", "--tenant", _TENANT, "--knowledge-base", _BASE, "--json"))["findings"]
        said = [each["text"] for each in found if each["subject"] == "calibration"]
        if not any(each.startswith("calibrated for") and "by " in each for each in said):
            raise ProofError(f"The stage should be calibrated for its embedder: {said}")
        return f"cicada calibrate, status: {'; '.join(said)}"

    def _status(self) -> str:
        self._cicada("status", "--tenant", _TENANT, "--knowledge-base", _BASE)
        return "cicada status: functions, queues, alarms, index and models are well"

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
