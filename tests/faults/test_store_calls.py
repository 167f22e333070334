"""Every call of the store fails, in turn: the bank refuses the move or carries on."""

import sqlite3

import pytest

from firmware.open_file import OpenFile
from firmware.records import JournalFailed, Record
from firmware.store import Store
from tests.faults.scenes import SCENES
from tests.faults.store_calls import strike_all


@pytest.mark.parametrize("name", SCENES)
def test_a_call_that_fails_costs_a_move_at_most(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = strike_all(name)
    with capsys.disabled():
        print(f"\n{result}")
    assert [f"{blow}: {wrong}" for blow, wrong in result.wounds[:5]] == []
    assert len(result.tried) == result.calls.total()


@pytest.mark.parametrize("name", ["moves", "opening"])
def test_nor_without_a_log(name: str) -> None:
    result = strike_all(name, shares_memory=False)
    assert [f"{blow}: {wrong}" for blow, wrong in result.wounds[:5]] == []


# The test itself is proven: bugs that are put in are found


def test_a_swallowed_error_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    append = Store.append

    def careless(self: Store, *records: Record) -> None:
        try:
            append(self, *records)
        except JournalFailed:
            return

    monkeypatch.setattr(Store, "append", careless)
    assert "the box shows" in strike_all("moves", until_wounded=True).wounds[0][1]


def test_an_error_that_is_not_ours_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    append = Store.append

    def bare(self: Store, *records: Record) -> None:
        try:
            append(self, *records)
        except JournalFailed as error:
            raise sqlite3.OperationalError(str(error)) from None

    monkeypatch.setattr(Store, "append", bare)
    assert "was raised" in strike_all("moves", until_wounded=True).wounds[0][1]


def test_a_store_that_never_asks_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a failed sync for a move that did not happen."""
    monkeypatch.setattr(OpenFile, "settle", lambda _: False)
    assert strike_all("moves", until_wounded=True).wounds
