"""The bucket of documents, on moto."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
from moto import mock_aws

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "documents"


@contextmanager
def bucket(is_there: bool = True) -> Iterator[S3Client]:
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        if is_there:
            client.create_bucket(Bucket=BUCKET)
        yield client
