"""Which part of an entry a correction replaces."""

import pytest

from local.bedrock.agent_heads.correction import corrected


@pytest.mark.parametrize(
    ("entry", "message", "text", "expected"),
    [
        ("had three wives", "he had two wives, not three. Correct that.", "two wives", "had two wives"),
        ("Born in Galway in 1950", "she comes from Cork rather than Galway", "Cork", "Born in Cork in 1950"),
        ("Arzt in Kiel", "er ist nicht Arzt, sondern Apotheker", "Apotheker", "Apotheker in Kiel"),
        ("keeps it in the study", "it is in the library, not in the study", "the library", "keeps it in the library"),
        ("sober nine months", "Wendell: sober nine months → sober six weeks", "sober six weeks", "sober six weeks"),
        ("closes at 6, since 1961", "it was built in 1963, fix it", "built in 1963", "closes at 6, since 1963"),
        ("runs lights", "she runs sound now not lights", "she runs sound now", ""),
        ("the only cook", "she is a housekeeper, not the gardener", "a housekeeper", ""),
        ("1912 and 1913", "it was 1914", "1914", ""),
        ("a thane", "Change the profile to: a general since 1040", "a general since 1040", ""),
    ],
)
def test_the_part_is_replaced_only_if_it_is_clear(entry: str, message: str, text: str, expected: str) -> None:
    assert corrected(entry, message, text) == expected
