"""A failed sync followed by a power cut loses no move that was shown."""

from pathlib import Path

import pytest

from firmware.storage import wal_recovery
from tests.campaign.ledger_faults.doubt import fail_and_cut


@pytest.mark.parametrize("shares_memory", [True, pytest.param(False, marks=pytest.mark.long)])
def test_failed_sync_loses_nothing(shares_memory: bool) -> None:
    result = fail_and_cut(shares_memory=shares_memory)
    print(f"{'with' if shares_memory else 'without'} a log: {result}")
    assert result.problems[:5] == []


@pytest.mark.long
def test_failed_sync_in_every_mode_loses_nothing() -> None:
    assert fail_and_cut(full=True).problems[:5] == []


@pytest.mark.long
def test_finds_log_that_is_not_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel dropped the data and will not write it later."""

    def do_nothing(_: Path) -> None: ...

    monkeypatch.setattr(wal_recovery, "rewrite", do_nothing)
    assert fail_and_cut(stop_at_first=True, full=True).problems
