"""The user to run servers as that refuse to run as root, and folders that this user can reach."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from pathlib import Path

from local.stage.settings import StageError


def account() -> pwd.struct_passwd | None:
    """The user to run as; None for the current user, unless that is root."""
    if os.geteuid() != 0:
        return None
    for name in ("nobody", "daemon"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise StageError(
        "OpenSearch refuses to run as root and there is no user `nobody`; start the stage as another user."
    )


def command_prefix(user: pwd.struct_passwd | None) -> list[str]:
    """The prefix of a command to run it as the user."""
    if user is None:
        return []
    if shutil.which("setpriv") is None:
        raise StageError(
            "OpenSearch refuses to run as root and `setpriv` is not there: install util-linux, or start the stage as "
            "another user."
        )
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--inh-caps=-all"]


def reachable(wanted: Path, user: pwd.struct_passwd | None) -> Path:
    """The folder itself, or, if the user cannot reach it, one in the system's temporary folder."""
    if user is None or all(folder.stat().st_mode & stat.S_IXOTH for folder in (wanted, *wanted.parents)):
        return wanted
    folder = Path(tempfile.gettempdir()) / f"cicada-{hashlib.sha256(str(wanted).encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    found = folder.lstat()
    # Anybody can create a folder of that name; only one that belongs to root or to the user is used.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), user.pw_uid):
        raise StageError(f"{folder} belongs to somebody else; delete it and start again.")
    folder.chmod(0o755)
    return folder


def give(folder: Path, user: pwd.struct_passwd | None) -> None:
    """Make the user the owner of a folder and its content."""
    if user is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
