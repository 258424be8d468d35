"""What a question asks for by its words, a day or a person, and what a sentence that answers it has."""

import re

_SPAN_OF_TIME = (
    r"\b(?:how (?:long|often|soon|quick\w*|fast|old|late)|deadline|interval|time limit"
    r"|how many (?:days|hours|weeks|months|years|min\w*))\b",
    r"\b(?:s|seconds?|min(?:ute)?s?|h|hours?|shifts?|days?|weeks?|months?|years?)\b",
)
_DAY = (
    r"\b(?:when|(?:what|which) (?:day|date|time|year)|how often)\b",
    r"(?-i:\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b\d{4}\b|\d:\d\d|\b(?:dai|week|month|year)ly\b|\bevery\b",
)
_PERSON = (
    r"\b(?:who|whom|whose|which (?:person|department|team|role)|sign\w*)\b",
    r"\b(?:managers?|heads?|lead(?:er)?s?|directors?|officers?|operators?|teams?|boards?|departments?|persons?|owners?"
    r"|supervisors?|analysts?|technicians?|inspectors?|engineers?|doctors?|nurses?|deans?|secretar\w+|chair\w*"
    r"|committees?|buyers?|suppliers?|employees?|authors?|users?)\b",
)
_YES_OR_NO = (
    r"^\W*(?:(?:and|but|so|or|ok|hm)\W+)?(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have"
    r"|am|need)\b",
    r"\b(?:may|must|shall|never|only|not|no|cannot|allowed|forbidden|permitted|required|need\w*|without)\b",
)
_KINDS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(answer, re.IGNORECASE))
    for asked, answer in (_SPAN_OF_TIME, _DAY, _PERSON, _YES_OR_NO)
)


def answers_to(message: str, before: str) -> list[re.Pattern[str] | None]:
    """What an answer has, by the kinds: a span of time, a day, a person, yes or no. None where it is not asked for.

    "And a minor one?" asks for what the question `before` asked for.
    """
    asks = [bool(asked.search(message)) for asked, _ in _KINDS]
    if not any(asks[:-1]):
        asks = [found or bool(asked.search(before)) for found, (asked, _) in zip(asks, _KINDS, strict=True)]
    return [answer if found else None for found, (_, answer) in zip(asks, _KINDS, strict=True)]
