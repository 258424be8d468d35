"""The refresh tokens of those who have signed in, in a file that only this account of the machine may read."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class SavedSignIns:
    """One refresh token a user of an app client. Access tokens are not kept: they last ten minutes."""

    path: Path

    def refresh_token(self, client_id: str, user: str) -> str | None:
        token = self._of(client_id)["users"].get(user)
        return token if isinstance(token, str) else None

    def last_user(self, client_id: str) -> str | None:
        """Who signed in last."""
        last = self._of(client_id).get("last")
        return last if isinstance(last, str) else None

    def save(self, client_id: str, user: str, refresh_token: str) -> None:
        """Raises OSError if the file cannot be written."""
        saved = self._of(client_id)
        self._write(client_id, {"users": {**saved["users"], user: refresh_token}, "last": user})

    def forget(self, client_id: str, user: str) -> None:
        """Forget the user's sign-in, if there is one."""
        saved = self._of(client_id)
        users = {name: token for name, token in saved["users"].items() if name != user}
        if users != saved["users"]:
            self._write(client_id, {"users": users, "last": next(reversed(users), None)})

    def _of(self, client_id: str) -> dict[str, Any]:
        found = self._read().get(client_id)
        if not isinstance(found, dict) or not isinstance(found.get("users"), dict):
            return {"users": {}, "last": None}
        return found

    def _read(self) -> dict[str, Any]:
        """The saved sign-ins; empty without a file, and for a foreign one: signing in again writes it anew."""
        try:
            found = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, client_id: str, saved: dict[str, Any]) -> None:
        """Replace the file as a whole: another command may be reading it."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        content = json.dumps({**self._read(), client_id: saved}, indent=1).encode()
        try:
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY), "wb") as file:
                file.write(content)
            new.replace(self.path)
        finally:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
