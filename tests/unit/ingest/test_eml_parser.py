"""EML: who wrote what to whom and when, in which form, and what was attached."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose import eml_parser
from cicada.ingest.prose.eml_parser import read_eml
from cicada.ingest.prose.sections import ListItem, Paragraph, Prose
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
    message.add_attachment(mail("Inner.", subject="Older"))
    found = read(message)
    assert found.blocks[1:] == (Paragraph("Text."), Paragraph("Attachments: Überblick.pdf, Older"))
    assert [(each.kind, "Überblick.pdf, Older" in each.reason) for each in found.problems] == [("attachment", True)]


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


def test_mails_in_one_another_without_end_are_refused() -> None:
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (each, each) for each in range(3_000))
    with pytest.raises(DocumentRejectedError, match="The mail is damaged") as caught:
        read_eml(b"From: a@x.example\n" + nested)
    assert caught.value.kind == "damaged"
