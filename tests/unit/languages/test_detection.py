from __future__ import annotations

import pytest

from cicada.languages.terms import LANGUAGES, has_words, is_in

SENTENCES = {
    "en": "Who tells Macbeth that the queen is dead?",
    "de": "Wer hat ihm gesagt, dass die Königin nicht mehr lebt?",
    "fr": "Qui dit à Macbeth que la reine est morte ?",
    "es": "¿Quién le dice a Macbeth que la reina ha muerto?",
    "it": "Chi dice a Macbeth che la regina è morta?",
    "pt": "Quem diz a Macbeth que a rainha morreu?",
    "nl": "Wie vertelt Macbeth dat de koningin dood is?",
    "sv": "Vem säger till Macbeth att drottningen är död?",
    "ru": "Кто говорит Макбету, что королева умерла?",
    "ja": "女王が死んだとマクベスに言ったのは誰?",
    "ko": "왕비가 죽었다고 누가 말하나?",
    "zh": "谁告诉麦克白王后死了?",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_question_is_in_its_language_and_in_no_other(language: str) -> None:
    sentence = SENTENCES[language]
    assert is_in(sentence, language)
    assert not [other for other in SENTENCES if other != language and is_in(sentence, other)]


@pytest.mark.parametrize("text", ["", "Macbeth", "Return policy", "E-4102", "?"])
def test_what_has_no_telling_word_is_in_no_language(text: str) -> None:
    assert not any(is_in(text, language) for language in LANGUAGES)


def test_words_of_two_languages_alike_decide_for_neither() -> None:
    assert not is_in("die", "de")
    assert not is_in("die", "nl")


def test_typographic_apostrophes_are_apostrophes() -> None:
    assert is_in("couldn't", "en")
    assert is_in("couldn’t", "en")


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("E-4102 (2)", False),
        ("42", False),
        ("", False),
        ("§ 3.2", False),
        ("Dolch", True),
        ("刀", True),
        ("a b", False),
    ],
)
def test_codes_and_numbers_are_the_same_in_every_language(text: str, has: bool) -> None:
    assert has_words(text) is has
