"""ApplyGuardrail with a contextual grounding filter: the share of a sentence's words that its source has."""

from collections.abc import Mapping
from typing import Any

from local.bedrock.wire import invalid
from local.bedrock.words import terms

THRESHOLD = 0.7


def apply(body: Mapping[str, Any]) -> dict[str, Any]:
    """Raises WireError (ValidationException)."""
    texts = dict.fromkeys(("grounding_source", "query", "guard_content"), "")
    for block in body.get("content") or []:
        for name in block.get("text", {}).get("qualifiers", ["guard_content"]):
            texts[name] = f"{texts.get(name, '')}\n{block['text'].get('text', '')}"
    if body.get("source") != "OUTPUT" or not all(text.strip() for text in texts.values()):
        raise invalid("Contextual grounding needs a grounding source, a query and content to guard, of an output.")
    said, known = set(terms(texts["guard_content"])), set(terms(texts["grounding_source"]))
    score = len(said & known) / max(1, len(said))
    action = "NONE" if score >= THRESHOLD else "BLOCKED"
    judged = {"type": "GROUNDING", "threshold": THRESHOLD, "score": score, "action": action}
    return {
        "action": "NONE" if action == "NONE" else "GUARDRAIL_INTERVENED",
        "outputs": [],
        "usage": {},
        "assessments": [{"contextualGroundingPolicy": {"filters": [judged]}}],
    }
