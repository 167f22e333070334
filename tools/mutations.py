"""Finds every small change that can be made to a source: another number, another operator.

A change edits the source text, so that it is easy to reproduce by hand. Types, strings and
log calls are not changed.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

MAX_SHOWN = 64
"""Characters of source that the description of a change shows at most."""


class Mutant(NamedTuple):
    """One change: replaces the bytes of a source from start to end."""

    line: int
    start: int
    end: int
    new: str
    description: str
    """``before -> after``."""

    def applied(self, content: bytes) -> bytes:
        return content[: self.start] + self.new.encode() + content[self.end :]


class Edit(NamedTuple):
    start: int
    end: int
    new: str


class Operator(NamedTuple):
    symbol: str
    replacements: tuple[str, ...]


OPERATORS: dict[type[ast.AST], Operator] = {
    # A comparison becomes the one that differs only at the boundary, and the opposite.
    ast.Lt: Operator("<", ("<=", ">=")),
    ast.LtE: Operator("<=", ("<", ">")),
    ast.Gt: Operator(">", (">=", "<=")),
    ast.GtE: Operator(">=", (">", "<")),
    ast.Eq: Operator("==", ("!=",)),
    ast.NotEq: Operator("!=", ("==",)),
    ast.Is: Operator("is", ("is not",)),
    ast.IsNot: Operator("is not", ("is",)),
    ast.In: Operator("in", ("not in",)),
    ast.NotIn: Operator("not in", ("in",)),
    ast.And: Operator("and", ("or",)),
    ast.Or: Operator("or", ("and",)),
    ast.BitAnd: Operator("&", ("|",)),
    ast.BitOr: Operator("|", ("&",)),
    ast.BitXor: Operator("^", ("|",)),
    ast.LShift: Operator("<<", (">>",)),
    ast.RShift: Operator(">>", ("<<",)),
    ast.Add: Operator("+", ("-",)),
    ast.Sub: Operator("-", ("+",)),
}
BIT_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
DELETABLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Delete)
NEVER_RUN = ("annotation", "returns")
"""Fields of a node that hold types."""


class Source:
    """A source text as bytes, because ``ast`` counts columns in bytes."""

    def __init__(self, text: str) -> None:
        self.content = text.encode()
        self.tree = ast.parse(text)
        lengths = map(len, self.content.splitlines(keepends=True))
        self._line_starts = [0, *accumulate(lengths)]

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None, "the node was not parsed"
        assert node.end_col_offset is not None, "the node was not parsed"
        return (
            self._line_starts[node.lineno - 1] + node.col_offset,
            self._line_starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def line(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)

    def text(self, start: int, end: int) -> str:
        return self.content[start:end].decode()


Located = ast.expr | ast.stmt | ast.keyword
"""The nodes with a position in the source that matter here."""
Parents = tuple[ast.AST, ...]
"""The parents of a node, the nearest last."""


def find_mutants(text: str) -> list[Mutant]:
    """Find every change of a source, in source order."""
    source = Source(text)
    found = {
        edit: Mutant(source.line(edit.start), *edit, _describe(source, node, parents, edit))
        for node, parents in _walk(source.tree, ())
        if isinstance(node, ast.expr | ast.stmt)
        for edit in _edits(source, node, parents)
    }
    return [found[edit] for edit in sorted(found)]


def find_deletions(text: str) -> list[Mutant]:
    """Find every one-line statement of a function that can be replaced with ``pass``."""
    source = Source(text)
    return [
        Mutant(
            node.lineno, *source.span(node), "pass", f"{source.text(*source.span(node))} -> pass"
        )
        for node, parents in _walk(source.tree, ())
        if isinstance(node, DELETABLE) and _is_worth_deleting(node, parents)
    ]


def _is_worth_deleting(node: ast.stmt, parents: Parents) -> bool:
    """Skip docstrings, log calls, and module-level names, whose loss any import would show."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Expr(value=value) if _is_log_call(value):
            return False
    in_function = any(
        isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) for outer in parents
    )
    return in_function and node.lineno == node.end_lineno


def _walk(node: ast.AST, parents: Parents) -> Iterator[tuple[ast.AST, Parents]]:
    """Yield every node that runs: no types and no log calls."""
    if isinstance(node, ast.JoinedStr) or _is_log_call(node):
        return
    yield node, parents
    for field, value in ast.iter_fields(node):
        if field not in NEVER_RUN:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _walk(child, (*parents, node))


def _is_log_call(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="log" | "logging"))):
            return True
    return False


def _edits(source: Source, node: ast.expr | ast.stmt, parents: Parents) -> Iterator[Edit]:
    match node:
        case ast.Constant(value=bool() as value):
            yield Edit(*source.span(node), str(not value))
        case ast.Constant(value=int() | float()):
            yield from _other_numbers(source, node, parents)
        case ast.UnaryOp(op=ast.Not()):
            yield _without_not(source, node)
        case ast.Compare(left=left, comparators=others, ops=ops):
            for (one, other), op in zip(pairwise([left, *others]), ops, strict=True):
                yield from _other_operators(source, one, other, op)
        case ast.BoolOp(values=values, op=op):
            for one, other in pairwise(values):
                yield from _other_operators(source, one, other, op)
        case (
            ast.BinOp(left=one, right=other, op=op) | ast.AugAssign(target=one, value=other, op=op)
        ):
            yield from _other_operators(source, one, other, op)


def _other_operators(source: Source, one: ast.expr, other: ast.expr, op: ast.AST) -> Iterator[Edit]:
    operator = OPERATORS.get(type(op))
    if operator is None:
        return
    after_one, before_other = source.span(one)[1], source.span(other)[0]
    # Between two operands are parentheses, whitespace and the operator.
    pattern = re.escape(operator.symbol).replace(r"\ ", r"\s+")
    found = re.search(pattern, source.text(after_one, before_other))
    assert found, f"no {operator.symbol} in line {one.lineno}"
    for new in operator.replacements:
        yield Edit(after_one + found.start(), after_one + found.end(), new)


def _without_not(source: Source, node: ast.UnaryOp) -> Edit:
    """Remove only the keyword, because its operand may be in parentheses."""
    start, end = source.span(node)
    word = re.match(r"not\s*", source.text(start, end))
    assert word, f"no 'not' in line {node.lineno}"
    return Edit(start, start + word.end(), "")


def _other_numbers(source: Source, node: ast.Constant, parents: Parents) -> Iterator[Edit]:
    start, end = source.span(node)
    written = source.text(start, end)
    value = node.value
    assert isinstance(value, int | float)
    others = [value + 1, value - 1] if value > 1 else [value + 1]
    if isinstance(value, int) and value and _is_mask(written, parents):
        others.append(value ^ (value & -value))
    for other in others:
        yield Edit(start, end, _written_like(written, other))


def _is_mask(written: str, parents: Parents) -> bool:
    """Return True if a number is an operand of a bit operator or a hexadecimal constant."""
    if any(isinstance(node, ast.BinOp) and isinstance(node.op, BIT_OPERATORS) for node in parents):
        return True
    at_module_level = not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in parents)
    return at_module_level and written.lower().startswith("0x")


def _written_like(written: str, number: float) -> str:
    """Format a number in the notation of another."""
    if written.lower().startswith("0x"):
        return f"0x{number:0{len(written) - 2}X}"
    return f"{number:_}" if "_" in written else repr(number)


def _describe(source: Source, node: ast.expr | ast.stmt, parents: Parents, edit: Edit) -> str:
    """Return ``before -> after`` with as much context as fits, at most the statement."""
    shown = next(outer for outer in (*parents, node) if outer is node or _fits(source, outer))
    assert isinstance(shown, Located)
    start, end = source.span(shown)
    before = source.text(start, end)
    if isinstance(shown, ast.Assign | ast.AnnAssign) and shown.value:
        # Show the name only once.
        start = source.span(shown.value)[0]
    after = source.text(start, edit.start) + edit.new + source.text(edit.end, end)
    return " ".join(f"{before} -> {after}".split())


def _fits(source: Source, node: ast.AST) -> bool:
    if not isinstance(node, Located) or isinstance(node, ast.Slice):
        return False
    text = source.text(*source.span(node))
    return "\n" not in text and len(text) <= MAX_SHOWN
