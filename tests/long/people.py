"""The people of a long year at the table: what they do in an evening, and what they know of it.

They keep their own tally of who has what, as players do with paper money, so whoever lets
them play can compare it with the bank's. What they spend is on the average what they are
paid, and nobody spends what he does not have: such a game can go on for a year. Everything
comes from the dice.
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
DEAREST = 3_999
"""In thousands: what they buy and rent for comes to a salary on the average."""

SLEEPS_EVERY = 20
REMEMBERED = 6
"""How many moves back somebody finds out that one was wrong."""


class Made(NamedTuple):
    """A move that stands."""

    payer: int
    payee: int
    amount: int


class Counter(Protocol):
    """Where they bring their money: a box, or its ledger. Nothing that is asked is refused."""

    def salary(self, card: int) -> None: ...

    def fine(self, card: int) -> None: ...

    def pay(self, payer: int, payee: int, thousands: int) -> None: ...

    def take_back(self) -> None:
        """The move that was made last, while its cards are still in."""
        ...

    def take_back_older(self, moves_back: int) -> None:
        """By HISTORY: 0 is the newest that stands."""
        ...

    def turn_over(self) -> None:
        """The move is done, the cards are out, and the next throw of the dice takes its time."""
        ...

    def pause(self) -> None:
        """So long that the box sleeps."""
        ...

    def new_game(self) -> None: ...

    def clock_game(self) -> None:
        """A new game, against the clock."""
        ...

    def go_back(self) -> None:
        """A new game was begun by mistake."""
        ...

    def forget(self, card: int) -> None: ...

    def bring(self, card: int, uid: bytes) -> None:
        """A card that nobody has seen before; it gets that number."""
        ...

    def louder(self) -> None: ...


class People:
    """Six players, who meet every evening."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self.evenings = 0
        self.moves = 0
        self.held: dict[int, int] = {}
        """Card by card, what each player has by their own count."""
        self._recent: deque[Made] = deque(maxlen=REMEMBERED)

    def sit_down(self, counter: Counter) -> None:
        """For the first time, at a new box: it knows no card."""
        for card in range(1, PLAYERS + 1):
            self._bring(counter, card)

    def arrive(self, counter: Counter) -> None:
        """An evening begins: a card was lost at home, the box is too loud, C was held too long."""
        self.evenings += 1
        if self.evenings % 10 == 0:
            lost = self._dice.choice(list(self.held))
            self._forget(counter, lost)
            self._bring(counter, lost)
        if self.evenings % 7 == 0:
            counter.louder()
        if self.evenings % 20 == 0:
            counter.new_game()
            counter.go_back()

    def play(self, counter: Counter, moves: int = MOVES) -> None:
        """So many moves, and those that were taken back again beside them."""
        for turn in range(moves):
            self._turn(counter)
            if turn % SLEEPS_EVERY == 0:
                counter.pause()

    def begin_again(self, counter: Counter) -> None:
        """A new game; now and then one against the clock."""
        if self.evenings % 5 == 4:
            counter.clock_game()
        else:
            counter.new_game()
        self.go_on_with(dict.fromkeys(self.held, OPENING))

    def go_on_with(self, held: dict[int, int]) -> None:
        """Another game is played, in which they have this much."""
        self.held = held
        self._recent.clear()

    def _bring(self, counter: Counter, card: int) -> None:
        counter.bring(card, self._dice.randbytes(3).hex().encode() + bytes([card]))
        self.held[card] = OPENING

    def _forget(self, counter: Counter, card: int) -> None:
        counter.forget(card)
        del self.held[card]
        self._recent.clear()

    def _turn(self, counter: Counter) -> None:
        """One move; of some of them somebody says at once, or later, that they were wrong."""
        payee, payer = self._dice.sample(sorted(self.held), 2)
        thousands = self._dice.randint(10, DEAREST)
        throw = self._dice.random()
        dear = self.held[payer] < thousands * 1_000 + FINE
        if dear or throw < 0.33:
            counter.salary(payer)
            made = Made(BANK, payer, SALARY)
        elif throw < 0.37:
            counter.fine(payer)
            made = Made(payer, BANK, FINE)
        else:
            to = payee if throw < 0.66 else BANK
            counter.pay(payer, to, thousands)
            made = Made(payer, to, thousands * 1_000)
        self._book(made)
        self._recent.append(made)
        if self._dice.random() < 0.05:
            counter.take_back()
            self._book_back(self._recent.pop())
        counter.turn_over()
        if self._dice.random() < 0.01:
            self._find_mistake(counter)

    def _find_mistake(self, counter: Counter) -> None:
        """A move of a while ago is taken back, if the payee still has what it moved."""
        back = self._dice.randrange(REMEMBERED)
        if back >= len(self._recent):
            return
        wrong = self._recent[-1 - back]
        if wrong.payee == BANK or self.held[wrong.payee] >= wrong.amount:
            counter.take_back_older(back)
            del self._recent[-1 - back]
            self._book_back(wrong)

    def _book_back(self, made: Made) -> None:
        self._book(Made(made.payee, made.payer, made.amount))

    def _book(self, made: Made) -> None:
        self.moves += 1
        for card, change in ((made.payer, -made.amount), (made.payee, made.amount)):
            if card != BANK:
                self.held[card] += change
