"""The stand-in's settings. This is the only module that reads the environment."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self


def limit_matrix_threads(environment: MutableMapping[str, str] = os.environ) -> None:
    """Limit numpy's matrix library to one thread, unless set otherwise. Has no effect after numpy is imported.

    Its threads busy-wait for each other, which slows all of them down when other processes use the processors.
    """
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")


@dataclass(frozen=True, slots=True)
class Upstream:
    """An OpenAI-compatible server that answers instead of the extractive generator."""

    url: str
    model: str = "default"
    api_key: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """`tokens_per_second` 0 is as fast as possible; `aws_endpoint_url` is where action groups' Lambdas are invoked."""

    tokens_per_second: float = 100.0
    upstream: Upstream | None = None
    agents_file: Path | None = None
    aws_endpoint_url: str = ""
    aws_region: str = "us-east-1"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Raises ValueError when CICADA_TOKENS_PER_SECOND is not a number of at least 0."""
        pace = float(environment.get("CICADA_TOKENS_PER_SECOND", "100"))
        if not pace >= 0:
            raise ValueError("CICADA_TOKENS_PER_SECOND must be 0 (no pause) or more.")
        url, agents = environment.get("CICADA_LLM_URL", ""), environment.get("CICADA_AGENTS_FILE", "")
        model, key = environment.get("CICADA_LLM_MODEL", "default"), environment.get("CICADA_LLM_API_KEY", "")
        return cls(
            tokens_per_second=pace,
            upstream=Upstream(url, model, key) if url else None,
            agents_file=Path(agents) if agents else None,
            aws_endpoint_url=environment.get("AWS_ENDPOINT_URL", ""),
            aws_region=environment.get("AWS_REGION", "us-east-1"),
        )
