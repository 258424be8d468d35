"""What S3 announces in a queue's message.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
"""

from __future__ import annotations

import json
from urllib.parse import unquote_plus

from cicada.errors import DocumentRejected


def announced_keys(body: str) -> list[str]:
    """Keys of the objects that were created or removed, decoded, each once; none for S3's test message.

    Raises `DocumentRejected` for a body that is no notification.
    """
    try:
        message = json.loads(body)
        if message.get("Event") == "s3:TestEvent":
            return []
        keys = [unquote_plus(record["s3"]["object"]["key"], errors="strict") for record in message["Records"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DocumentRejected("The queue message is no notification of S3.") from error
    return list(dict.fromkeys(keys))
