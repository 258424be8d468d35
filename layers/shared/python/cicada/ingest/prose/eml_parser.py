"""Reads mails (EML, RFC 5322)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from msgspec import Struct, field

from cicada.errors import DocumentRejectedError
from cicada.ingest.model import Problem
from cicada.ingest.prose.encoding import clean_line, clip, damage_reported, decode
from cicada.ingest.prose.html_parser import html_blocks
from cicada.ingest.prose.sections import MAX_PROPERTY, Block, Heading, Paragraph, Prose, text_blocks
from cicada.ingest.prose.text_parser import MAX_LINES

# The library makes an object of each part.
MAX_PARTS = 5_000
MAX_TEXT_BYTES = 16_000_000
# Mails in a mail, and in those.
MAX_MAILS, MAX_DEPTH = 50, 5

_DAMAGED = "The mail is damaged; save it from the mail program again and upload that."
_PART = re.compile(rb"^--", re.MULTILINE)
_MOST_NAMED = 20
_MAX_NAME = 200
# With the day both fit into a heading.
_MAX_SUBJECT, _MAX_SENDER = 120, 60
# RFC 2046, 5.2.1: a mail in a mail has no other encoding. What has is no mail to the library, but letters and digits.
_UNENCODED = ("", "7bit", "8bit", "binary")
_TEXTS = ("text/plain", "text/html")
_HEADERS = ("From", "To", "Cc")


class _Found(Struct):
    """What a mail is made of: its text, in blocks, and the names of what is attached and not read.

    `room`: bytes of further text. `depth`: of the mail that is being read, 0 for the outermost. `forwarded`: the mails
    in it. `mails`: how many were found in all.
    """

    room: int
    depth: int = 0
    mails: int = 0
    forwarded: list[Message] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_eml(content: bytes) -> Prose:
    """The title is the subject. Sender, recipients and day are the first paragraph, and fields.

    Of the forms of one text the plain one counts, else the one in HTML. Mails in it come below its own text, each
    under a heading. What else is attached is named and not read.
    """
    if len(_PART.findall(content)) > MAX_PARTS:
        raise DocumentRejectedError(f"The mail has more than {MAX_PARTS:,} parts; split it.", "too_large")
    found = _Found(MAX_TEXT_BYTES)
    with damage_reported(_DAMAGED):
        # The library's newer policy parses the headers too, and fails at some that are damaged.
        message = message_from_bytes(content)
        fields = _fields(_headers(message), _day(message))
        _read_mail(message, 0, found)
    return Prose(
        tuple(found.blocks),
        title=_header(message, "Subject"),
        problems=(*found.problems, *([_not_read(found.attached)] if found.attached else ())),
        metadata=fields,
    )


def _read_mail(message: Message, depth: int, found: _Found) -> None:
    headers, day = _headers(message), _day(message)
    if depth:
        found.blocks.append(Heading(depth, _forwarded_title(message, headers, day)))
    if first := "; ".join(f"{name}: {text}" for name, text in (headers | ({"Date": day} if day else {})).items()):
        found.blocks.append(Paragraph(first))
    before, found.depth = len(found.attached), depth
    _read(message, found)
    if named := found.attached[before:]:
        found.blocks.append(Paragraph(f"Attachments: {', '.join(named[:_MOST_NAMED])}"))
    forwarded, found.forwarded = found.forwarded, []
    for each in forwarded:
        _read_mail(each, depth + 1, found)


def _forwarded_title(message: Message, headers: dict[str, str], day: str) -> str:
    """Subject, sender and day: each passage of the mail is found by them."""
    sender = next((named or address for named, address in getaddresses([headers.get("From", "")])), "")
    about = ", ".join(filter(None, (clip(sender, _MAX_SENDER), day)))
    subject = clip(_header(message, "Subject"), _MAX_SUBJECT) or "Forwarded mail"
    return f"{subject} ({about})" if about else subject


def _headers(message: Message) -> dict[str, str]:
    return {name: text for name in _HEADERS if (text := _header(message, name))}


def _header(message: Message, name: str) -> str:
    """The first such header in one line. Bytes beyond ASCII, which are not allowed, are read as those of a text."""
    raw = next((str(value) for each, value in message.raw_items() if each.lower() == name.lower()), "")
    return _unencoded(decode(raw[:MAX_PROPERTY].encode("utf-8", "surrogateescape")).text)


def _unencoded(text: str) -> str:
    """Text with the words that are written as `=?utf-8?q?…?=` decoded."""
    try:
        parts = decode_header(text)
    except ValueError:
        return clean_line(text)
    return clean_line("".join(_decoded(part, charset or "") for part, charset in parts))


def _decoded(part: str | bytes, charset: str) -> str:
    return part if isinstance(part, str) else decode(part, charset).text


def _day(message: Message) -> str:
    """The day on which the mail was sent, in the sender's time zone; empty if it is not understood."""
    try:
        return parsedate_to_datetime(str(message.get("Date", ""))[:100]).date().isoformat()
    except ValueError:
        return ""


def _fields(headers: dict[str, str], day: str) -> dict[str, str | tuple[str, ...]]:
    """`from`, `to` and `date`: people by their names, where the mail has them."""
    people = {
        name.lower(): tuple(named or address for named, address in getaddresses([headers[name]]) if named or address)
        for name in ("From", "To")
        if name in headers
    }
    sender = {"from": people["from"][0]} if people.get("from") else {}
    return {**sender, **({"to": people["to"]} if people.get("to") else {}), **({"date": day} if day else {})}


def _read(part: Message, found: _Found) -> None:
    kind, place = part.get_content_type(), part.get_content_disposition()
    # Mail programs show an inline text though it has a file's name.
    is_shown = place == "inline" and kind in _TEXTS
    if kind == "message/rfc822":
        _keep_mail(part, found)
    elif place == "attachment" or (part.get_filename() and not is_shown):
        found.attached.append(_name(part))
    elif kind == "multipart/alternative":
        _read_one(_parts(part), found)
    elif part.is_multipart():
        for each in _parts(part):
            _read(each, found)
    elif kind in _TEXTS:
        found.blocks += _text(part, kind, found)


def _keep_mail(part: Message, found: _Found) -> None:
    """Keep a mail to be read, unless it is one too many or too deep, or in an encoding that mails may not have."""
    inner = _parts(part)
    is_plain = str(part.get("Content-Transfer-Encoding", "")).strip().lower() in _UNENCODED
    if inner and is_plain and found.depth < MAX_DEPTH and found.mails < MAX_MAILS:
        found.mails += 1
        found.forwarded.append(inner[0])
    else:
        found.attached.append(_name(part))


def _read_one(forms: list[Message], found: _Found) -> None:
    """The form that has text: a plain one, else the last, which is the richest."""
    for form in [*(each for each in forms if each.get_content_type() == "text/plain"), *reversed(forms)]:
        before = len(found.blocks)
        _read(form, found)
        if len(found.blocks) > before:
            return


def _parts(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []


def _text(part: Message, kind: str, found: _Found) -> Iterator[Block]:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return
    found.room -= len(payload)
    if found.room < 0:
        limit = MAX_TEXT_BYTES // 1_000_000
        raise DocumentRejectedError(f"The mail has more than {limit} MB of text; split it.", "too_large")
    decoded = decode(payload, part.get_content_charset() or "")
    found.problems += decoded.problems
    if decoded.text.count("\n") > MAX_LINES:
        raise DocumentRejectedError(f"The mail has more than {MAX_LINES:,} lines; split it.", "too_large")
    blocks = html_blocks(decoded.text) if kind == "text/html" else text_blocks(decoded.text.split("\n"))
    # A mail's own headings stand below those that mails have.
    yield from (Heading(MAX_DEPTH + each.level, each.text) if isinstance(each, Heading) else each for each in blocks)


def _name(part: Message) -> str:
    inner = next(iter(_parts(part)), None) if part.get_content_type() == "message/rfc822" else None
    subject = _header(inner, "Subject") if inner else ""
    name = _unencoded((part.get_filename() or "")[:MAX_PROPERTY]) or subject or part.get_content_type()
    return clip(name, _MAX_NAME)


def _not_read(names: list[str]) -> Problem:
    listed = ", ".join(names[:_MOST_NAMED])
    return Problem(
        "", f"Attachments are named and not read: {listed}. Upload those that are to be found.", "attachment"
    )
