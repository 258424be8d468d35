"""Packages that are made to harm, as files of each format that is one. DOCX has more in `test_docx_reader.py`."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

import pytest

from cicada.ingest.prose import package
from tests.unit.ingest.documents import (
    handbook,
    odt,
    parsed,
    part_of,
    presentation,
    rejection,
    shape,
    with_part,
    workbook,
)

FILES = {
    "a.docx": (handbook(), "word/document.xml"),
    "a.xlsx": (workbook({"S": [["a", "b"], [1, 2]]}), "xl/worksheets/sheet1.xml"),
    "a.pptx": (presentation(shape("Text")), "ppt/slides/slide1.xml"),
    "a.odt": (odt("<text:p>Text</text:p>"), "content.xml"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bomb_is_refused_by_what_it_unpacks_to(name: str) -> None:
    content, part = FILES[name]
    bomb = with_part(content, part, b"<x/>" * 16_000_000)
    assert len(bomb) < 300_000
    error = rejection(parsed, name, bomb)
    assert error.kind == "too_large"
    assert re.search(r"unpacks to more than [2-6]0 MB of text and formatting; split it\.$", str(error))


@pytest.mark.parametrize("name", ["a.pptx", "a.odt"])
def test_a_part_that_is_read_as_one_tree_has_a_limit_of_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_TREE_BYTES", 20)
    error = rejection(parsed, name, FILES[name][0])
    assert (error.kind, "in one part; split it." in str(error)) == ("too_large", True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("name", "part"),
    [
        *((name, part) for name, (_, part) in FILES.items()),
        *(("a.docx", part) for part in ("word/styles.xml", "[Content_Types].xml", "docProps/core.xml")),
    ],
)
def test_entities_are_refused_wherever_they_stand(name: str, part: str, encoding: str) -> None:
    laughs = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    error = rejection(parsed, name, with_part(FILES[name][0], part, laughs.encode(encoding)))
    assert (error.kind, "document type" in str(error)) == ("hostile", True)


@pytest.mark.parametrize("damaged", [b"", b"<", b"<x>" * 5_000])
@pytest.mark.parametrize("name", ["a.pptx", "a.odt"])
def test_a_damaged_part_is_refused(name: str, damaged: bytes) -> None:
    content, part = FILES[name]
    error = rejection(parsed, name, with_part(content, part, damaged))
    assert error.kind == "damaged"
    assert re.match("The (PowerPoint presentation|OpenDocument text) is damaged", str(error))


@pytest.mark.parametrize("name", FILES)
def test_an_encrypted_package_is_refused(name: str) -> None:
    content = bytearray(FILES[name][0])
    start = 0
    while (start := content.find(b"PK\x01\x02", start)) >= 0:
        content[start + 8] |= 1
        start += 4
    assert rejection(parsed, name, bytes(content)).kind == "encrypted"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("name", FILES)
def test_a_part_packed_as_no_office_file_is_is_refused(name: str, method: int) -> None:
    """Python's zip reader unpacks such a part whole, whatever size it declares and however little is asked for."""
    packed = BytesIO()
    with zipfile.ZipFile(BytesIO(FILES[name][0])) as source, zipfile.ZipFile(packed, "w") as target:
        for number, info in enumerate(source.infolist()):
            stored = zipfile.ZIP_STORED if info.filename == "mimetype" or not number else method
            target.writestr(info.filename, source.read(info), compress_type=stored)
    assert rejection(parsed, name, packed.getvalue()).kind == "damaged"


@pytest.mark.parametrize("name", FILES)
def test_a_package_that_is_cut_off_or_lacks_its_main_part_is_refused(name: str) -> None:
    content, part = FILES[name]
    assert rejection(parsed, name, content[:-30]).kind == "damaged"
    packed = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as source, zipfile.ZipFile(packed, "w") as target:
        for info in source.infolist():
            if info.filename != part:
                target.writestr(info.filename, part_of(content, info.filename))
    # The library passes over a sheet that is not there.
    assert rejection(parsed, name, packed.getvalue()).kind == ("no_text" if name == "a.xlsx" else "damaged")


@pytest.mark.parametrize("name", FILES)
def test_too_many_entries_are_refused_before_they_are_looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_PARTS", 9)
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("opened"))
    assert rejection(parsed, name, FILES[name][0] + b"PK\x01\x02" * 10).kind == "damaged"


@pytest.mark.parametrize("name", FILES)
def test_pictures_are_not_unpacked(name: str) -> None:
    content = with_part(FILES[name][0], "media/image1.png", b"\x00" * 80_000_000)
    assert len(content) < 300_000
    assert parsed(name, content).passages
