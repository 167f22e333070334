"""The changes that the mutation tests make."""

import pytest

from tools.mutations import find_deletions, find_mutants


def changes(text: str) -> list[str]:
    return [f"{mutant.line}: {mutant.description}" for mutant in find_mutants(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A = 11", ["1: A = 11 -> 10", "1: A = 11 -> 12"]),
        ("A = 1", ["1: A = 1 -> 2"]),
        ("A = 0", ["1: A = 0 -> 1"]),
        ("A = 1_000", ["1: A = 1_000 -> 1_001", "1: A = 1_000 -> 999"]),
        ("A = 0.5", ["1: A = 0.5 -> 1.5"]),
        ("A = True", ["1: A = True -> False"]),
        ("a = not b", ["1: a = not b -> b"]),
        ("a = not (b)", ["1: a = not (b) -> (b)"]),
        ("a = b < c", ["1: a = b < c -> b <= c", "1: a = b < c -> b >= c"]),
        ("a = b >= c", ["1: a = b >= c -> b < c", "1: a = b >= c -> b > c"]),
        ("a = b != c", ["1: a = b != c -> b == c"]),
        ("a = b is  not None", ["1: a = b is not None -> b is None"]),
        ("a = b in c", ["1: a = b in c -> b not in c"]),
        ("a = (b) or (c)", ["1: a = (b) or (c) -> (b) and (c)"]),
        ("a = b - c", ["1: a = b - c -> b + c"]),
        ("a ^= b", ["1: a ^= b -> a |= b"]),
        ("a = b << c", ["1: a = b << c -> b >> c"]),
    ],
)
def test_changes_of_a_line(text: str, expected: list[str]) -> None:
    assert changes(text) == expected


def test_the_lowest_bit_of_a_mask_is_cleared() -> None:
    assert changes("A = 0x50") == [
        "1: A = 0x50 -> 0x40",
        "1: A = 0x50 -> 0x4F",
        "1: A = 0x50 -> 0x51",
    ]
    assert "1: a = b & 12 -> b & 8" in changes("a = b & 12")
    assert "1: a = b + 12 -> b + 8" not in changes("a = b + 12")


def test_every_operator_of_a_chain_is_changed_separately() -> None:
    assert changes("f(a < b < c)") == [
        "1: f(a < b < c) -> f(a <= b < c)",
        "1: f(a < b < c) -> f(a >= b < c)",
        "1: f(a < b < c) -> f(a < b <= c)",
        "1: f(a < b < c) -> f(a < b >= c)",
    ]
    assert changes("f(a and b and c)") == [
        "1: f(a and b and c) -> f(a or b and c)",
        "1: f(a and b and c) -> f(a and b or c)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        '"""Page 4 of 5."""',
        "a = b'\\x04'",
        "a = f'{b + 1}'",
        "a = None",
        "log.warning('%s', a + 1)",
        "from a import b",
        "a: Literal[1] | None",
        "def f(a: Literal[1] | None) -> Literal[2] | None: ...",
        "a = {'b': c}",
        "class A(Enum):\n    B = auto()",
    ],
)
def test_types_strings_and_log_calls_are_not_changed(text: str) -> None:
    assert changes(text) == []


def test_offsets_are_correct_after_multibyte_characters() -> None:
    (mutant,) = find_mutants("é = 'µ'; b = '×' if c is d else e")
    assert mutant.applied("é = 'µ'; b = '×' if c is d else e".encode()).decode() == (
        "é = 'µ'; b = '×' if c is not d else e"
    )


def test_a_change_is_described_with_its_line() -> None:
    text = "a = (\n    b\n    and c\n)\nif d:\n    e(f=7)\n"
    assert changes(text) == [
        "3: b and c -> b or c",
        "6: e(f=7) -> e(f=6)",
        "6: e(f=7) -> e(f=8)",
    ]


def test_one_line_statements_of_functions_can_be_deleted() -> None:
    text = (
        '"""Not a docstring."""\nA = 1\n\ndef f(x):\n    "nor this"\n    x.y = 1\n    g(x)\n'
        "    log.info(x)\n    h(\n        x\n    )\n    return x\n"
    )
    found = find_deletions(text)
    assert [(deletion.line, deletion.description) for deletion in found] == [
        (6, "x.y = 1 -> pass"),
        (7, "g(x) -> pass"),
    ]
    assert b"    pass\n    g(x)\n" in found[0].applied(text.encode())
