"""`-c ocr=textract`: the text of scans is recognised."""

from __future__ import annotations

import boto3

from infra.model_regions import model_regions
from tests.infra.conftest import template_of
from tests.infra.deployed import deployed
from tests.infra.policies import Call, Policies
from tests.infra.test_permissions import DEPLOYMENTS

SCANS = DEPLOYMENTS["originals and scans, with a data key and a guardrail"]
CALLS = [
    Call("ingest_document", "textract:StartDocumentTextDetection", "*"),
    Call("ingest_document", "textract:GetDocumentTextDetection", "*"),
    Call("ingest_document", "s3:PutObject", "documents bucket/scans/acme/rd/1.pdf"),
    Call("ingest_document", "s3:GetObject", "documents bucket/scans/acme/rd/1.pdf"),
]


def test_ingest_alone_may_recognise_text_and_only_where_it_is_asked_for() -> None:
    policies, without = Policies(template_of(**SCANS)), Policies(template_of("dev"))
    assert all(policies.allow(call) for call in CALLS)
    assert not any(without.allow(call) for call in CALLS)
    assert not policies.allow(Call("message_processor", "textract:StartDocumentTextDetection", "*"))
    assert deployed(**SCANS).environment("ingest-document")["CICADA_OCR"] == "textract"
    assert deployed("dev").environment("ingest-document")["CICADA_OCR"] == ""


def test_the_regions_with_textract_are_those_that_botocore_knows() -> None:
    session = boto3.session.Session()
    known = [session.get_available_regions("textract", partition_name=each) for each in ("aws", "aws-us-gov")]
    assert set(model_regions().textract) == {region for each in known for region in each}
