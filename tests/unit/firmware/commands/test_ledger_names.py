"""The names of cards in ``tellerbox ledger`` (N6)."""

import json
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.cli import main
from firmware.storage.ledger_file import opened_by_box

BANKING = editions.load("banking")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Card 2 was Ben's; it was forgotten, and another card, Eva's, has that number."""
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know([b"\x01" * 4, b"\x02" * 4], {1: "Ana", 2: "Ben"})
        ledger.move(1, 2, 3_000_000, Purpose.ENTRY)
        ledger.forget(2)
        ledger.admit(b"\x09" * 4)
        ledger.name(2, "Eva")
        ledger.move(2, 1, 1_000_000, Purpose.RENT)
    return path


def lines(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["ledger", *words, "--ledger", str(path)]) == 0
    return capsys.readouterr().out.splitlines()


def test_accounts(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(path, capsys, "accounts")[:4] == [
        "account       balance  in full",
        "card 1 (Ana)  13M      13 000 000",
        "card 2 (Eva)  14M      14 000 000",
        "bank          -27M     -27 000 000",
    ]


def test_history_names_a_card_only_while_it_has_the_number(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moves = [line for line in lines(path, capsys, "history") if line.endswith(("entry", "rent"))]
    assert "card 1 (Ana)  card 2        3M" in moves[0]
    assert "card 2 (Eva)  card 1 (Ana)  1M" in moves[1]


def test_json_has_numbers_only(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads("\n".join(lines(path, capsys, "history", "--json")))
    assert (found[-1]["payer"], found[-1]["payee"]) == (2, 1)
    assert "Eva" not in "\n".join(lines(path, capsys, "history", "--csv"))
