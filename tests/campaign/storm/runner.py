"""Play many evenings: assign seeds to worker processes and add up their results.

An evening depends only on its seed and board, not on the worker that plays it or when.
"""

import logging
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from firmware.user_error import UserError
from tests.campaign.storm.evening import Evening, Failure, Plan, Score
from tests.campaign.storm.fault_schedule import FaultKind
from tests.campaign.storm.shrink import Shrunk, shrink
from tests.campaign.storm.table import Board

NO_SCORE = Score(0, (), 0, Counter())
EXIT_TIMEOUT = 10.0
"""Seconds that a worker gets to exit."""
REPORT_EVERY = 0.5
"""Seconds between two reports of a worker."""
VIRTUAL_EVERY = 30
"""One seed in this many is played on the virtual board."""
CONSOLE_EVERY = 20
"""One seed in this many is played over a console."""
SLOWDOWN = 3
"""Both boards are slow; their evenings are shorter by this factor."""


class Job(NamedTuple):
    """An evening for a worker to play, and its deadline."""

    plan: Plan
    until: float
    """By the monotonic clock, which all processes share."""
    shrink_timeout: float
    """Seconds for shrinking a failure."""


class Report(NamedTuple):
    """A worker's message: the progress or the result of an evening."""

    plan: Plan
    score: Score = NO_SCORE
    done: bool = False
    failure: Failure | None = None
    shrunk: Shrunk | None = None
    note: str = ""
    error: UserError | None = None
    """Why the evening cannot be played at all."""


class Totals:
    """The results of all evenings so far."""

    def __init__(self) -> None:
        self.finished: dict[Plan, Score] = {}
        self.running: dict[Plan, Score] = {}
        self.failures: list[tuple[Failure, Shrunk]] = []
        self.note = ""

    def add(self, report: Report) -> None:
        self.note = report.note
        if not report.done:
            self.running[report.plan] = report.score
            return
        self.running.pop(report.plan, None)
        self.finished[report.plan] = report.score
        if report.failure and report.shrunk:
            self.failures.append((report.failure, report.shrunk))

    @property
    def played(self) -> dict[Plan, Score]:
        """Including unfinished evenings."""
        return self.finished | self.running

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
    def faults(self) -> Counter[FaultKind]:
        total = Counter[FaultKind]()
        for score in self.scores:
            total.update(score.faults)
        return total

    @property
    def moves_by_hour(self) -> list[int]:
        """For all whole hours of all evenings; last hours are left out."""
        return [moves for score in self.scores for moves in score.moves_by_hour[:-1]]


Send = Callable[[Report], None]


def play_evening(job: Job, send: Send) -> None:
    """Play one evening and report progress."""
    with _logging_disabled():
        _play_evening(job, send)


@contextmanager
def _logging_disabled() -> Iterator[None]:
    """Faults are expected here, so their log lines are noise."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


def _play_evening(job: Job, send: Send) -> None:
    plan = job.plan
    evening = Evening(plan)
    sent_at = time.monotonic()

    def keep_going() -> bool:
        nonlocal sent_at
        now = time.monotonic()
        if now - sent_at > REPORT_EVERY:
            sent_at = now
            send(Report(plan, evening.score))
        return now < job.until

    failure = evening.play(keep_going)
    score = evening.score
    if failure is None:
        send(Report(plan, score, done=True))
        return
    shrunk = shrink(failure, lambda note: send(Report(plan, score, note=note)), job.shrink_timeout)
    send(Report(plan, score, True, failure, shrunk))


def run_here(jobs: Iterator[Job], send: Send) -> None:
    """Play the evenings one after the other in this process."""
    for job in jobs:
        play_evening(job, send)


class Worker:
    """A process that plays evenings; it exits when its pipe is closed."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child_end = context.Pipe()
        self._process = context.Process(target=_worker_main, args=(child_end,), daemon=True)
        self._process.start()
        child_end.close()
        self._plan: Plan | None = None

    def assign(self, job: Job | None) -> bool:
        """Send a job, or None to stop. True if there was a job."""
        self._plan = job.plan if job else None
        self.pipe.send(job)
        return job is not None

    def report(self) -> Report:
        assert self._plan, "no job was assigned"
        try:
            report: Report = self.pipe.recv()
        except EOFError:
            seed, board = self._plan.seed, self._plan.board.value
            raise UserError(
                f"the worker process ended while playing seed {seed} on board {board}"
            ) from None
        if report.error:
            raise report.error
        return report

    def end(self) -> None:
        """Close the pipe; a running evening stops and removes its folder."""
        self.pipe.close()
        self._process.join(EXIT_TIMEOUT)


def run_on_all_cores(jobs: Iterator[Job], send: Send) -> None:
    """Play as many evenings in parallel as there are cores."""
    workers = [Worker() for _ in range(os.cpu_count() or 1)]
    try:
        busy = {worker.pipe: worker for worker in workers if worker.assign(next(jobs, None))}
        while busy:
            for pipe in wait(list(busy)):
                assert isinstance(pipe, Connection)
                report = busy[pipe].report()
                send(report)
                if report.done and not busy[pipe].assign(next(jobs, None)):
                    del busy[pipe]
    finally:
        for worker in workers:
            worker.end()


def _worker_main(pipe: Connection) -> None:
    # Ctrl-C reaches all processes; the parent closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while (job := pipe.recv()) is not None:
            try:
                play_evening(job, pipe.send)
            except UserError as error:
                pipe.send(Report(job.plan, done=True, error=error))


def plans(seed: int, hours: float, board: Board | None, evenings: int | None) -> Iterator[Plan]:
    """The evenings from a seed on; on all boards if none is given."""
    seeds = count(seed) if evenings is None else range(seed, seed + evenings)
    for current_seed in seeds:
        if board is not None:
            yield Plan(current_seed, hours, board)
        elif current_seed % VIRTUAL_EVERY == 0:
            yield Plan(current_seed, hours / SLOWDOWN, Board.VIRTUAL)
        elif current_seed % CONSOLE_EVERY == CONSOLE_EVERY // 2:
            yield Plan(current_seed, hours / SLOWDOWN, Board.CONSOLE)
        else:
            yield Plan(current_seed, hours, Board.SOFTWARE)
