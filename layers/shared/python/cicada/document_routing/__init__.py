"""Which documents a question is about: by their cards, by the passages found, and by name."""
