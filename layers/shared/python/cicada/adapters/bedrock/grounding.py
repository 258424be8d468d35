"""Judging by Bedrock's contextual grounding check whether passages carry a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import bedrock_errors
from cicada.errors import CicadaError, UnavailableError
from cicada.grounding.checking import Claim, by_counting

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
    from mypy_boto3_bedrock_runtime.type_defs import ApplyGuardrailResponseTypeDef, GuardrailContentBlockTypeDef

# https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-contextual-grounding-check.html
SOURCE_CHARACTERS, QUERY_CHARACTERS, CLAIM_CHARACTERS = 100_000, 1_000, 5_000
_AT_A_TIME = 4
_GROUNDING = "GROUNDING"


class BedrockGroundingJudge:
    """One call for each claim, four at a time. The guardrail's own threshold decides.

    `guardrail`: with a contextual grounding filter, as ID:VERSION. A claim whose call fails is judged by counting, and
    so are those of its answer that were not asked yet. The first failure of an answer is reported.
    """

    def __init__(self, client: BedrockRuntimeClient, guardrail: str, report: Callable[[CicadaError], None]) -> None:
        self._client = client
        self._id, _, self._version = guardrail.partition(":")
        self._report = report

    def __call__(self, question: str, claims: Sequence[Claim], /) -> Sequence[bool]:
        failures: list[CicadaError] = []

        def asked(claim: Claim, counted: bool) -> bool:
            # The reader waits for all, and what failed once is likely to fail again, each time after seconds.
            if failures:
                return counted
            try:
                return self._carried(question, claim)
            except CicadaError as error:
                failures.append(error)
                return counted

        with ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="grounding") as pool:
            by_words = zip(claims, by_counting(question, claims), strict=True)
            carried = [pool.submit(copy_context().run, asked, claim, counted) for claim, counted in by_words]
        if failures:
            self._report(failures[0])
        return [each.result() for each in carried]

    def _carried(self, question: str, claim: Claim) -> bool:
        with bedrock_errors():
            reply = self._client.apply_guardrail(
                guardrailIdentifier=self._id,
                guardrailVersion=self._version,
                source="OUTPUT",
                content=_content(question, claim),
            )
        return _is_grounded(reply)


def _content(question: str, claim: Claim) -> list[GuardrailContentBlockTypeDef]:
    source = "\n\n".join(claim.passages)[:SOURCE_CHARACTERS]
    return [
        {"text": {"text": source, "qualifiers": ["grounding_source"]}},
        {"text": {"text": question[:QUERY_CHARACTERS], "qualifiers": ["query"]}},
        {"text": {"text": claim.text[:CLAIM_CHARACTERS], "qualifiers": ["guard_content"]}},
    ]


def _is_grounded(reply: ApplyGuardrailResponseTypeDef) -> bool:
    """Raises `UnavailableError` for a reply without a judgement."""
    try:
        found = [
            each["action"] == "NONE"
            for assessment in reply["assessments"]
            for each in assessment["contextualGroundingPolicy"]["filters"]
            if each["type"] == _GROUNDING
        ]
    except (KeyError, TypeError) as error:
        raise UnavailableError("The guardrail's reply has an unknown form.") from error
    if not found:
        raise UnavailableError("The guardrail judged nothing: it has no contextual grounding filter.")
    return all(found)
