"""The structured log of all functions. Codes and ids go into it; what users write and what they are told does not."""

from __future__ import annotations

from aws_lambda_powertools import Logger

from cicada.errors import CicadaError

logger = Logger(service="cicada")


def report_fallback(error: CicadaError) -> None:
    """An agent could not be reached and the second way was taken."""
    logger.warning("Fell back to tool use", extra={"code": error.code})
