"""What the page gets from the ledger: everything once, then only the changes."""

import re
from pathlib import Path
from typing import Any

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, Kind
from firmware.storage.ledger_file import opened_by_box
from sim.board import stock
from sim.panel.ledger.accounts import AccountsReader, opened

BANKING = editions.load("banking")


@pytest.fixture
def ledger_path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, BANKING).know(stock.players(BANKING))
    return path


def ticks(changes: dict[str, Any]) -> list[str]:
    """The amounts beside the chart."""
    return re.findall(r'class="tick"[^>]*>([^<]+)<', changes["chart"])


def test_changes_are_returned_once(ledger_path: Path) -> None:
    reader = AccountsReader(ledger_path)
    first = reader.changes()
    assert first
    assert [posting["purpose"] for posting in first["postings"]] == ["opening"] * 6
    assert reader.changes() is None
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(1, 2, 1_400_000, Purpose.ENTRY)
    changes = reader.changes()
    assert changes
    (posting,) = changes["postings"]
    assert (posting["payer"], posting["payee"], posting["written"]) == (1, 2, "1,4M")
    assert [account["written"] for account in changes["accounts"][:2]] == ["13,6M", "16,4M"]
    assert changes["bank"] == {"balance": -90_000_000, "written": "-90M"}
    whole = reader.whole()
    assert whole
    assert [posting["id"] for posting in whole["postings"]] == list(range(1, 8))
    assert reader.changes() is None
    reader.close()


def test_whole_does_not_affect_changes(ledger_path: Path) -> None:
    reader = AccountsReader(ledger_path)
    reader.changes()
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(1, 2, 1_400_000, Purpose.ENTRY)
        ledger.new_game(BANKING)
    assert reader.whole()
    changes = reader.changes()
    assert changes
    assert [posting["id"] for posting in changes["postings"]] == list(range(8, 14))
    reader.close()


def test_a_new_game_is_returned_from_its_beginning(ledger_path: Path) -> None:
    reader = AccountsReader(ledger_path)
    reader.changes()
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
        ledger.new_game(BANKING)
    changes = reader.changes()
    assert changes
    assert (changes["game"], changes["after"]) == (2, 0)
    assert [posting["id"] for posting in changes["postings"]] == list(range(8, 14))
    assert (changes["moves"], changes["chart"]) == (0, "")
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(1, BANK, 5_000_000, Purpose.ENTRY)
    changes = reader.changes()
    assert changes
    assert ticks(changes)[-1] == "15M", "the last game's peak is reset"
    reader.close()


def test_ticks_reach_the_highest_balance(ledger_path: Path) -> None:
    reader = AccountsReader(ledger_path)
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
        ledger.move(1, BANK, 20_000_000, Purpose.ENTRY)
    changes = reader.changes()
    assert changes
    assert ticks(changes) == ["0", "10M", "20M", "30M"]
    reader.close()


def test_a_foreign_card_has_no_stock_number(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, BANKING).know([b"\x04\x01\x02\x03"])
    reader = AccountsReader(path)
    changes = reader.changes()
    assert changes
    [account] = changes["accounts"]
    assert (account["number"], account["card"], account["written"]) == (1, None, "15M")
    reader.close()


def test_a_bankrupt_card_is_out_until_the_bankruptcy_is_undone(ledger_path: Path) -> None:
    """F5."""
    reader = AccountsReader(ledger_path)
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        everything = ledger.move(2, 1, 15_000_000, Purpose.BANKRUPTCY)
    changes = reader.changes()
    assert changes
    assert changes["winners"] == (1,)
    assert [account["number"] for account in changes["accounts"] if account["out"]] == [2]
    assert changes["postings"][-1]["purpose"] == "bankruptcy"
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).reverse(everything)
    changes = reader.changes()
    assert changes
    assert not any(account["out"] for account in changes["accounts"])
    assert changes["winners"] == ()
    reader.close()


def test_the_pot_appears_with_its_first_posting(ledger_path: Path) -> None:
    """F23, D22: it has no card, does not count for the chart, and stays when it is empty."""
    reader = AccountsReader(ledger_path)
    changes = reader.changes()
    assert changes
    assert changes["pot"] is None
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        for card in (1, 2, 3):
            ledger.move(card, POT, 10_000_000, Purpose.TAX)
    changes = reader.changes()
    assert changes
    assert changes["pot"] == {"balance": 30_000_000, "written": "30M"}
    assert changes["bank"]["written"] == "-90M"
    assert [account["number"] for account in changes["accounts"]] == [1, 2, 3, 4, 5, 6]
    assert ticks(changes)[-1] == "15M", "the pot does not count"
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(POT, 1, 30_000_000, Purpose.POT)
    changes = reader.changes()
    assert changes
    assert changes["pot"] == {"balance": 0, "written": "0"}
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).new_game(BANKING)
    changes = reader.changes()
    assert changes
    assert changes["pot"] is None
    reader.close()


def test_a_resumed_game_is_returned_whole_and_continues(ledger_path: Path) -> None:
    """F20: the ids of its postings have gaps, where the other game's are."""
    reader = AccountsReader(ledger_path)
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
    first = reader.changes()
    assert first
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.new_game(BANKING)
        ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    second = reader.changes()
    assert second
    assert (second["game"], second["after"]) == (2, 0)
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).go_back()
    again = reader.changes()
    assert again
    assert again == first, "the game is as it was left"
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(2, 3, 2_000_000, Purpose.ENTRY)
    changes = reader.changes()
    assert changes
    assert [posting["id"] for posting in changes["postings"]] == [15]
    assert changes["after"] == first["postings"][-1]["id"]
    assert ticks(changes) == ["0", "10M", "20M", "30M"]
    assert changes["accounts"][1]["written"] == "13M"
    reader.close()


def test_a_game_left_and_resumed_between_two_calls_continues(ledger_path: Path) -> None:
    """In between, a new page got the other game."""
    reader = AccountsReader(ledger_path)
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
    first = reader.changes()
    assert first
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).new_game(BANKING)
    assert reader.whole()
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.go_back()
        ledger.move(2, 3, 2_000_000, Purpose.ENTRY)
    changes = reader.changes()
    assert changes
    assert (changes["game"], changes["after"]) == (1, first["postings"][-1]["id"])
    assert [posting["id"] for posting in changes["postings"]] == [14]
    assert ticks(changes)[-1] == "30M"
    reader.close()


def test_writes_that_move_no_money_are_not_changes(ledger_path: Path) -> None:
    """F22, V1: a played minute, the volume."""
    reader = AccountsReader(ledger_path)
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=90)
    assert reader.changes()
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.keep_time(60_000)
        ledger.set_volume(1)
    assert reader.changes() is None
    reader.close()


def test_the_final_count(ledger_path: Path) -> None:
    """F16, F17: worths, who is missing, the winner. A late rent changes two worths."""
    reader = AccountsReader(ledger_path)

    def state() -> tuple[list[str | None], list[int], tuple[int, ...]]:
        changes = reader.changes()
        assert changes
        accounts = changes["accounts"]
        missing = [account["number"] for account in accounts if account["missing"]]
        return [account["worth"] for account in accounts[:4]], missing, changes["winners"]

    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
        ledger.move(3, 1, 15_000_000, Purpose.BANKRUPTCY)
    assert state() == ([None] * 4, [], ())
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.open_count(present=1)
        ledger.count(1, 5_000_000)
    assert state() == (["34M", None, None, None], [2], ())
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).count_in(2)
    assert state() == (["34M", "16M", None, None], [], (1,))
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.leave_count()
        ledger.move(1, 2, 2_000_000, Purpose.ENTRY)
        ledger.move(4, BANK, 1_000_000, Purpose.ENTRY)
    assert state() == (["32M", "18M", None, None], [], ()), "card 4 plays; the count is closed"
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(2, 1, 18_000_000, Purpose.BANKRUPTCY)
    assert state()[0] == ["50M", None, None, None], "a bankrupt player has no worth"
    reader.close()


def test_names(ledger_path: Path) -> None:
    """N6: with the last posting of the card that had the number before."""
    reader = AccountsReader(ledger_path)
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.name(1, "Ana")
        ledger.name(2, "Ben")
    assert names(reader) == [("Ana", 0), ("Ben", 0), ("", 0)]
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.forget(2)
        ledger.admit(b"\x09" * 4)
        ledger.name(2, "Eva")
    assert names(reader) == [("Ana", 0), ("Eva", 7), ("", 0)]
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).name(1, "")
    assert names(reader)[0] == ("", 0)
    reader.close()


def names(reader: AccountsReader) -> list[tuple[str, int]]:
    changes = reader.changes()
    assert changes
    return [(account["name"], account["after"]) for account in changes["accounts"][:3]]


def test_the_edition_is_the_current_games(ledger_path: Path) -> None:
    """F18, F20: also after going back to an older game."""
    reader = AccountsReader(ledger_path)
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
        ledger.new_game(editions.load("europe"))
    changes = reader.changes()
    assert changes
    assert reader.edition.name == "europe"
    assert changes["accounts"][0]["written"] == "1500"
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING).go_back()
    assert reader.changes()
    assert reader.edition.name == "banking"
    reader.close()


def test_a_replaced_file_is_noticed(ledger_path: Path) -> None:
    reader = AccountsReader(ledger_path)
    assert not reader.replaced
    ledger_path.rename(ledger_path.with_name("old.db"))
    assert reader.replaced
    with opened_by_box(ledger_path) as store:
        Ledger(store, BANKING)
    assert reader.replaced
    reader.close()


def test_a_missing_ledger_cannot_be_opened(tmp_path: Path) -> None:
    assert opened(tmp_path / "none.db") is None


def test_the_chart_is_that_of_the_report(ledger_path: Path) -> None:
    with opened_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(1, 2, 5_000_000, Purpose.ENTRY)
        ledger.reverse(ledger.move(2, 3, 1_000_000, Purpose.ENTRY))
    reader = AccountsReader(ledger_path)
    changes = reader.changes()
    assert changes
    assert changes["moves"] == 1, "what is taken back at once is not drawn"
    assert re.findall(r'class="line" data-colour="(\d)"', changes["chart"]) == ["1", "2", "3"]
    reader.close()
