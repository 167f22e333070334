"""A sync that fails, and the power that goes a little later: nothing that was shown is lost."""

from pathlib import Path

import pytest

from firmware import left_log
from tests.faults.doubt import fail_and_cut


@pytest.mark.parametrize("shares_memory", [True, False])
def test_nothing_is_lost_after_a_failed_sync(
    shares_memory: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = fail_and_cut(shares_memory=shares_memory)
    with capsys.disabled():
        print(f"\n{'with' if shares_memory else 'without'} a log: {figures}")
    assert figures.wounds[:5] == []


def test_a_log_that_is_believed_as_it_is_read_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has forgotten to write it, and will not do so later."""

    def believe(_: Path) -> None: ...

    monkeypatch.setattr(left_log, "write_again", believe)
    assert fail_and_cut(until_wounded=True, full=True).wounds
