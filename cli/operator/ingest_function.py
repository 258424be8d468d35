"""The ingest function, called as the Lambda console calls it."""

from __future__ import annotations

import json
from typing import Any

from cli.errors import CommandError
from cli.text import clean_line


class IngestFunction:
    """`failing`: what a failure is called, such as "The rebuild failed"."""

    def __init__(self, client: Any, name: str, failing: str) -> None:
        self._client = client
        self._name = name
        self._failing = failing

    def call(self, event: dict[str, Any]) -> dict[str, Any]:
        """The function's result. Raises `CommandError` with the reason."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            reply = self._client.invoke(FunctionName=self._name, Payload=json.dumps(event).encode())
            result: dict[str, Any] = json.loads(reply["Payload"].read())
        except ClientError as error:
            raise CommandError(
                f"The function {self._name} cannot be invoked: {error.response['Error']['Code']}."
            ) from error
        except BotoCoreError as error:
            raise CommandError(f"{self._failing}: the function {self._name} does not answer.") from error
        if "FunctionError" in reply:
            reason = clean_line(str(result.get("errorMessage", "its log says why")))
            raise CommandError(f"{self._failing}: {reason}")
        return result
