"""The mutants of a source: by mutmut's operators, applied everywhere, and by two more.

Mutations that no test can notice are left out:
- annotations, type aliases, protocols, `cast`, imports, docstrings, `__all__`, decorators (`frozen`, `slots`);
- definitions of type variables, and the names of a pool's threads, which no log shows;
- `__hash__`, since any hash of the same values finds the same things, and a constant one too;
- `strict` of `zip`, which asserts what the code around it makes true;
- texts for people: strings with a space in what is raised or logged, or given as description, reason or comment;
- all but one mutant of a string: the case of letters means nothing in AWS's expressions.
Mutations that every test notices are left out as in mutmut: the arguments of `len` and `isinstance`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

_STATEMENT = (cst.BaseStatement, cst.SimpleStatementLine)
_PROTOCOL = m.Arg(m.Name("Protocol") | m.Subscript(m.Name("Protocol")))
_UNNOTICED_ARGUMENT = m.Arg(keyword=m.Name(m.MatchRegex("strict|thread_name_prefix")))
_SKIPPED = (
    m.Annotation()
    | m.Import()
    | m.ImportFrom()
    | m.Decorator()
    | m.Expr(m.SimpleString() | m.ConcatenatedString() | m.Ellipsis())
    | m.Assign([m.AssignTarget(m.Name("__all__"))])
    | m.Assign(value=m.Subscript(m.Name(m.MatchRegex("[A-Z].*(?<!Annotated)"))))
    | m.Assign(value=m.Call(m.Name(m.MatchRegex("TypeVar|ParamSpec"))))
    | m.FunctionDef(m.Name("__hash__"))
    | m.ClassDef(bases=[m.ZeroOrMore(), _PROTOCOL, m.ZeroOrMore()])
    | m.Call(m.Name(m.MatchRegex("len|isinstance|cast|NewType")))
    | _UNNOTICED_ARGUMENT
)
_TOLD_ARGUMENT = m.Arg(keyword=m.Name(m.MatchRegex("description|reason|comment")))
_TOLD = m.Raise() | m.Call(m.Attribute(m.Name("logger"))) | _TOLD_ARGUMENT
_TEXT = m.SimpleString(m.MatchRegex(".* .*")) | m.ConcatenatedString() | m.FormattedString()
_TESTED_ELSEWHERE = m.Comparison() | m.UnaryOperation() | m.BooleanOperation()
_EFFECT = m.SimpleStatementLine([m.Expr(m.Call()) | m.Raise() | m.Del()])


@dataclass(frozen=True, slots=True)
class Mutant:
    """A source with `old` replaced. `lines`: the lines of the changed statement."""

    path: str
    module: cst.Module
    old: cst.CSTNode
    new: cst.CSTNode
    lines: range

    def source(self) -> str:
        return cst.ensure_type(self.module.deep_replace(self.old, self.new), cst.Module).code

    def diff(self) -> str:
        """The changed lines, below their position."""
        before, after = self.module.code.splitlines(), self.source().splitlines()
        changes = [line for line in difflib.unified_diff(before, after, n=0, lineterm="") if line[:2] != "@@"]
        return "\n".join([f"{self.path}:{self.lines.start}", *changes[2:]])


def mutants(path: str, source: str) -> list[Mutant]:
    """All mutants of one source, in its order."""
    wrapper = MetadataWrapper(cst.parse_module(source))
    finder = _Finder()
    wrapper.visit(finder)
    return [Mutant(path, wrapper.module, *change) for change in finder.changes]


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[cst.CSTNode, cst.CSTNode, range]] = []
        self._statements: list[range] = []
        self._told = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _STATEMENT):
            position = self.get_metadata(PositionProvider, node)
            self._statements.append(range(position.start.line, position.end.line + 1))
        self._told += m.matches(node, _TOLD)
        if m.matches(node, _SKIPPED) or (self._told and m.matches(node, _TEXT)):
            return False
        if self._statements:
            self.changes += [(node, new, self._statements[-1]) for new in self._variants(node)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, _STATEMENT):
            self._statements.pop()
        self._told -= m.matches(original_node, _TOLD)

    def _variants(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        for kind, operator in mutation_operators:
            if isinstance(node, kind):
                new = list(operator(node))[: 1 if isinstance(node, cst.BaseString) else None]
                yield from (each for each in new if not self._only_text_is_lost(node, each))
        if m.matches(node, _EFFECT):
            yield cst.SimpleStatementLine([cst.Pass()])
        if isinstance(node, cst.If | cst.CompIf) and not m.matches(node.test, _TESTED_ELSEWHERE):
            yield node.with_changes(test=cst.UnaryOperation(cst.Not(), _in_parentheses(node.test)))

    def _only_text_is_lost(self, node: cst.CSTNode, new: cst.CSTNode) -> bool:
        if not isinstance(node, cst.Call) or not isinstance(new, cst.Call):
            return False
        lost = [each for each in node.args if not any(each is other for other in new.args)]
        return any(
            m.matches(each, _TOLD_ARGUMENT | _UNNOTICED_ARGUMENT) or (self._told and m.matches(each.value, _TEXT))
            for each in lost
        )


def _in_parentheses(test: cst.BaseExpression) -> cst.BaseExpression:
    return test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
