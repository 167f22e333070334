"""Writes long ledgers quickly, without a box.

Each move is made by the firmware's ledger and stored by its store, one commit per move, as the box
does it.
"""

from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, Kind
from tests.campaign.years.players import RECENT

MAX_MINUTES = 999
"""Minutes of a game against the clock."""


class LedgerInterface:
    """Implements BankInterface on a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._moves = ledger.moves[RECENT::-1]
        """The newest moves, the newest last."""

    def salary(self, card: int) -> None:
        self._move(BANK, card, self._ledger.edition.salary, Purpose.SALARY)

    def fine(self, card: int) -> None:
        self._move(card, BANK, self._ledger.edition.jail_fine, Purpose.FINE)

    def pay(self, payer: int, payee: int, thousands: int) -> None:
        self._move(payer, payee, thousands * 1_000, Purpose.ENTRY)

    def _move(self, payer: int, payee: int, amount: int, purpose: Purpose) -> None:
        self._moves.append(self._ledger.move(payer, payee, amount, purpose))
        del self._moves[: -2 * RECENT]

    def take_back(self) -> None:
        self._ledger.reverse(self._moves.pop())

    def take_back_older(self, moves_back: int) -> None:
        self._ledger.reverse(self._moves.pop(-1 - moves_back))

    def end_turn(self) -> None: ...

    def pause(self) -> None: ...

    def new_game(self) -> None:
        self._ledger.next_game(self._ledger.edition)

    def clock_game(self) -> None:
        self._ledger.choose_kind(Kind.CLOCK, MAX_MINUTES)
        self.new_game()
        self._ledger.keep_time(3 * 60 * 60 * 1_000)

    def go_back(self) -> None:
        self._ledger.go_back()

    def forget(self, card: int) -> None:
        self._ledger.forget(card)

    def add_card(self, card: int, uid: bytes) -> None:
        admission = self._ledger.admit(uid)
        number = admission.number if admission else None
        assert number == card, f"the new card became card {number}, not {card}"

    def change_volume(self) -> None:
        self._ledger.set_volume((self._ledger.state.volume + 1) % 4)
