from cicada.grounding.words import words_of


def figures(text: str) -> list[str]:
    return [word.figure for word in words_of(text) if word.figure]


def test_numbers_and_dates_have_one_form_however_they_are_written() -> None:
    assert figures("1,500 or 1.500 or 1500") == ["1500"] * 3
    assert figures("12.50 and 12,5") == ["12.5", "12.5"]
    assert figures("twenty-five, twenty five and 25th") == ["25"] * 3
    assert figures("3 million, two thousand") == ["3000000", "2000"]
    assert figures("07:00") == ["7:00"]
    same = ["03-05", "2024"]
    for date in ("2024-03-05", "5 March 2024", "5th of Mar 2024", "March 5, 2024", "5.3.2024", "05. 03. 2024"):
        assert figures(date) == same


def test_what_only_looks_like_a_month_or_a_number_is_read_all_the_same() -> None:
    assert figures("3 APRİL 2020, aprıl 3") == ["04-03", "2020", "04-03"]
    assert figures("❶ million, ፩ hundred")[-1:] != ["100"]
    assert figures("9" * 4400 + " million")


def test_words_of_one_stem_are_one_and_negations_are_words() -> None:
    first, second = words_of("increases increasing")
    assert first.stem == second.stem
    assert [word.text for word in words_of("don’t can't")] == ["do", "n't", "ca", "n't"]
    assert [word.text for word in words_of("契約書")] == ["契約", "約書"]
