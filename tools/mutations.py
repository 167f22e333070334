"""Every small change that can be made to a source: another number, another operator.

A change is one of the text, like a slip of the hand: whoever wants to see what a change
does can type it in. Types, texts and what is only logged are left alone.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

WIDEST = 64
"""Characters of source that a change is shown with, at most."""


class Mutant(NamedTuple):
    """One change: the bytes of a source from start to end become others."""

    line: int
    start: int
    end: int
    new: str
    words: str
    """What -> what."""

    def applied(self, content: bytes) -> bytes:
        return content[: self.start] + self.new.encode() + content[self.end :]


class Edit(NamedTuple):
    start: int
    end: int
    new: str


class Siblings(NamedTuple):
    """An operator as it is written, and what it is taken for by mistake."""

    symbol: str
    others: tuple[str, ...]


OPERATORS: dict[type[ast.AST], Siblings] = {
    # Of comparisons the neighbour, which differs at the boundary only, and the opposite.
    ast.Lt: Siblings("<", ("<=", ">=")),
    ast.LtE: Siblings("<=", ("<", ">")),
    ast.Gt: Siblings(">", (">=", "<=")),
    ast.GtE: Siblings(">=", (">", "<")),
    ast.Eq: Siblings("==", ("!=",)),
    ast.NotEq: Siblings("!=", ("==",)),
    ast.Is: Siblings("is", ("is not",)),
    ast.IsNot: Siblings("is not", ("is",)),
    ast.In: Siblings("in", ("not in",)),
    ast.NotIn: Siblings("not in", ("in",)),
    ast.And: Siblings("and", ("or",)),
    ast.Or: Siblings("or", ("and",)),
    ast.BitAnd: Siblings("&", ("|",)),
    ast.BitOr: Siblings("|", ("&",)),
    ast.BitXor: Siblings("^", ("|",)),
    ast.LShift: Siblings("<<", (">>",)),
    ast.RShift: Siblings(">>", ("<<",)),
    ast.Add: Siblings("+", ("-",)),
    ast.Sub: Siblings("-", ("+",)),
}
BIT_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
NEVER_RUN = ("annotation", "returns")
"""Fields of a node that hold types."""


class Source:
    """A source text, by bytes: the places of ``ast`` are counted in them."""

    def __init__(self, text: str) -> None:
        self.content = text.encode()
        self.tree = ast.parse(text)
        lengths = map(len, self.content.splitlines(keepends=True))
        self._line_starts = [0, *accumulate(lengths)]

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None, "a parsed node has an end"
        assert node.end_col_offset is not None, "a parsed node has an end"
        return (
            self._line_starts[node.lineno - 1] + node.col_offset,
            self._line_starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def line(self, place: int) -> int:
        return bisect_right(self._line_starts, place)

    def text(self, start: int, end: int) -> str:
        return self.content[start:end].decode()


Placed = ast.expr | ast.stmt | ast.keyword
"""The nodes that know where in the source they are, of those that matter here."""
Around = tuple[ast.AST, ...]
"""The nodes around a node, the nearest last."""


def find_mutants(text: str) -> list[Mutant]:
    """Every change of a source, in the order of its lines."""
    source = Source(text)
    found = {
        edit: Mutant(source.line(edit.start), *edit, _words(source, node, around, edit))
        for node, around in _walk(source.tree, ())
        if isinstance(node, ast.expr | ast.stmt)
        for edit in _edits(source, node, around)
    }
    return [found[edit] for edit in sorted(found)]


def _walk(node: ast.AST, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    """Every node that does something: not the types, and not what is only logged."""
    if isinstance(node, ast.JoinedStr) or _is_log_call(node):
        return
    yield node, around
    for field, value in ast.iter_fields(node):
        if field not in NEVER_RUN:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _walk(child, (*around, node))


def _is_log_call(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="log" | "logging"))):
            return True
    return False


def _edits(source: Source, node: ast.expr | ast.stmt, around: Around) -> Iterator[Edit]:
    match node:
        case ast.Constant(value=bool() as value):
            yield Edit(*source.span(node), str(not value))
        case ast.Constant(value=int() | float()):
            yield from _other_numbers(source, node, around)
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
    siblings = OPERATORS.get(type(op))
    if siblings is None:
        return
    after_one, before_other = source.span(one)[1], source.span(other)[0]
    # Between two operands stand brackets, blanks, and the operator.
    written = re.escape(siblings.symbol).replace(r"\ ", r"\s+")
    place = re.search(written, source.text(after_one, before_other))
    assert place, f"no {siblings.symbol} in line {one.lineno}"
    for new in siblings.others:
        yield Edit(after_one + place.start(), after_one + place.end(), new)


def _without_not(source: Source, node: ast.UnaryOp) -> Edit:
    """The word alone goes: what it denies may stand in brackets."""
    start, end = source.span(node)
    word = re.match(r"not\s*", source.text(start, end))
    assert word, f"no 'not' in line {node.lineno}"
    return Edit(start, start + word.end(), "")


def _other_numbers(source: Source, node: ast.Constant, around: Around) -> Iterator[Edit]:
    start, end = source.span(node)
    written = source.text(start, end)
    value = node.value
    assert isinstance(value, int | float)
    others = [value + 1, value - 1] if value > 1 else [value + 1]
    if isinstance(value, int) and value and _is_mask(written, around):
        others.append(value ^ (value & -value))
    for other in others:
        yield Edit(start, end, _written_like(written, other))


def _is_mask(written: str, around: Around) -> bool:
    """Whether the bits of a number count: it is combined with others, or named in hex."""
    if any(isinstance(node, ast.BinOp) and isinstance(node.op, BIT_OPERATORS) for node in around):
        return True
    at_module_level = not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in around)
    return at_module_level and written.lower().startswith("0x")


def _written_like(written: str, number: float) -> str:
    """A number, in the notation of another."""
    if written.lower().startswith("0x"):
        return f"0x{number:0{len(written) - 2}X}"
    return f"{number:_}" if "_" in written else repr(number)


def _words(source: Source, node: ast.expr | ast.stmt, around: Around, edit: Edit) -> str:
    """What -> what, with as much around it as fits, at most the statement."""
    shown = next(outer for outer in (*around, node) if outer is node or _fits(source, outer))
    assert isinstance(shown, Placed)
    start, end = source.span(shown)
    before = source.text(start, end)
    if isinstance(shown, ast.Assign | ast.AnnAssign) and shown.value:
        # The name is said once.
        start = source.span(shown.value)[0]
    after = source.text(start, edit.start) + edit.new + source.text(edit.end, end)
    return " ".join(f"{before} -> {after}".split())


def _fits(source: Source, node: ast.AST) -> bool:
    if not isinstance(node, Placed) or isinstance(node, ast.Slice):
        return False
    text = source.text(*source.span(node))
    return "\n" not in text and len(text) <= WIDEST
