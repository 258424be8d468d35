"""Plain text out of script fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.ingest.markup import plain_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The queen, my lord, is dead.", "The queen, my lord, is dead."),
        ("one\\ntwo<br>three<BR />four\nfive\r\nsix", "one two three four five six"),
        ("an <i>old</i> <color=#ff0000>red</color> [b]word[/b]", "an old red word"),
        ("<ruby>雛見沢<rp>(</rp><rt>ひなみざわ</rt><rp>)</rp></ruby>村", "雛見沢村"),
        ("@bひなみざわ.@<雛見沢@>村", "雛見沢村"),
        ("@vS01/01/123400001.Hello.@k@vS01/01/123400002. Rena@w300.@|@y", "Hello. Rena"),
        ("``Uso da!``", '"Uso da!"'),
        ("a\x00b\x07c\u200bd\ufeff\u202ee", "a b cde"),
        ("Write to ann@kyoto.example or bob@w3.example", "Write to ann@kyoto.example or bob@w3.example"),
        ("if a < b and c > d", "if a < b and c > d"),
        ("<Enter Macbeth> [Exit]", "<Enter Macbeth> [Exit]"),
        ("cafe\u0301", "café"),
        ("<br><i></i>\u3000 ", ""),
    ],
)
def test_markup_goes_and_words_stay(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@given(st.text(alphabet=st.sampled_from("a <>@b.r[]=/\\n`vS1|\x00ルビ"), max_size=60))
def test_plain_text_is_one_line_without_control_characters(text: str) -> None:
    plain = plain_text(text)
    assert plain == " ".join(plain.split())
    assert plain.isprintable()
