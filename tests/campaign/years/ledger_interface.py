"""The shortest way to a long ledger: what the people do, written with the bank's own pen.

No keys, no cards and no time; but each move is made by the firmware's ledger and stored by
its store, one commit a move, as the box does it.
"""

from firmware.ledger import Ledger
from firmware.records import BANK, Kind, Purpose
from tests.long.people import REMEMBERED

LONG = 999
"""Minutes of a game against the clock."""


class Pen:
    """A counter without a box."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._standing = ledger.moves[REMEMBERED::-1]
        """The newest moves, the newest last."""

    def salary(self, card: int) -> None:
        self._move(BANK, card, self._ledger.edition.salary, Purpose.SALARY)

    def fine(self, card: int) -> None:
        self._move(card, BANK, self._ledger.edition.jail_fine, Purpose.FINE)

    def pay(self, payer: int, payee: int, thousands: int) -> None:
        self._move(payer, payee, thousands * 1_000, Purpose.ENTRY)

    def _move(self, payer: int, payee: int, amount: int, purpose: Purpose) -> None:
        for card in (payer, payee):
            if card != BANK:
                self._ledger.join(card)
        self._standing.append(self._ledger.move(payer, payee, amount, purpose))
        del self._standing[: -2 * REMEMBERED]

    def take_back(self) -> None:
        self._ledger.reverse(self._standing.pop())

    def take_back_older(self, moves_back: int) -> None:
        self._ledger.reverse(self._standing.pop(-1 - moves_back))

    def turn_over(self) -> None:
        """Nobody waits."""

    def pause(self) -> None:
        """Nobody sleeps."""

    def new_game(self) -> None:
        self._ledger.next_game(self._ledger.edition)

    def clock_game(self) -> None:
        self._ledger.choose_kind(Kind.CLOCK, LONG)
        self.new_game()
        self._ledger.keep_time(3 * 60 * 60 * 1_000)

    def go_back(self) -> None:
        self._ledger.go_back()

    def forget(self, card: int) -> None:
        self._ledger.forget(card)

    def bring(self, card: int, uid: bytes) -> None:
        admission = self._ledger.admit(uid)
        number = admission.number if admission else None
        assert number == card, f"the new card did not become card {card} but {number}"

    def louder(self) -> None:
        self._ledger.set_volume((self._ledger.volume + 1) % 4)
