"""Which names a reader can have: those that Cognito takes for users and groups.

botocore: cognito-idp GroupNameType and UsernameType. A name of another form is no user's and no group's, ever.
"""

from __future__ import annotations

import unicodedata

MAX_NAME = 128
NAME_RULE = f"at most {MAX_NAME} letters, digits, symbols and punctuation marks, and no spaces"


def can_be_named(name: str) -> bool:
    """Whether a user or a group can have this name, which is without its prefix `user:` or `group:`."""
    return 0 < len(name) <= MAX_NAME and all(unicodedata.category(each)[0] in "LMNPS" for each in name)
