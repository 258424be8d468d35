"""One thread for matrices: those of numpy's library would wait for one another."""

from __future__ import annotations


def limit_matrix_threads() -> None:
    """Call it before numpy is imported."""
    from local.bedrock.settings import limit_matrix_threads as limit

    limit()
