"""The conditions that a message states on the documents' fields, read from its grammar.

A value is a condition where it modifies a noun for documents, stands after a preposition, a copula or the field's name,
or is all that the message has; elsewhere it is a word of the question's content.
"""

from __future__ import annotations

from datetime import date

from cicada.planning.deterministic.constraints.dates import read_dates_with_cues
from cicada.planning.deterministic.constraints.fields import read_named_fields
from cicada.planning.deterministic.constraints.loose_values import read_fragment, read_segments, read_subjects
from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.constraints.owners import read_asker, read_persons, reject_subject
from cicada.planning.deterministic.constraints.phrases import read_before, read_behind
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.noun_phrases import heads
from cicada.planning.deterministic.sentence import Sentence

# From the surest form to the least sure.
_PASSES = (
    read_named_fields,
    read_persons,
    read_subjects,
    read_asker,
    read_dates_with_cues,
    read_segments,
    read_fragment,
    reject_subject,
)


def read_constraints(sentence: Sentence, now: date, asker: str = "") -> Constraints:
    """All conditions of a message. `asker`: the name by which owner fields call the user, or empty."""
    reader = ConstraintReader(sentence, now, asker)
    for phrase in [phrase for phrase in heads(sentence) if read_before(reader, phrase)]:
        read_behind(reader, phrase)
    for read in _PASSES:
        read(reader)
    return reader.found
