"""Requests to do something with documents, which an answer cannot do."""

from __future__ import annotations

from cicada.planning.deterministic.sentence import Sentence


def is_action(sentence: Sentence) -> bool:
    """A request to do something: "delete …", "please book …", "could you send …"."""
    at, weak = 0, False
    while at < len(sentence):
        if not sentence.word(at)[0].isalnum():
            at += 1
            continue
        end = sentence.phrase_end(at, sentence.english.phrases["request_openers"])
        if end == at:
            break
        weak |= sentence.phrase_end(at, sentence.english.phrases["weak_request_openers"]) == end
        at = end
    if weak or at >= len(sentence) or sentence.is_in(at, "reading_verbs"):
        return False
    return sentence.is_in(at, "actions") and _is_imperative(sentence, at)


def _is_imperative(sentence: Sentence, at: int) -> bool:
    """A verb and its object; the same word alone or before another noun may be a noun or an adjective."""
    following = at + 1
    if sentence.word(following).isdigit():
        return True
    if sentence.spans.get(at) is None and sentence.spans.get(following) is not None:
        return not (sentence.is_in(at, "verbs_like_nouns") and sentence.word(following).endswith("s"))
    after = sentence.word(following)
    if sentence.is_in(following, "objects") or sentence.word(following) in {'"'}:
        return True
    if sentence.is_in(at, "verbs_like_nouns") or sentence.spans.get(at):
        return False
    return sentence.unknown(following) or sentence.is_in(following, "document_nouns", "metadata") or after.isdigit()
