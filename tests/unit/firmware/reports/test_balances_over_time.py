"""Balances posting by posting: what the report says, in a bounded size."""

import random

import pytest

from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, UNDO_LIMIT, Posting
from firmware.reports.balances_over_time import MAX_STRETCHES, Balance, BalancesOverTime
from firmware.reports.report import Report
from tests.unit.firmware.reports.played_games import Table

CARDS = 4


def played(moves: int, seed: int) -> Report:
    """The report of a random game; many moves are taken back, some of them at once."""
    rng = random.Random(seed)
    table = Table(CARDS)
    for _ in range(moves):
        payer, payee = rng.sample(range(CARDS + 1), 2)
        chance = rng.random()
        if chance < 0.3 and table.ledger.moves:
            undone = rng.choice(table.ledger.moves[:3])
            if table.ledger.refusal(undone.payee, undone.payer, undone.amount) is None:
                table.ledger.reverse(undone)
        elif chance < 0.33:
            card = rng.choice(list(table.ledger.cards))
            forgotten = table.ledger.forget(card)
            if rng.random() < 0.5:
                table.ledger.restore(forgotten)
            else:
                table.ledger.admit(rng.randbytes(4))
        elif table.ledger.refusal(payer, payee, 1_000_000) is None:
            table.pay(payer, payee, 1)
    return table.report()


def added(report: Report) -> BalancesOverTime:
    balances = BalancesOverTime()
    for posting, _ in report.postings:
        balances.add(posting)
    return balances


def without_repetitions(line: list[Balance]) -> list[Balance]:
    return [
        balance
        for before, balance in zip([None, *line], line, strict=False)
        if before is None or before.amount != balance.amount
    ]


@pytest.mark.parametrize("seed", range(5))
def test_a_short_game_is_kept_as_it_is(seed: int) -> None:
    report = played(300, seed)
    balances = added(report)
    assert balances.moves == report.steps
    lines = {number: without_repetitions(line) for number, line in balances.lines().items()}
    assert {number: lines[number] for number in report.lines} == report.lines


def test_a_long_game_keeps_its_extremes_and_its_end() -> None:
    report = played(1_500, seed=1)
    assert report.steps > 2 * MAX_STRETCHES
    balances = added(report)
    assert balances.moves == report.steps
    for number, exact in report.curves:
        line = balances.lines()[number]
        assert all(exact[move] == amount for move, amount in line)
        amounts, known = (
            [amount for _, amount in line],
            [held for held in exact if held is not None],
        )
        assert (min(amounts), max(amounts), amounts[-1]) == (min(known), max(known), known[-1])
        assert len(line) <= 3 * MAX_STRETCHES + UNDO_LIMIT


def test_all_moves_that_can_be_taken_back_leave_nothing() -> None:
    balances = BalancesOverTime()
    moves = [Posting(n, 1, BANK, 1, 1_000, Purpose.ENTRY) for n in range(1, 2 * UNDO_LIMIT + 1)]
    for move in moves:
        balances.add(move)
    for number, move in enumerate(reversed(moves[-UNDO_LIMIT:]), start=len(moves) + 1):
        balances.add(Posting(number, 1, 1, BANK, 1_000, Purpose.REVERSAL, move.id))
    assert balances.moves == UNDO_LIMIT
    assert balances.lines()[1][-1] == Balance(UNDO_LIMIT, 1_000 * UNDO_LIMIT)
