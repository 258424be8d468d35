"""Reads the JSON of a script file within limits.

A script is a list of records, or an object that holds one under `messages` or `Main`.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from cicada.errors import DocumentRejectedError

MAX_BYTES = 16_000_000
MAX_RECORDS = 200_000

_LIST_KEYS = ("messages", "Main")


class JsonObject(dict[str, Any]):
    """A JSON object that records its duplicate keys, because their values are ambiguous."""

    repeated: str | None = None


def read_records(content: bytes) -> list[Any]:
    """The list of records, in UTF-8 or in UTF-16 with its byte order mark, objects as `JsonObject`s.

    `DocumentRejectedError` for a file that is empty, cut off, in another encoding, no JSON, or made to exhaust memory.
    """
    document = found = _json(content)
    if isinstance(document, JsonObject):
        if document.repeated:
            raise DocumentRejectedError(f"The file has its key '{document.repeated[:40]}' twice.")
        found = next((document[key] for key in _LIST_KEYS if key in document), None)
    if not isinstance(found, list):
        raise no_script()
    if len(found) > MAX_RECORDS:
        raise _too_many()
    return found


def no_script() -> DocumentRejectedError:
    """The refusal of JSON that somebody keeps among documents."""
    return DocumentRejectedError(
        "The file is JSON, but no script: a script is a list of records with messageId, speaker and textENG or "
        "textJPN, or an object with such a list under 'messages'. Other JSON is not read; upload what is to be found "
        "as Markdown or text.",
        "wrong_type",
    )


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        made.repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
    return made


def _no_number(name: str) -> NoReturn:
    raise DocumentRejectedError(f"The file holds {name}, which is not JSON; replace it by a number or by null.")


def _json(content: bytes) -> object:
    _check_size(content)
    try:
        return json.loads(content, object_pairs_hook=_object, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise DocumentRejectedError(
            f"The file is not in UTF-8 (byte {error.start + 1}); save it as UTF-8 and upload it again."
        ) from error
    except json.JSONDecodeError as error:
        raise DocumentRejectedError(_where_json_breaks(error)) from error
    except RecursionError as error:
        raise DocumentRejectedError("The file's lists and objects are nested too deeply for a script.") from error
    except ValueError as error:
        raise DocumentRejectedError("The file holds a number of thousands of digits.") from error


def _check_size(content: bytes) -> None:
    if not content.strip():
        raise DocumentRejectedError("The file is empty; upload it again.")
    if len(content) > MAX_BYTES:
        raise DocumentRejectedError(f"The script is larger than {MAX_BYTES // 1_000_000} MB; split it by chapter.")
    # Before parsing, since objects take many times the memory of their text.
    if content.count(b"{") + content.count(b"[") > 2 * MAX_RECORDS:
        raise _too_many()


def _too_many() -> DocumentRejectedError:
    return DocumentRejectedError(f"The script has more than {MAX_RECORDS:,} records; split it by chapter.")


def _where_json_breaks(error: json.JSONDecodeError) -> str:
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"The file ends in the middle, at line {error.lineno}; upload it again, whole."
    return f"The file is not JSON at line {error.lineno}, column {error.colno}: {error.msg}."
