"""Words are found in the forms of their language, whatever language the question is in; held against both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cicada.documents.model import PassageFilter
from cicada.retrieval.model import EmbeddedPassage
from cicada.retrieval.ports import PassageIndex
from tests.contract.passage_indexes import IndexUnderTest, OpenSearchUnderTest, SqliteUnderTest, eventually
from tests.contract.passages import MACBETH, PLAYS, asking, passage, vector

# In each language a text, and a question in other forms of its words.
TEXTS = {
    "de": ("Die Königinnen trugen goldene Häuser auf ihren Schultern.", "Wer trug goldenes Haus?"),
    "en": ("The witches were stirring their cauldrons.", "stirred cauldron"),
    "es": ("Los caballeros cantaban canciones tristes.", "la canción de un caballero"),
    "fi": ("Kuninkaat matkustivat laivoilla.", "laivoissa"),
    "fr": ("L'homme marchait vers l'Écosse avec ses amis.", "des hommes marchent"),
    "it": ("L'attore recitava nell'anfiteatro.", "un attore"),
    "ja": ("お妃様がお亡くなりになりました。", "妃様は？"),
    "nl": ("De koningen vertelden verhalen.", "het verhaal"),
    "pt-BR": ("As bruxas dançavam nas florestas.", "a bruxa dançava"),
    "ru": ("Королевы читали письма.", "письмо"),
    "sv": ("Kungarna berättade historier.", "historierna"),
    "tlh": ("veqlarghHom yemenwI", "yemenwi"),
}


@pytest.fixture(scope="module", params=["sqlite", "opensearch"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PassageIndex]:
    folder: Path = tmp_path_factory.mktemp("index")
    made: IndexUnderTest
    if request.param == "sqlite":
        made = SqliteUnderTest(folder / "index.sqlite")
    else:
        made = OpenSearchUnderTest(request.getfixturevalue("opensearch_url"))
    index = made.open()
    kept = [passage(MACBETH, n, text, language=name) for n, (name, (text, _)) in enumerate(TEXTS.items())]
    index.replace(MACBETH, [EmbeddedPassage(each, vector(1.0)) for each in kept])
    assert eventually(lambda: index.count(PassageFilter(PLAYS)) == len(TEXTS))
    yield index
    made.close()


@pytest.mark.parametrize("language", TEXTS)
def test_another_form_of_a_word_is_found_first_in_its_language(index: PassageIndex, language: str) -> None:
    _, question = TEXTS[language]
    assert index.search(asking(question)).lexical[0].passage.language == language


@pytest.mark.parametrize("question", ["und der die das", "le la les des", "el los", "och att det", "what is it"])
def test_stop_words_of_a_language_find_nothing_in_it(index: PassageIndex, question: str) -> None:
    assert index.search(asking(question)).lexical == ()


def test_words_of_an_unknown_language_are_left_as_they_are(index: PassageIndex) -> None:
    assert index.search(asking("yemenwis")).lexical == ()
    assert len(index.search(asking("veqlarghhom")).lexical) == 1
