"""Plays every script of the rulebook on a box at the other end of a serial line."""

import pytest

from sim.console.wire_play import Result
from sim.script.language import Script
from tests.hil.conftest import Play


def test_script(script: Script, play: Play, results: list[Result]) -> None:
    result = play(script)
    results.append(result)
    _judge(result)


@pytest.mark.long
def test_script_in_real_time(short_script: Script, play_in_real_time: Play) -> None:
    """Scripts with short waits, always on a virtual box."""
    _judge(play_in_real_time(short_script))


def _judge(result: Result) -> None:
    if result.verdict == "–":
        pytest.skip(result.reason)
    assert not result.failed, result.reason
