"""EML: who wrote what to whom and when, in which form, and what was attached."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from cicada.documents.model import SectionLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest.prose import eml_parser
from cicada.ingest.prose.eml_parser import read_eml
from cicada.ingest.prose.sections import Heading, ListItem, Paragraph, Prose
from tests.unit.ingest.documents import parsed


def mail(text: str = "Text.", subject: str = "Leave") -> EmailMessage:
    made = EmailMessage()
    made["Subject"], made["From"] = subject, "Jürgen Lee <j@acme.example>"
    made["To"], made["Date"] = "Ann Poe <a@acme.example>, b@acme.example", "Sat, 31 Jan 2026 23:30:00 +0100"
    made.set_content(text)
    return made


def read(message: EmailMessage) -> Prose:
    return read_eml(message.as_bytes())


def test_subject_people_and_day_are_title_first_paragraph_and_fields() -> None:
    found = parsed("m.eml", mail(subject="Rückgabe über Ostern").as_bytes()).passages[0]
    people = "From: Jürgen Lee <j@acme.example>; To: Ann Poe <a@acme.example>, b@acme.example"
    assert (found.title, found.text) == ("Rückgabe über Ostern", f"{people}; Date: 2026-01-31\nText.")
    assert found.metadata == {
        "from": "Jürgen Lee",
        "to": ("Ann Poe", "b@acme.example"),
        "date": "2026-01-31",
        "language": "en",
    }


def test_a_header_that_is_nested_too_deep_is_damage() -> None:
    with pytest.raises(DocumentRejectedError, match="The mail is damaged"):
        read_eml(b"To: " + b"(" * 990 + b"\n\nText.\n")


def test_a_text_that_is_shown_in_the_mail_is_read_though_it_has_a_files_name() -> None:
    message = mail("Shown.")
    message.add_header("Content-Disposition", "inline", filename="body.txt")
    assert (read(message).blocks[1:], read(message).problems) == ((Paragraph("Shown."),), ())


def test_of_two_forms_of_a_text_the_plain_one_counts() -> None:
    message = mail("Plain\ntext.\n\n- an item\n")
    message.add_alternative("<p>Rich text.", subtype="html")
    assert read(message).blocks[1:] == (Paragraph("Plain text."), ListItem("an item"))


def test_without_a_plain_text_the_html_is_read() -> None:
    message = mail(" ")
    message.add_alternative("<style>p{}</style><p>Rich <b>text</b>.", subtype="html")
    assert read(message).blocks[1:] == (Paragraph("Rich text."),)


def test_attachments_are_named_and_not_read() -> None:
    message = mail()
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="Überblick.pdf")
    message.add_attachment(b"PK", maintype="application", subtype="zip", filename="b.zip")
    found = read(message)
    assert found.blocks[1:] == (Paragraph("Text."), Paragraph("Attachments: Überblick.pdf, b.zip"))
    assert [(each.kind, "Überblick.pdf, b.zip" in each.reason) for each in found.problems] == [("attachment", True)]


def test_a_mail_in_a_mail_is_read_below_its_subject_sender_and_day() -> None:
    inner = mail("Inner.", subject="Older")
    inner.add_attachment(b"PK", maintype="application", subtype="zip", filename="b.zip")
    message = mail("Outer.")
    message.add_attachment(inner)
    message.add_attachment(EmailMessage())
    found = read(message)
    people = "From: Jürgen Lee <j@acme.example>; To: Ann Poe <a@acme.example>, b@acme.example; Date: 2026-01-31"
    assert found.blocks == (
        Paragraph(people),
        Paragraph("Outer."),
        Heading(1, "Older (Jürgen Lee, 2026-01-31)"),
        Paragraph(people),
        Paragraph("Inner."),
        Paragraph("Attachments: b.zip"),
        Heading(1, "Forwarded mail"),
    )
    assert (found.title, [each.kind for each in found.problems]) == ("Leave", ["attachment"])


def test_headings_of_a_mail_stand_below_that_of_the_mail() -> None:
    inner, outer = mail(" ", subject="Older"), mail(" ")
    inner.add_alternative("<h1>Rules</h1><p>Ask.", subtype="html")
    outer.add_alternative("<h1>News</h1><p>Read.", subtype="html")
    outer.make_mixed()
    outer.add_attachment(inner)
    paths = [each.locator for each in parsed("m.eml", outer.as_bytes()).passages]
    older = "Older (Jürgen Lee, 2026-01-31)"
    assert paths == [SectionLocator(path) for path in ((), ("News",), (older,), (older, "Rules"))]


def test_mails_that_are_too_many_too_deep_or_encoded_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = mail("Text 0.", subject="Mail 0")
    for number in range(1, 8):
        below, chain = chain, mail(f"Text {number}.", subject=f"Mail {number}")
        chain.add_attachment(below)
    found = read(chain)
    assert [each.level for each in found.blocks if isinstance(each, Heading)] == [1, 2, 3, 4, 5]
    assert "not read: Mail 1." in found.problems[0].reason
    monkeypatch.setattr(eml_parser, "MAX_MAILS", 1)
    assert "not read: Mail 5." in read(chain).problems[0].reason
    encoded = b"Content-Type: message/rfc822; name=a.eml\nContent-Transfer-Encoding: base64\n\nRnJvbTogYQ==\n"
    assert read_eml(encoded).blocks == (Paragraph("Attachments: a.eml"),)


def test_forwarded_text_counts_as_that_of_the_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    message = mail("Text.")
    message.add_attachment(mail("Text."))
    monkeypatch.setattr(eml_parser, "MAX_TEXT_BYTES", 11)
    with pytest.raises(DocumentRejectedError, match="MB of text"):
        read(message)


@pytest.mark.parametrize(
    ("headers", "title", "fields"),
    [
        (b"Subject: R\xc3\xbcckgabe\nFrom: a@x.example", "Rückgabe", {"from": "a@x.example"}),
        (b"Subject: =?no-such?q?x=FC?=\nDate: some day", "xü", {}),
        (b"Subject: a\n b\nTo: ,", "a b", {}),
        (b"Received: x\nSubject: =?utf-8?b?!?=", "", {}),
    ],
)
def test_damaged_headers_do_not_keep_the_text_out(headers: bytes, title: str, fields: dict[str, str]) -> None:
    found = read_eml(headers + b"\n\nText.")
    assert (found.title, found.metadata) == (title, fields)
    assert found.blocks[-1] == Paragraph("Text.")


def test_a_text_in_another_encoding_is_read_as_it_declares() -> None:
    head = b"From: a@x.example\nContent-Type: text/plain; charset=windows-1251\n\n"
    assert read_eml(head + "Привет".encode("cp1251")).blocks[-1] == Paragraph("Привет")


@pytest.mark.parametrize("limit", ["MAX_PARTS", "MAX_TEXT_BYTES"])
def test_too_many_parts_and_too_much_text_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    message = mail("a" * 50)
    message.add_alternative("<p>b", subtype="html")
    monkeypatch.setattr(eml_parser, limit, 2)
    with pytest.raises(DocumentRejectedError, match="The mail has more than") as caught:
        read(message)
    assert caught.value.kind == "too_large"


@pytest.mark.parametrize(
    "nested",
    [
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (each, each) for each in range(3_000)),
        b"Content-Type: message/rfc822\n\n" * 3_000,
    ],
)
def test_mails_in_one_another_without_end_are_refused(nested: bytes) -> None:
    with pytest.raises(DocumentRejectedError, match="The mail is damaged") as caught:
        read_eml(b"From: a@x.example\n" + nested)
    assert caught.value.kind == "damaged"
