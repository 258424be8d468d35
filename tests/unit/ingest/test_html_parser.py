"""HTML."""

from __future__ import annotations

import pytest

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.html_parser import read_html
from cicada.ingest.prose.sections import Block, Code, Heading, ListItem, Paragraph, Table


def blocks(text: str) -> tuple[Block, ...]:
    return read_html(text.encode()).blocks


def test_headings_paragraphs_and_line_breaks() -> None:
    assert blocks("<h1>The <em>guide</em></h1><div>One<br>two<p>Three <b>fo</b>ur</div><h3> </h3>five") == (
        Heading(1, "The guide"),
        Paragraph("One two"),
        Paragraph("Three four"),
        Paragraph("five"),
    )


def test_what_surrounds_the_page_and_what_it_hides_is_left_out() -> None:
    hidden = (
        "<nav>menu</nav><footer>imprint</footer><script>x()</script><style>p{}</style><template>t</template>"
        "<noscript>n</noscript><p hidden>h</p><p aria-hidden='true'>a</p><p style='color:red; display : NONE'>d</p>"
        "<p style='visibility:hidden'>v</p><div role='navigation'>r</div><select><option>o</select><!-- c -->"
        "<svg><title>s</title></svg><button>b</button><textarea>t</textarea><iframe>i</iframe>"
    )
    assert blocks(f"<body>{hidden}<p>Text.</p>{hidden}") == (Paragraph("Text."),)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>around</p><main><p>main</p><article>article</article></main>", ["main", "article"]),
        ("<p>around</p><div role='main'>main</div>", ["main"]),
        ("<p>around</p><article>article</article>", ["article"]),
        ("<article>one</article><article>two</article><p>around</p>", ["one", "two", "around"]),
        ("<p>around</p><main> </main>", ["around"]),
        ("<p>around</p><main hidden>secret</main>", ["around"]),
        ("no body at all", ["no body at all"]),
    ],
)
def test_the_main_part_is_preferred_where_it_has_text(page: str, text: list[str]) -> None:
    assert [block.text for block in blocks(page) if isinstance(block, Paragraph)] == text


def test_lists_keep_depth_and_numbers() -> None:
    page = "<ul><li>One<ul><li>Inner</ul><li><p>Two</p><p>more</p></ul><ol start=3><li>Three<li>Four</ol><ol><li>1</ol>"
    assert blocks(page) == (
        ListItem("One", 0),
        ListItem("Inner", 1),
        ListItem("Two", 0),
        Paragraph("more"),
        ListItem("Three", 0, "3."),
        ListItem("Four", 0, "4."),
        ListItem("1", 0, "1."),
    )


def test_tables_keep_caption_header_and_wide_cells() -> None:
    page = (
        "<table><caption>Leave</caption><thead><tr><td>Kind<td>Days</thead>"
        "<tr><td colspan=2>Holiday<p>long</p><tr><td>H<sub>2</sub>O<td>28<tr><td> <td> </table>"
        "<table><tr><th>A<th>B<tr><th>a<td>b</table><table><tr><td>x<td>y</table>"
    )
    assert blocks(page) == (
        Paragraph("Leave"),
        Table(("Kind", "Days"), (("Holiday long", ""), ("H2O", "28"))),
        Table(("A", "B"), (("a", "b"),)),
        Table((), (("x", "y"),)),
    )


def test_a_table_that_arranges_a_page_is_no_table() -> None:
    page = "<table><tr><td><h2>News</h2><p>Text.</p><td><table><tr><td>a<td>b</table></table>"
    assert blocks(page) == (Heading(2, "News"), Paragraph("Text."), Table((), (("a", "b"),)))


def test_preformatted_text_keeps_its_lines() -> None:
    assert blocks("<pre>if x:\n    <b>y</b>()</pre><pre> </pre>") == (Code(("if x:", "    y()")),)


def test_pictures_speak_by_their_alternative_text_and_readings_of_characters_do_not() -> None:
    assert blocks("<p>See <img src=x alt='the plan'>.</p><ruby>雛<rp>(<rt>ひな<rp>)</ruby>") == (
        Paragraph("See the plan ."),
        Paragraph("雛"),
    )


def test_title_and_language_are_the_pages() -> None:
    found = read_html(b"<html lang=de-AT><title>A\n page</title><svg><title>no</title></svg><h1>Top</h1>")
    assert (found.title, found.language) == ("A page", "de-AT")
    assert read_html(b"<h1>Top</h1>").title == "Top"


@pytest.mark.parametrize(
    "content",
    [
        '<meta charset="shift_jis"><p>嘘だ！'.encode("shift_jis"),
        '<meta http-equiv="Content-Type" content="text/html; charset=EUC-JP"><p>嘘だ！'.encode("euc_jp"),
        "<p>嘘だ！".encode(),
        "<p>嘘だ！".encode("utf-16"),
        '<meta charset="iso-8859-1"><p>嘘だ！'.encode("utf-8-sig"),
    ],
)
def test_the_encoding_is_found_out(content: bytes) -> None:
    found = read_html(content)
    assert (found.blocks, found.problems) == ((Paragraph("嘘だ！"),), ())


def test_a_wrong_declaration_is_a_problem_and_no_loss() -> None:
    found = read_html('<meta charset="utf-8"><p>Où?'.encode("cp1252"))
    assert found.blocks == (Paragraph("Où?"),)
    assert [problem.kind for problem in found.problems] == ["guessed_encoding"]


@pytest.mark.parametrize("piece", ["<div>x", "<ul><li>x", "<table><tr><td>x", "<b>x", "<h1>x<table>", "<blockquote>x"])
def test_deep_nesting_is_read_without_recursion(piece: str) -> None:
    found = blocks(piece * 3_000)
    assert sum(text.count("x") for block in found for text in [str(block)]) >= 3_000


def test_wide_cells_fill_a_row_up_to_a_hundred_columns() -> None:
    [table] = blocks(f"<table><tr>{'<td colspan=90>' * 100}<td>Last</table>")
    assert isinstance(table, Table)
    assert table.rows == (("",) * 198 + ("Last",),)


@pytest.mark.parametrize("piece", ["<div>", "<i></b>", "<x-y>", "<i><b></i>"])
def test_nesting_beyond_all_reason_is_refused_before_it_is_read(piece: str) -> None:
    with pytest.raises(DocumentRejectedError, match="opens 10,000 elements in one another"):
        blocks(piece * 10_001)


def test_elements_that_end_by_themselves_are_no_nesting() -> None:
    assert len(blocks("<p>x<br>" * 11_000)) == 11_000


def test_too_many_tags_are_refused_before_they_are_read() -> None:
    with pytest.raises(DocumentRejectedError, match="more than 300,000 tags"):
        blocks("<p>" * 300_001)


@pytest.mark.parametrize(
    "text", ["<!--" * 9_000, "<a " * 9_000, "<a b='" * 9_000, "<?" * 9_000, "</" * 9_000, "&" * 9_000]
)
def test_markup_that_never_ends_is_read_in_no_time(text: str) -> None:
    blocks(f"<p>Text.</p>{text}")
