"""The features of where an argument begins and ends in a message, and of a whole span, as hashes."""

from bisect import bisect

from cicada.understanding.features import code, one, three, two
from local.bedrock.agent_heads.line import Line

Features = list[int]
_FAR = 8
_LENGTHS = (1, 2, 3, 4, 6, 9, 14, 25)
_TO_END = (0, 1, 2, 4, 8)


def place_features(line: Line, at: int, action: str) -> tuple[Features, Features]:
    """What tells whether an argument begins or ends at a word: alone, and together with what is asked for."""
    plain = [*_window(line, at), *_cues(line, at), *_shape(line, at)]
    what = code(action)
    return plain, [two(90, what, each) for each in plain]


def span_features(line: Line, first: int, last: int, role: str) -> tuple[Features]:
    """What tells whether the words from the first to the last are an argument of this role."""
    tokens = line.tokens[first : last + 1]
    capitals = sum(token.is_capital for token in tokens)
    marks = {token.text for token in tokens if not token.text[0].isalnum()}
    own = [
        one(1, bisect(_LENGTHS, len(tokens))),
        one(2, bisect(_TO_END, len(line) - 1 - last)),
        two(3, line.code(first - 1), line.code(last + 1)),
        two(4, line.code(first), line.code(last)),
        one(5, int(capitals == len(tokens)) + 2 * int(capitals > 0)),
        two(6, line.code(first - 1), bisect(_LENGTHS, len(tokens))),
        two(7, line.code(last + 1), bisect(_LENGTHS, len(tokens))),
        two(8, int(line.tokens[first].is_capital), int(line.tokens[last].is_capital)),
        two(9, int(_is_capital(line, first - 1)), int(_is_capital(line, last + 1))),
        one(10, sum(line.quoted[first : last + 1]) * 2 // len(tokens)),
        two(11, int(_is_quote(line, first - 1)), int(_is_quote(line, last + 1))),
        three(12, line.code(first - 2), line.code(first - 1), line.code(last + 1)),
        *(one(13, code(mark)) for mark in marks),
        one(14, code("#" if ":" in _before(line, first) else "-")),
        *(one(15, cue) for at in range(first, last + 1) for cue in line.cues[at]),
    ]
    return ([two(91, code(role), each) for each in own],)


def _window(line: Line, at: int) -> Features:
    l4, l3, l2, l1, own, r1, r2, r3, r4 = (line.code(at + step) for step in range(-4, 5))
    found = [
        one(20, own),
        two(21, l1, own),
        two(22, own, r1),
        two(23, l2, l1),
        two(24, r1, r2),
        two(25, l1, r1),
        three(26, l2, l1, own),
        three(27, own, r1, r2),
        three(28, l1, own, r1),
        three(29, l3, l2, l1),
        three(30, r1, r2, r3),
    ]
    return [*found, *(one(31 + step, each) for step, each in enumerate((l4, l3, l2, l1, r1, r2, r3, r4)))]


def _cues(line: Line, at: int) -> Features:
    """The concepts near by, in order, and the nearest on either side."""
    found: Features = []
    for step in (-3, -2, -1, 0, 1, 2):
        if 0 <= at + step < len(line):
            found += [two(40 + step, cue, 0) for cue in line.cues[at + step]]
    left = [cue for each in line.cues[max(0, at - _FAR) : at] for cue in each]
    right = [cue for each in line.cues[at + 1 : at + 1 + _FAR] for cue in each]
    found += [one(50, cue) for cue in {*left}] + [one(51, cue) for cue in {*right}]
    found += [one(52, cue) for cue in left[-1:]] + [one(53, cue) for cue in right[:1]]
    return [*found, *(two(54, a, b) for a in left[-1:] for b in right[:1])]


def _shape(line: Line, at: int) -> Features:
    """Capitals, quotation marks, colons and ends around the word."""
    token, last = line.tokens[at], len(line) - 1
    before = _before(line, at)
    case = token.is_capital + 2 * _is_capital(line, at - 1) + 4 * _is_capital(line, at + 1)
    colons, commas = min(2, before.count(":")), min(2, before.count(","))
    return [
        one(60, case),
        two(61, case, line.code(at - 1)),
        two(62, case, line.code(at + 1)),
        one(63, line.quoted[at] + 2 * _is_quote(line, at - 1) + 4 * _is_quote(line, at + 1)),
        two(64, colons, commas),
        two(65, colons, line.code(at - 1)),
        one(66, bisect(_TO_END, last - at)),
        two(67, bisect(_TO_END, last - at), line.code(at)),
        one(68, bisect(_TO_END, at)),
        two(69, line.code(0), line.code(at - 1)),
        three(70, line.code(0), line.code(1), line.code(at - 1)),
        one(71, int(":" in [each.text for each in line.tokens[at + 1 :]])),
        two(72, line.code(0), bisect(_TO_END, at)),
    ]


def _before(line: Line, at: int) -> list[str]:
    return [each.text for each in line.tokens[:at]]


def _is_capital(line: Line, at: int) -> bool:
    return 0 <= at < len(line) and line.tokens[at].is_capital


def _is_quote(line: Line, at: int) -> bool:
    return 0 <= at < len(line) and line.tokens[at].text == '"'
