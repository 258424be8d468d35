"""The live index and the one being built share one file, so that one transaction writes both or switches them.

Two files and a rename would fail: SQLite finds the log by the file's name, so a process that closes the old file
deletes the new file's log. https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
"""

from __future__ import annotations

import sqlite3


def live_build(connection: sqlite3.Connection) -> int:
    """The number of the build that is searched."""
    return int(connection.execute("SELECT value FROM property WHERE name = 'live'").fetchone()[0])


def unfinished_build(connection: sqlite3.Connection) -> int | None:
    """The number of the build in progress, which is not searched yet; None without one."""
    row = connection.execute("SELECT value FROM property WHERE name = 'unfinished'").fetchone()
    return int(row[0]) if row else None


def begin_build(connection: sqlite3.Connection) -> int:
    """Start a build and return its number. An unfinished one is abandoned; `drop_unused` deletes its rows."""
    connection.execute("UPDATE property SET value = value + 1 WHERE name = 'newest'")
    connection.execute("INSERT OR REPLACE INTO property SELECT 'unfinished', value FROM property WHERE name = 'newest'")
    build = unfinished_build(connection)
    assert build is not None  # noqa: S101 - it has just been inserted
    return build


def switch_build(connection: sqlite3.Connection) -> None:
    """Make the unfinished build the live one."""
    connection.execute(
        "UPDATE property SET value = (SELECT value FROM property WHERE name = 'unfinished') WHERE name = 'live'"
    )
    give_up_build(connection)


def give_up_build(connection: sqlite3.Connection) -> None:
    """Abandon the unfinished build, if there is one."""
    connection.execute("DELETE FROM property WHERE name = 'unfinished'")


def drop_unused(connection: sqlite3.Connection) -> None:
    """Delete the passages of all builds that are neither live nor in progress."""
    unused = "SELECT number FROM collection WHERE build NOT IN (?, ?)"
    live = live_build(connection)
    # Never NULL: `NOT IN` with a NULL selects nothing.
    used = (live, unfinished_build(connection) or live)
    connection.execute(f"DELETE FROM passage WHERE collection IN ({unused})", used)  # noqa: S608 - a constant
    connection.execute(f"DELETE FROM collection WHERE number IN ({unused})", used)  # noqa: S608 - a constant
