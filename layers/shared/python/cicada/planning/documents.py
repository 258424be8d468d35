"""Which way a message goes that is sent to a base of documents."""

from cicada.planning.classifier import only_small_talk
from cicada.planning.model import Classification, Route
from cicada.planning.rule_book import RuleBook


def classify_for_documents(text: str, rules: RuleBook) -> Classification:
    """A search, unless the message is nothing but small talk.

    What the documents are about is not known, so no word speaks against looking; profiles and theories are of stories.
    """
    if only_small_talk(text, rules):
        return Classification(Route.GENERAL, 1.0, "nothing but small talk")
    return Classification(Route.SCRIPT_QUERY, 1.0, "may be about the documents")
