"""`python -m local.bedrock --port 4567`: starts the stand-in."""

import argparse
from typing import TYPE_CHECKING

import uvicorn

from local.bedrock.settings import Settings, limit_matrix_threads

if TYPE_CHECKING:
    from local.bedrock.embedder import Embedder


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.bedrock", description="A local stand-in for Amazon Bedrock.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4567)
    parser.add_argument(
        "--embedder", choices=("minilm", "hash"), default="minilm", help="hash finds no meaning: for unit tests only"
    )
    return parser.parse_args()


def _embedder(name: str) -> "Embedder":
    """Raises EmbedderUnavailableError at once when the model is not installed; loads it in the background."""
    from local.bedrock.embedder import BackgroundEmbedder, HashEmbedder

    if name == "hash":
        return HashEmbedder()
    from local.bedrock.minilm import MiniLM, model_folder

    folder = model_folder()
    return BackgroundEmbedder(MiniLM.name, lambda: MiniLM.load(folder))


def main() -> None:
    arguments = _arguments()
    limit_matrix_threads()  # before anything below imports numpy
    from local.bedrock.app import build
    from local.bedrock.embedder import EmbedderUnavailableError

    try:
        app = build(Settings.from_environment(), _embedder(arguments.embedder))
    except (EmbedderUnavailableError, ValueError) as error:
        raise SystemExit(str(error)) from error
    print(f"Bedrock stand-in on http://{arguments.host}:{arguments.port}", flush=True)
    # Keep-alive is longer than the functions' idle times, so that they meet no half-closed connections.
    uvicorn.run(
        app,
        host=arguments.host,
        port=arguments.port,
        log_level="warning",
        timeout_graceful_shutdown=2,
        timeout_keep_alive=75,
    )


if __name__ == "__main__":
    main()
