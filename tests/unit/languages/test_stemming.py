"""The languages whose words are stemmed."""

from __future__ import annotations

import pytest

from cicada.languages.terms import STEMMED, stemmed_language, stop_words


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "english"), ("EN-gb", "english"), ("pt_BR", "portuguese"), ("nb", "norwegian"), ("ja", ""), ("", "")],
)
def test_a_content_language_has_the_stemmer_of_its_first_part(language: str, name: str) -> None:
    assert stemmed_language(language) == name


@pytest.mark.parametrize("name", sorted(set(STEMMED.values())))
def test_every_stemmed_language_has_stop_words_in_lower_case(name: str) -> None:
    words = stop_words(name)
    assert len(words) > 80
    assert all(word == word.lower() and " " not in word for word in words)


def test_other_languages_have_no_stop_words() -> None:
    assert stop_words("") == stop_words("license") == frozenset()
