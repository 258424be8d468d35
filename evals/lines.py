"""Files of labelled examples: one JSON object a line."""

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from cicada.errors import CicadaError

Form = TypeVar("Form", bound=BaseModel)


class DatasetError(CicadaError):
    """A file or a set of an evaluation cannot be used; says where and why."""


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file, gzipped or not. Raises DatasetError."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            yield from file
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as UTF-8 text ({error}).") from error


def read_text(path: Path) -> str:
    """The whole file. Raises DatasetError."""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as UTF-8 text ({error}).") from error


def parsed(lines: Iterable[str], form: type[Form], path: Path, advice: str = "") -> Iterator[tuple[int, Form]]:
    """The objects with the numbers of their lines; blank lines are skipped.

    Raises DatasetError with the line's number, the first field that is wrong, and `advice`.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, form.model_validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = f"'{first['loc'][0]}'" if first["loc"] else "the line"
                raise DatasetError(f"{path}, line {number}: {where}: {first['msg']}.{advice}") from error


def problem_of(error: ValidationError, whole: str = "the line", within: str = "") -> tuple[str, str]:
    """The path to the first field that is wrong, such as `turns.0.message`, or `whole`; and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    return ".".join(map(str, (*filter(None, [within]), *first["loc"]))) or whole, first["msg"]
