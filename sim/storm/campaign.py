"""Many evenings: hands seeds to this machine's cores, and adds up what they tell.

Each evening is one seed on one board and depends on nothing else: whichever core plays it when,
it is the same. Only how many of them fit is a matter of time.
"""

import logging
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from firmware.mistake import Mistake
from sim.storm.evening import Evening, Failure, Plan, Score
from sim.storm.shrink import Shrunk, shrink
from sim.storm.table import Board
from sim.storm.weather import Kind

NOTHING_YET = Score(0, (), 0, Counter())
TO_PUT_AWAY = 10.0
"""Seconds that a core gets to end."""
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
    score: Score = NOTHING_YET
    done: bool = False
    failure: Failure | None = None
    shrunk: Shrunk | None = None
    note: str = ""
    mistake: Mistake | None = None
    """Why it cannot be played at all."""


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
    def played(self) -> dict[Plan, Score]:
        """Those that were broken off, too."""
        return self.finished | self.going_on

    @property
    def scores(self) -> list[Score]:
        return list(self.played.values())

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
    def moves_by_hour(self) -> list[int]:
        """Of all evenings, their last hours aside, which may not be whole."""
        return [moves for score in self.scores for moves in score.moves_by_hour[:-1]]


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


class Core:
    """A process that plays one evening after the other; it ends when nobody listens any more."""

    def __init__(self) -> None:
        fresh = multiprocessing.get_context("spawn")
        self.line, theirs = fresh.Pipe()
        self._process = fresh.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._plan: Plan | None = None

    def take(self, order: Order | None) -> bool:
        """Play this; False when there is nothing more to play."""
        self._plan = order.plan if order else None
        self.line.send(order)
        return order is not None

    def news(self) -> News:
        assert self._plan, "nobody has asked for anything"
        try:
            news: News = self.line.recv()
        except EOFError:
            seed, board = self._plan.seed, self._plan.board.value
            raise Mistake(
                f"seed {seed} on board {board} ended the process that played it"
            ) from None
        if news.mistake:
            raise news.mistake
        return news

    def end(self) -> None:
        """An evening that goes on is broken off, and puts its folder away."""
        self.line.close()
        self._process.join(TO_PUT_AWAY)


def on_all_cores(orders: Iterator[Order], tell: Tell) -> None:
    """As many evenings at a time as there are cores."""
    cores = [Core() for _ in range(os.cpu_count() or 1)]
    try:
        busy = {core.line: core for core in cores if core.take(next(orders, None))}
        while busy:
            for line in wait(list(busy)):
                assert isinstance(line, Connection)
                news = busy[line].news()
                tell(news)
                if news.done and not busy[line].take(next(orders, None)):
                    del busy[line]
    finally:
        for core in cores:
            core.end()


def _work(line: Connection) -> None:
    # Who presses Ctrl-C means all; the one who listens here sees to it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while (order := line.recv()) is not None:
            try:
                play_evening(order, line.send)
            except Mistake as mistake:
                line.send(News(order.plan, done=True, mistake=mistake))


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
