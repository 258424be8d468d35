"""The index that answers and the one that is being built, in one file: one transaction writes both, one switches.

Two files and a rename would not do: a process that still has the old file open deletes the new file's log when it
closes, as SQLite finds the log by the file's name. https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
"""

from __future__ import annotations

import sqlite3


def live_build(connection: sqlite3.Connection) -> int:
    """The build that answers."""
    return int(connection.execute("SELECT value FROM property WHERE name = 'live'").fetchone()[0])


def unfinished_build(connection: sqlite3.Connection) -> int | None:
    """The build that nobody searches yet, if there is one."""
    row = connection.execute("SELECT value FROM property WHERE name = 'unfinished'").fetchone()
    return int(row[0]) if row else None


def begin_build(connection: sqlite3.Connection) -> int:
    """A new build's number; one that is unfinished is given up. What it holds is left to `drop_unused`."""
    connection.execute("UPDATE property SET value = value + 1 WHERE name = 'newest'")
    connection.execute("INSERT OR REPLACE INTO property SELECT 'unfinished', value FROM property WHERE name = 'newest'")
    build = unfinished_build(connection)
    assert build is not None  # noqa: S101 - it has just been inserted
    return build


def switch_build(connection: sqlite3.Connection) -> None:
    """Let the unfinished build answer."""
    connection.execute(
        "UPDATE property SET value = (SELECT value FROM property WHERE name = 'unfinished') WHERE name = 'live'"
    )
    give_up_build(connection)


def give_up_build(connection: sqlite3.Connection) -> None:
    """There is no unfinished build any more."""
    connection.execute("DELETE FROM property WHERE name = 'unfinished'")


def drop_unused(connection: sqlite3.Connection) -> None:
    """Remove the passages of all builds that neither answer nor are being built."""
    unused = "SELECT number FROM collection WHERE build NOT IN (?, ?)"
    live = live_build(connection)
    # Never NULL, which no number is known not to be.
    cache = (live, unfinished_build(connection) or live)
    connection.execute(f"DELETE FROM passage WHERE collection IN ({unused})", cache)  # noqa: S608 - a constant
    connection.execute(f"DELETE FROM collection WHERE number IN ({unused})", cache)  # noqa: S608 - a constant
