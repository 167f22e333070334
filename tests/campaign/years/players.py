"""Simulated players of a long year: what they do in an evening, and their own balances.

The balances are kept independently, for comparison with the bank's. On average the players spend
what they are paid, and never more than they have, so a game can last for a year. All randomness
comes from a seed.
"""

import random
from collections import deque
from typing import NamedTuple, Protocol

BANK = 0
MOVES = 600
PLAYERS = 6
OPENING = 15_000_000
SALARY = 2_000_000
FINE = 500_000
MAX_THOUSANDS = 3_999
"""In thousands: purchases and rents average a salary."""

SLEEPS_EVERY = 20
RECENT = 6
"""How many moves back a mistake may be found."""


class Transfer(NamedTuple):
    """A move that was not taken back."""

    payer: int
    payee: int
    amount: int


class BankInterface(Protocol):
    """What the players do to a bank, through a box or its ledger. No request is refused."""

    def salary(self, card: int) -> None: ...

    def fine(self, card: int) -> None: ...

    def pay(self, payer: int, payee: int, thousands: int) -> None: ...

    def take_back(self) -> None:
        """Take back the last move, while its cards are in."""
        ...

    def take_back_older(self, moves_back: int) -> None:
        """Take back a move by HISTORY; 0 is the newest."""
        ...

    def end_turn(self) -> None:
        """Remove the cards and let time pass until the next move."""
        ...

    def pause(self) -> None:
        """Wait until the box sleeps."""
        ...

    def new_game(self) -> None: ...

    def clock_game(self) -> None:
        """Start a new game against the clock."""
        ...

    def go_back(self) -> None:
        """Go back to the game before a new one."""
        ...

    def forget(self, card: int) -> None: ...

    def add_card(self, card: int, uid: bytes) -> None:
        """Insert an unknown card, which must get this number."""
        ...

    def change_volume(self) -> None: ...


class Players:
    """Six players who meet every evening."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.evenings = 0
        self.moves = 0
        self.balances: dict[int, int] = {}
        """The balance of each card, kept by the players."""
        self._recent: deque[Transfer] = deque(maxlen=RECENT)

    def join(self, bank: BankInterface) -> None:
        """Introduce all cards to a new box."""
        for card in range(1, PLAYERS + 1):
            self._add_card(bank, card)

    def begin_evening(self, bank: BankInterface) -> None:
        """Begin an evening; sometimes a card was lost, the volume changes, or a game starts by
        mistake.
        """
        self.evenings += 1
        if self.evenings % 10 == 0:
            lost = self._rng.choice(list(self.balances))
            self._forget(bank, lost)
            self._add_card(bank, lost)
        if self.evenings % 7 == 0:
            bank.change_volume()
        if self.evenings % 20 == 0:
            bank.new_game()
            bank.go_back()

    def play(self, bank: BankInterface, moves: int = MOVES) -> None:
        """Play this many moves, and reversals of some."""
        for turn in range(moves):
            self._turn(bank)
            if turn % SLEEPS_EVERY == 0:
                bank.pause()

    def start_game(self, bank: BankInterface) -> None:
        """Start a new game, sometimes against the clock."""
        if self.evenings % 5 == 4:
            bank.clock_game()
        else:
            bank.new_game()
        self.set_balances(dict.fromkeys(self.balances, OPENING))

    def set_balances(self, balances: dict[int, int]) -> None:
        """Switch to a game with these balances."""
        self.balances = balances
        self._recent.clear()

    def _add_card(self, bank: BankInterface, card: int) -> None:
        bank.add_card(card, self._rng.randbytes(3).hex().encode() + bytes([card]))
        self.balances[card] = OPENING

    def _forget(self, bank: BankInterface, card: int) -> None:
        bank.forget(card)
        del self.balances[card]
        self._recent.clear()

    def _turn(self, bank: BankInterface) -> None:
        """Make one move; some are taken back at once or later."""
        payee, payer = self._rng.sample(sorted(self.balances), 2)
        thousands = self._rng.randint(10, MAX_THOUSANDS)
        chance = self._rng.random()
        too_expensive = self.balances[payer] < thousands * 1_000 + FINE
        if too_expensive or chance < 0.33:
            bank.salary(payer)
            transfer = Transfer(BANK, payer, SALARY)
        elif chance < 0.37:
            bank.fine(payer)
            transfer = Transfer(payer, BANK, FINE)
        else:
            receiver = payee if chance < 0.66 else BANK
            bank.pay(payer, receiver, thousands)
            transfer = Transfer(payer, receiver, thousands * 1_000)
        self._apply(transfer)
        self._recent.append(transfer)
        if self._rng.random() < 0.05:
            bank.take_back()
            self._revert(self._recent.pop())
        bank.end_turn()
        if self._rng.random() < 0.01:
            self._undo_older(bank)

    def _undo_older(self, bank: BankInterface) -> None:
        """Take back an older move, if the payee can still pay."""
        back = self._rng.randrange(RECENT)
        if back >= len(self._recent):
            return
        wrong = self._recent[-1 - back]
        if wrong.payee == BANK or self.balances[wrong.payee] >= wrong.amount:
            bank.take_back_older(back)
            del self._recent[-1 - back]
            self._revert(wrong)

    def _revert(self, transfer: Transfer) -> None:
        self._apply(Transfer(transfer.payee, transfer.payer, transfer.amount))

    def _apply(self, transfer: Transfer) -> None:
        self.moves += 1
        for card, change in ((transfer.payer, -transfer.amount), (transfer.payee, transfer.amount)):
            if card != BANK:
                self.balances[card] += change
