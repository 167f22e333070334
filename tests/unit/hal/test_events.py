"""Slots, keys, and the UIDs of phones."""

import pytest

from hal.events import Key, Slot, is_random_uid


@pytest.mark.parametrize(
    ("uid", "is_random"),
    [("08c0ffee", True), ("a1c0ffee", False), ("0804c0ffee1234", False), ("08", False)],
)
def test_only_four_bytes_that_begin_with_08_are_random(uid: str, is_random: bool) -> None:
    assert is_random_uid(bytes.fromhex(uid)) is is_random


def test_the_other_slot() -> None:
    assert [slot.other for slot in Slot] == [Slot.RIGHT, Slot.LEFT]


def test_the_pad_has_sixteen_keys_and_ten_digits() -> None:
    assert len(Key) == 16
    assert sorted(key.value for key in Key if key.is_digit) == list("0123456789")
