"""Sums in a question, as a language model would work them out: "what is 17 times 23?", "15 percent of 2400"."""

import ast
import operator
import re
from collections.abc import Callable, Mapping

_WORDS = {
    r"\btimes\b|\bmal\b|\bfois\b|\bpor\b|[x×]": "*",
    r"\bplus\b|\bmás\b": "+",
    r"\bminus\b|\bmenos\b": "-",
    r"\bdivided by\b|\bgeteilt durch\b|÷": "/",
    r"(?:%|\bper ?cent\b|\bprozent\b) *(?:of|von|de|di)\b": "/100*",
}
_NUMBER = r"-?\d+(?:\.\d+)?"
_SUM = re.compile(
    rf"(?:.{{0,30}}(?:what is|what's|how much is|calculate|compute|:)\s+)?"
    rf"({_NUMBER}(?:(?: *(?:/100)?[+*/] *| ?- ){_NUMBER})+)\s*[=?.!]*"
)
_LONGEST = 100
_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def worked_out(question: str) -> str:
    """The result of a question that is a sum; empty for every other one, and if it divides by zero."""
    if len(question) > _LONGEST:
        return ""
    said = re.sub(r"(?<=\d),(?=\d{3})", "", question.lower().strip())
    for words, sign in _WORDS.items():
        said = re.sub(words, sign, said)
    found = _SUM.fullmatch(said)
    if found is None:
        return ""
    try:
        return f"{_value(ast.parse(found[1], mode='eval').body):.10g}"
    except (ZeroDivisionError, SyntaxError):
        return ""


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return _OPERATIONS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand)
    assert isinstance(node, ast.Constant)  # noqa: S101 - the pattern has nothing else
    return float(str(node.value))
