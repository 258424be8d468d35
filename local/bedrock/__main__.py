"""`python -m local.bedrock --port 4567`: starts the stand-in."""

import argparse

import uvicorn

from local.bedrock.app import build
from local.bedrock.embedder import BackgroundEmbedder, Embedder, EmbedderUnavailableError, HashEmbedder
from local.bedrock.settings import Settings


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.bedrock", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4567)
    parser.add_argument(
        "--embedder", choices=("minilm", "hash"), default="minilm", help="hash finds no meaning: for unit tests only"
    )
    return parser.parse_args()


def _embedder(name: str) -> Embedder:
    """Raises EmbedderUnavailableError at once when the model is not installed; loads it in the background."""
    if name == "hash":
        return HashEmbedder()
    from local.bedrock.minilm import MiniLM, model_folder  # a server with --embedder hash needs no tokenizer

    folder = model_folder()
    return BackgroundEmbedder(MiniLM.name, lambda: MiniLM.load(folder))


def main() -> None:
    arguments = _arguments()
    try:
        app = build(Settings.from_environment(), _embedder(arguments.embedder))
    except (EmbedderUnavailableError, ValueError) as error:
        raise SystemExit(str(error)) from error
    print(f"Bedrock stand-in on http://{arguments.host}:{arguments.port}", flush=True)
    # A keep-alive longer than the functions' idle times spares them half-closed connections.
    uvicorn.run(app, host=arguments.host, port=arguments.port, log_level="warning", timeout_keep_alive=75)


if __name__ == "__main__":
    main()
