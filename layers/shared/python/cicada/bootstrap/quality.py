"""Wires the judges of evidence and the rewriters of queries."""

from __future__ import annotations

from cicada.answering.evidence_loop import EvidenceLoop, LocalJudge
from cicada.answering.ports import EvidenceJudge, QueryRewriter
from cicada.answering.query_rewrites import WordRewriter
from cicada.bootstrap.log import report_quality_fallback
from cicada.bootstrap.search import query_model
from cicada.knowledge_bases.settings import QualityJudge
from cicada.settings import SearchSettings


def evidence_loop(settings: SearchSettings) -> EvidenceLoop:
    """With the query model, where the settings name one, before the way without a model."""
    judges: dict[QualityJudge, EvidenceJudge] = {"evidence": LocalJudge()}
    rewriters: list[QueryRewriter] = [WordRewriter()]
    call = query_model(settings)
    if call is not None:
        # Imported here: most deployments judge and rewrite without a model.
        from cicada.adapters.bedrock.evidence_judge import BedrockEvidenceJudge
        from cicada.adapters.bedrock.query_rewriter import BedrockQueryRewriter

        judges["model"] = BedrockEvidenceJudge(call)
        rewriters.insert(0, BedrockQueryRewriter(call))
    return EvidenceLoop(judges, rewriters, report_quality_fallback)
