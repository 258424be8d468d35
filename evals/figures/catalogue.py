"""Every computed figure of the documentation: its name, the function that computes it, its worth as evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evals.figures import (
    agreement,
    chunk_sizes,
    documents,
    evidence,
    intents,
    languages,
    lexical,
    readers,
    search_quality,
    stand_in,
    thresholds,
    weights,
)
from evals.figures.record import Table
from evals.figures.sets import Sets

_TUNED = "Tuned on these three sets: no evidence for another one."
# Figures that have not been computed since the token vectors went: docs/decisions/0001-no-token-vectors.md.
_BEFORE = " Measured while the local reranker had token vectors."


@dataclass(frozen=True, slots=True)
class Figure:
    """`evidence`: one or two sentences that stand below the table."""

    name: str
    compute: Callable[[Sets], Table]
    evidence: str


FIGURES = {
    figure.name: figure
    for figure in (
        Figure(
            "retrieval-quality",
            search_quality.quality,
            "nDCG@10 / Recall@100 / MRR@10. Weights, BM25's parameters and the fusion were tuned on these three sets;"
            " the last four rows are others' defaults.",
        ),
        Figure(
            "retrieval-differences",
            search_quality.differences,
            "Paired bootstrap over the queries, 10,000 samples. The first three sets are those that the weights were"
            " tuned on; no set here is a stranger's that had no part in it." + _BEFORE,
        ),
        Figure("rerank-depth", weights.depths, _TUNED + _BEFORE),
        Figure(
            "thresholds",
            thresholds.thresholds,
            "Leave one set out: the map was fitted on the other two sets. The scores that it reads were tuned on all"
            " three." + _BEFORE,
        ),
        Figure(
            "evidence-quality",
            evidence.evidence,
            "Each public set by a fit on the other two. The plays' questions are our own; the fit had no part in them."
            " The last turns are by MTRAG's authors: no weight was fitted on them, but the choice between a few"
            " combinations of signals was made with their result in view." + _BEFORE,
        ),
        Figure(
            "small-bases",
            thresholds.small_bases,
            "Not tuned on, but our own: questions written for this project on the plays in `samples/`; the map was"
            " fitted on the three public sets." + _BEFORE,
        ),
        Figure(
            "rerank-agreement",
            agreement.rules,
            "The rule and its margin were chosen on scifact and cranfield; mtrag-clapnq had no part in that, though the"
            " retrievers' parameters were tuned on it.",
        ),
        Figure(
            "rerank-skipped",
            agreement.skipped,
            "Tuned on these sets. The local reranker stands for a paid one, which is not measured." + _BEFORE,
        ),
        Figure(
            "languages-recognised",
            languages.recognised,
            "The sets were at hand when the guess was written, so they are not unseen. All questions are English: how"
            " well another language is known is not measured.",
        ),
        Figure("bm25-variants", lexical.variants, _TUNED),
        Figure(
            "document-signals",
            documents.signals,
            "10,637 cards and 11,728 passages of scifact and mtrag-clapnq; 3,507 cards have no passages and are in the"
            " way. The choice of signals and weights was made with both sets in view: no evidence for another one.",
        ),
        Figure(
            "document-scores",
            documents.scores,
            "Right / none: the mean score of the first document where it is right, and where the base has no right one."
            " AUROC: over the first 15 documents in all bases. Each set by a map fitted on the other.",
        ),
        Figure(
            "document-ambiguity",
            documents.ambiguity,
            "AUROC for the first document being a wrong one, where a right one was found. Measures that read a score"
            " have it by a map fitted on the other set; the choice was made with both in view.",
        ),
        Figure(
            "chunk-sizes",
            chunk_sizes.sizes,
            "Our own questions on the plays in `samples/`. The size was chosen on an earlier set of such questions.",
        ),
        Figure(
            "reader-limits",
            readers.limits,
            "The most memory that a process takes beyond what it held before, for documents made to be costly; no proof"
            " that none is worse.",
        ),
        Figure(
            "stand-in-answers",
            stand_in.answers,
            "Our own questions on the plays in `samples/`; the weights were fitted on those of the first row. Those of"
            " the second were held out from the fit, but looked at in the choice of the features.",
        ),
        Figure(
            "intents-unseen-authors",
            intents.unseen_authors,
            "Leave one author out: each author's messages by a model of all the others'. Features, their weights,"
            " penalty and learning method were chosen with authors a to f in view, and the concepts `maker` and"
            " `assert` and many words of `app`, `world` and `offdomain` after a look at their errors; nothing was"
            " chosen by errors of g to m. Before these words, and before i, j and k were learnt from, a model of the"
            " others was right on .87 of their 2095 messages (traps .80, other languages .88), decided .68 alone and"
            " was right on .97 of these; after both, the model of a to k was right on .92 of the 1400 messages of l and"
            " m (traps .89, other languages .91), decided .77 alone and was right on .98 of these. Author z, whose few"
            " messages were written after a look at errors of a to d, is learnt from and not measured. Temperature and"
            " threshold were set on these predictions, so the two columns on the right are the fit of the calibration.",
        ),
        Figure(
            "asked-changes",
            intents.asked_changes,
            "Examples: each author's messages by a model of all the others'; the scores from which on a kind is allowed"
            " were set on these predictions. Strangers: r and s had seen neither examples nor rules, and nothing was"
            " learnt from their messages. Authors n to q were asked for hard messages after a model without theirs had"
            " allowed .67 of what s asks for, and the share to be allowed was set to .85, from .90, after .38 of the"
            " other messages of s had been allowed something.",
        ),
    )
}
