"""Each failing disk call of the store costs at most a move."""

import sqlite3

import pytest

from firmware.bank.records import JournalFailed, Record
from firmware.storage.connection import LedgerConnection
from firmware.storage.store import Store
from tests.campaign.ledger_faults.scenes import SCENES
from tests.campaign.ledger_faults.store_calls import fail_each_call

QUICK = ("moves", "opening", "left log")
"""The scenes that find most bugs; the others write other rows by the same calls."""


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in SCENES],
)
def test_failing_call_costs_at_most_a_move(name: str) -> None:
    result = fail_each_call(name)
    print(result)
    assert [f"{failure}: {problem}" for failure, problem in result.problems[:5]] == []
    assert len(result.tried) == result.calls.total()


@pytest.mark.long
@pytest.mark.parametrize("name", ["moves", "opening"])
def test_failing_call_without_log(name: str) -> None:
    result = fail_each_call(name, shares_memory=False)
    assert [f"{failure}: {problem}" for failure, problem in result.problems[:5]] == []


@pytest.mark.long
def test_failing_call_in_every_mode() -> None:
    result = fail_each_call("moves", full=True)
    assert [f"{failure}: {problem}" for failure, problem in result.problems[:5]] == []


# Planted bugs must be found


def test_finds_swallowed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    append = Store.append

    def swallow(self: Store, *records: Record) -> None:
        try:
            append(self, *records)
        except JournalFailed:
            return

    monkeypatch.setattr(Store, "append", swallow)
    assert "the box shows" in fail_each_call("moves", stop_at_first=True).problems[0][1]


def test_finds_foreign_error(monkeypatch: pytest.MonkeyPatch) -> None:
    append = Store.append

    def raise_sqlite_error(self: Store, *records: Record) -> None:
        try:
            append(self, *records)
        except JournalFailed as error:
            raise sqlite3.OperationalError(str(error)) from None

    monkeypatch.setattr(Store, "append", raise_sqlite_error)
    assert "was raised" in fail_each_call("moves", stop_at_first=True).problems[0][1]


def test_finds_store_that_never_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store takes a failed sync for a move that was not made."""
    monkeypatch.setattr(LedgerConnection, "reopen_if_needed", lambda _: False)
    assert fail_each_call("moves", stop_at_first=True).problems
