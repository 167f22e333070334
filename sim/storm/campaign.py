"""Many evenings: hands seeds to this machine's cores, and adds up what they tell.

Each evening is one seed on one board and depends on nothing else: whichever core plays it when,
it is the same. Only how many of them fit is a matter of time.
"""

import logging
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from sim.storm.evening import Evening, Failure, Plan, Score
from sim.storm.shrink import Shrunk, shrink
from sim.storm.table import Board
from sim.storm.weather import Kind

TELL_EVERY = 0.5
"""Seconds between two messages of a core."""
CHIPS_EVERY = 30
"""Of so many seeds one is played on the virtual board."""
CONSOLE_EVERY = 20
"""Of so many seeds one is played over a console."""
SLOWER = 3
"""Both take many times as long: an evening there has so many times fewer hours."""


class Order(NamedTuple):
    """What a core is to play, and until when at the latest."""

    plan: Plan
    until: float
    """By the clock that all processes share."""
    patience: float
    """Seconds for shrinking a failure."""


class News(NamedTuple):
    """What a core tells: how far an evening is, or what came of it."""

    plan: Plan
    score: Score
    done: bool = False
    failure: Failure | None = None
    shrunk: Shrunk | None = None
    note: str = ""


class Tally:
    """All evenings so far."""

    def __init__(self) -> None:
        self.finished: dict[Plan, Score] = {}
        self.going_on: dict[Plan, Score] = {}
        self.failures: list[tuple[Failure, Shrunk]] = []
        self.note = ""

    def take_in(self, news: News) -> None:
        self.note = news.note
        if not news.done:
            self.going_on[news.plan] = news.score
            return
        self.going_on.pop(news.plan, None)
        self.finished[news.plan] = news.score
        if news.failure and news.shrunk:
            self.failures.append((news.failure, news.shrunk))

    @property
    def scores(self) -> list[Score]:
        return [*self.finished.values(), *self.going_on.values()]

    @property
    def hours(self) -> float:
        return sum(score.hours for score in self.scores)

    @property
    def moves(self) -> int:
        return sum(score.moves for score in self.scores)

    @property
    def faults(self) -> Counter[Kind]:
        total = Counter[Kind]()
        for score in self.scores:
            total.update(score.faults)
        return total

    @property
    def idlest_hour(self) -> int | None:
        """The fewest moves in a whole hour of any evening."""
        whole = [moves for score in self.scores for moves in score.moves_by_hour[:-1]]
        return min(whole, default=None)


Tell = Callable[[News], None]


def play_evening(order: Order, tell: Tell) -> None:
    """One evening, with news now and then."""
    logging.disable()  # a dead reader is no news here
    plan = order.plan
    evening = Evening(plan)
    told = time.monotonic()

    def goes_on() -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told > TELL_EVERY:
            told = now
            tell(News(plan, evening.score))
        return now < order.until

    failure = evening.play(goes_on)
    score = evening.score
    if failure is None:
        tell(News(plan, score, done=True))
        return
    shrunk = shrink(failure, lambda note: tell(News(plan, score, note=note)), order.patience)
    tell(News(plan, score, True, failure, shrunk))


def on_this_core(orders: Iterator[Order], tell: Tell) -> None:
    """One evening after the other."""
    for order in orders:
        play_evening(order, tell)


def on_all_cores(orders: Iterator[Order], tell: Tell) -> None:
    """As many evenings at a time as there are cores."""
    fresh = multiprocessing.get_context("spawn")
    busy: list[Connection] = []
    for _ in range(os.cpu_count() or 1):
        ours, theirs = fresh.Pipe()
        fresh.Process(target=_work, args=(theirs,), daemon=True).start()
        theirs.close()
        if _hand_out(ours, orders):
            busy.append(ours)
    while busy:
        for core in wait(busy):
            assert isinstance(core, Connection)
            news: News = core.recv()
            tell(news)
            if news.done and not _hand_out(core, orders):
                busy.remove(core)


def _hand_out(core: Connection, orders: Iterator[Order]) -> bool:
    order = next(orders, None)
    core.send(order)
    return order is not None


def _work(line: Connection) -> None:
    try:
        while (order := line.recv()) is not None:
            play_evening(order, line.send)
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        return


def plans(seed: int, hours: float, board: Board | None, evenings: int | None) -> Iterator[Plan]:
    """From a seed on; on all boards, where none is named."""
    seeds = count(seed) if evenings is None else range(seed, seed + evenings)
    for one in seeds:
        if board is not None:
            yield Plan(one, hours, board)
        elif one % CHIPS_EVERY == 0:
            yield Plan(one, hours / SLOWER, Board.VIRTUAL)
        elif one % CONSOLE_EVERY == CONSOLE_EVERY // 2:
            yield Plan(one, hours / SLOWER, Board.CONSOLE)
        else:
            yield Plan(one, hours, Board.SIM)
