"""`make protocol`: writes the files of docs/protocol/, and the JavaScript client's types, from the models."""

from __future__ import annotations

from tools.protocol.published import FOLDER, published
from tools.protocol.types import TYPES_FOLDER, types


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in published().items():
        FOLDER.joinpath(name).write_text(text, encoding="utf-8")
    for name, text in types().items():
        TYPES_FOLDER.joinpath(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
