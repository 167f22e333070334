"""Every script of the rulebook, on a box at the other end of a wire."""

import pytest

from sim.script import Script
from sim.wire_play import Result
from tests.hil.conftest import Play


def test_script(script: Script, play: Play, results: list[Result]) -> None:
    result = play(script)
    results.append(result)
    if result.verdict == "–":
        pytest.skip(result.reason)
    assert result.held, result.reason
