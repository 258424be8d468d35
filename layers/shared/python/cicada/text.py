"""What every feature does to a text."""


def one_line(text: str) -> str:
    """The text with single spaces and no line breaks."""
    return " ".join(text.split())
