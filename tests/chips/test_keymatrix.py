"""The key matrix model: levels at its eight wires, contacts over time."""

import itertools

import pytest

from sim.chips.keymatrix import KEYS, KeyMatrix

MILLISECOND = 1_000_000
AT_REST = [0, 0, 0, 0]


def scan(matrix: KeyMatrix, now: int) -> set[str]:
    """Return the keys that seem to be down if one column at a time is low and the rest float."""
    down = set()
    for column in range(4):
        columns = [0 if other == column else None for other in range(4)]
        for row, level in enumerate(matrix.row_levels(columns, now)):
            if level == 0:
                down.add(KEYS[row * 4 + column])
    return down


def held(*keys: str) -> KeyMatrix:
    matrix = KeyMatrix()
    for key in keys:
        matrix.press(key, 0)
    return matrix


def changes(matrix: KeyMatrix, after: int) -> list[int]:
    found = []
    instant = matrix.next_change(after)
    while instant is not None:
        found.append(instant)
        instant = matrix.next_change(instant)
    return found


# Wires


def test_rows_are_pulled_up() -> None:
    matrix = KeyMatrix()
    assert matrix.row_levels(AT_REST, 0) == [1, 1, 1, 1]
    assert matrix.row_levels([None] * 4, 0) == [1, 1, 1, 1]


@pytest.mark.parametrize("key", KEYS)
def test_key_joins_its_row_and_its_column(key: str) -> None:
    matrix = held(key)
    row, column = divmod(KEYS.index(key), 4)
    assert scan(matrix, 0) == {key}
    assert matrix.row_levels(AT_REST, 0) == [0 if each == row else 1 for each in range(4)]
    driven_high = [1 if each == column else None for each in range(4)]
    assert matrix.row_levels(driven_high, 0) == [1, 1, 1, 1]
    assert matrix.row_levels([None] * 4, 0) == [1, 1, 1, 1]


def test_two_keys_make_no_ghost() -> None:
    for pair in itertools.combinations(KEYS, 2):
        assert scan(held(*pair), 0) == set(pair)


def test_three_corners_of_a_rectangle_make_a_ghost() -> None:
    for rows in itertools.combinations(range(4), 2):
        for columns in itertools.combinations(range(4), 2):
            corners = {KEYS[row * 4 + column] for row in rows for column in columns}
            for ghost in corners:
                assert scan(held(*(corners - {ghost})), 0) == corners


def test_three_other_keys_make_no_ghost() -> None:
    assert scan(held("1", "5", "9"), 0) == {"1", "5", "9"}
    assert scan(held("1", "2", "3"), 0) == {"1", "2", "3"}


def test_ghosts_through_several_keys() -> None:
    # 1-2-5-6-9 joins three rows and three columns: all nine seem to be down.
    assert scan(held("1", "2", "5", "6", "9"), 0) == set("123456789")


def test_two_keys_in_a_row_short_high_and_low_columns() -> None:
    matrix = held("1", "2")
    assert matrix.row_levels([0, 1, 1, 1], 0) == [0, 1, 1, 1]
    assert matrix.shorts == 1
    matrix.row_levels([0, 1, 1, 1], 1)
    assert matrix.shorts == 1, "it is the same short"
    matrix.row_levels([1, 0, 1, 1], 2)
    assert matrix.shorts == 2
    matrix.row_levels([None, 0, None, None], 3)
    matrix.row_levels([1, 0, 1, 1], 4)
    assert matrix.shorts == 3


def test_no_short_if_columns_float_or_agree_or_are_separate() -> None:
    matrix = held("1", "2", "K")
    for columns in ([0, None, None, None], [0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]):
        matrix.row_levels(columns, 0)
    assert matrix.shorts == 0


def test_short_through_several_keys() -> None:
    matrix = held("1", "4", "5")
    assert matrix.row_levels([0, 1, None, None], 0) == [0, 0, 1, 1]
    assert matrix.shorts == 1


# Contacts over time


def test_key_is_down_from_press_to_release() -> None:
    matrix = KeyMatrix()
    matrix.press("5", 100)
    matrix.release("5", 200)
    assert [matrix.closed("5", now) for now in (99, 100, 199, 200)] == [False, True, True, False]
    assert changes(matrix, 0) == [100, 200]
    assert matrix.next_change(100) == 200, "strictly later"
    assert matrix.next_change(200) is None


def test_second_press_changes_nothing() -> None:
    matrix = held("5")
    matrix.press("5", 100)
    assert changes(matrix, 0) == []


@pytest.mark.parametrize("bounce", [0, 1, 2, 3, 4, 5, 1_000, 5 * MILLISECOND, 20 * MILLISECOND])
@pytest.mark.parametrize("seed", range(20))
def test_duration_and_end_of_bouncing(bounce: int, seed: int) -> None:
    matrix = KeyMatrix(seed)
    pressed, released = 10, 10 + 100 * MILLISECOND
    matrix.press("G", pressed, bounce)
    matrix.release("G", released, bounce)
    seen = changes(matrix, 0)
    for start, before in ((pressed, False), (released, True)):
        times = [instant for instant in seen if start <= instant < start + 50 * MILLISECOND]
        states = [matrix.closed("G", instant) for instant in times]
        assert times[0] == start
        assert states == [before ^ (turn % 2 == 0) for turn in range(len(times))]
        assert states[-1] is not before
        assert times[-1] == (start + bounce if bounce >= 2 else start)
        assert len(times) >= (3 if bounce >= 2 else 1)
    assert matrix.closed("G", pressed + bounce)
    assert not matrix.closed("G", released + bounce)


def test_bouncing_depends_on_the_seed_only() -> None:
    def times(seed: int) -> list[int]:
        matrix = KeyMatrix(seed)
        matrix.press("1", 0, 20 * MILLISECOND)
        matrix.press("2", 5, 20 * MILLISECOND)
        return changes(matrix, -1)

    assert times(7) == times(7)
    assert times(7) != times(8)


def test_release_ends_the_bouncing_of_the_press() -> None:
    matrix = KeyMatrix(3)
    matrix.press("1", 0, 20 * MILLISECOND)
    matrix.release("1", 1 * MILLISECOND)
    assert not matrix.closed("1", 1 * MILLISECOND)
    assert matrix.next_change(1 * MILLISECOND) is None


def test_next_change_of_any_key() -> None:
    matrix = KeyMatrix()
    matrix.press("F", 300)
    matrix.press("1", 200)
    matrix.release("1", 400)
    assert changes(matrix, 0) == [200, 300, 400]


def test_invalid_columns_are_rejected() -> None:
    for columns in ([0, 0, 0], [0, 0, 0, 2]):
        with pytest.raises(AssertionError):
            KeyMatrix().row_levels(columns, 0)
