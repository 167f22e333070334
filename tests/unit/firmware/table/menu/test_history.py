"""The age of a move in HISTORY."""

import pytest

from firmware.table.menu.history import age_of
from hal.events import MILLISECOND, SECOND

MINUTE = 60 * SECOND


@pytest.mark.parametrize(
    ("duration", "said"),
    [
        (0, "0S"),
        (59 * SECOND + 999 * MILLISECOND, "59S"),
        (MINUTE, "1MIN"),
        (60 * MINUTE - 1, "59MIN"),
        (60 * MINUTE, "1H"),
        (25 * 60 * MINUTE, "25H"),
    ],
)
def test_how_long_ago(duration: int, said: str) -> None:
    assert age_of(duration) == said
