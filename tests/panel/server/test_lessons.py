"""The trainer behind the panel: tasks on a scratch ledger, while the game waits."""

from pathlib import Path
from typing import Any

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage import ledger_file
from firmware.storage.store import Store
from hal.events import Key, Slot
from sim.board.stock import STOCK
from sim.learn.task import all_tasks
from sim.panel import actions
from sim.panel.actions import BoxAction, PressKey, PutCard, ReleaseKey, TakeCard
from sim.panel.box.lesson_board import LessonBoard
from sim.panel.box.link import Link
from sim.panel.messages import BoxStart
from sim.panel.trainer import Trainer, set_up_actions
from sim.script.language import Hold, Insert, Playable, Press, Remove
from tests.panel.panels import HostedPanel
from tests.panel.server.page_connection import PageConnection, connect, run

Message = dict[str, Any]


def task(number: int) -> Message:
    return {"do": "learn", "task": number}


def press(key: str) -> tuple[Message, Message]:
    return {"do": "press", "key": key}, {"do": "release", "key": key}


def put(card: int, slot: str) -> Message:
    return {"do": "put", "card": card, "slot": slot}


async def begin(page: PageConnection, number: int) -> None:
    await page.send(task(number))
    await page.until(lambda: (page.last("lesson") or {}).get("number") == number)


async def until_said(page: PageConnection, outcome: str) -> Message:
    await page.until(lambda: (page.last("lesson") or {}).get("outcome") == outcome)
    lesson: Message = page.last("lesson")
    return lesson


class Solver:
    """Carries out the steps of a script at a page."""

    def __init__(self, page: PageConnection) -> None:
        self._page = page

    async def does(self, step: Playable) -> None:
        match step:
            case Insert(slot, uid):
                card = STOCK.index(uid) + 1
                await self._page.send(put(card, slot.value))
                await self._page.until(lambda: self._held(slot) == card)
            case Remove(slot):
                await self._page.send({"do": "take", "card": self._held(slot)})
                await self._page.until(lambda: self._held(slot) is None)
            case Press(keys):
                await self._page.press("".join(key.value for key in keys))
            case Hold(key):
                down, up = press(key.value)
                await self._page.send(down)
                await until_said(self._page, "done")
                await self._page.send(up)

    def _held(self, slot: Slot) -> int | None:
        card: int | None = self._page.last("table")[slot.value]
        return card


def test_the_model_solutions_lead_through_all_tasks(panel: HostedPanel) -> None:
    async def learn() -> None:
        async with connect(panel.url) as page:
            for number, each in enumerate(all_tasks(), start=1):
                await begin(page, number)
                for step in each.solution:
                    await Solver(page).does(step)
                lesson = await until_said(page, "done")
                assert (lesson["title"]["fr"], lesson["count"]) == (each.title.fr, 10)
            assert not [message for message in page.received if "refused" in message]

    run(learn())


def test_the_game_waits_and_comes_back(panel: HostedPanel) -> None:
    async def learn() -> None:
        async with connect(panel.url) as page:
            await page.send(put(1, "left"), *press("5"), *press("M"))
            await page.until_shows("20M")
            await page.until(lambda: page.last("ledger")["moves"] == 1)
            await begin(page, 3)
            assert (page.last("table")["left"], page.last("table")["right"]) == (1, 2)
            await page.until_shows("1M")
            await begin(page, 1)
            assert page.last("table")["left"] is None
            await page.until_shows("-----")
            await page.send(task(0))
            await page.until(lambda: page.last("lesson") is None)
            assert page.last("ledger")["accounts"][0]["written"] == "20M"
            await page.send(put(1, "left"))
            await page.until_shows("20M")
            await page.send(task(0))  # nothing to leave
            await page.receive_for(0.2)
            assert page.last("screen")["field"] == "20M"

    run(learn())
    with ledger_file.reading(panel.ledger) as connection:
        kept = Ledger(Store(connection), editions.load(editions.DEFAULT))
        assert [posting.amount for posting in kept.moves] == [5_000_000]


def test_it_says_what_is_wrong_and_a_task_can_be_started_again(panel: HostedPanel) -> None:
    async def learn() -> None:
        async with connect(panel.url) as page, connect(panel.url) as other:
            await begin(page, 2)
            await page.send(put(1, "left"), put(2, "right"), *press("2"), *press("M"))
            await until_said(page, "wrong")
            lesson = await until_said(other, "wrong")
            assert lesson["said"]["en"].startswith("Card 2 has paid 2M instead of 1,4M.")
            assert lesson["said"]["fr"].startswith("La carte 2 a payé 2M au lieu de 1,4M.")
            page.received.clear()
            await begin(page, 2)
            assert page.last("lesson")["outcome"] == "open"
            assert page.last("table")["left"] is None
            assert [each["written"] for each in page.last("ledger")["accounts"]] == ["15M"] * 6

    run(learn())


def test_a_power_cut_does_not_end_a_task(panel: HostedPanel) -> None:
    """Nor is the set-up played again: C can no longer take back what was before the cut."""

    async def learn() -> None:
        async with connect(panel.url) as page:
            await begin(page, 3)
            await page.until_shows("1M")
            await page.send({"do": "power", "on": False}, {"do": "power", "on": True})
            await page.until(lambda: page.last("table")["power"] and not page.last("table")["down"])
            await page.until_shows("1M")
            await page.send(*press("C"))
            lesson = await until_said(page, "advice")
            assert lesson["said"]["en"].startswith("C takes back a move only while")
            await begin(page, 3)
            await page.until_shows("1M")
            await page.send(*press("C"))
            await until_said(page, "good")

    run(learn())


@pytest.mark.parametrize(
    ("first", "then", "refusal"),
    [
        (task(1), {"do": "record", "on": True}, "learning"),
        (task(1), {"do": "fault", "fault": "screen", "on": True}, "learning"),
        ({"do": "record", "on": True}, task(1), "recording"),
        (task(1), task(11), "unknown"),
        (task(1), task(-1), "unknown"),
    ],
)
def test_what_does_not_go_together(
    panel: HostedPanel, first: Message, then: Message, refusal: str
) -> None:
    async def learn() -> None:
        async with connect(panel.url) as page:
            await page.send(first, then)
            await page.until(lambda: page.last("refused") == refusal)
            await page.send(put(1, "left"))
            await page.until(lambda: page.last("table")["left"] == 1)  # the first one goes on
            lesson = page.last("lesson")
            assert (lesson and lesson["number"]) == (1 if first == task(1) else None)

    run(learn())


def test_a_set_up_as_actions() -> None:
    taken_out = next(each for each in all_tasks() if each.name == "05-taken-out.box")
    one, comma, four = (Key(key) for key in "1,4")
    assert [*set_up_actions(taken_out)] == [
        PutCard(1, Slot.LEFT),
        PutCard(2, Slot.RIGHT),
        *(kind(key) for key in (one, comma, four) for kind in (PressKey, ReleaseKey)),
        TakeCard(2),
    ]


def test_a_trainer_removes_the_ledgers_of_earlier_tasks() -> None:
    trainer = Trainer()
    assert trainer.message is None
    folders = []
    for number in (1, 2):
        trainer.switch(trainer.prepare(number))
        assert trainer.current
        folders.append(trainer.current.scratch.path.parent)
    assert [folder.exists() for folder in folders] == [False, True]
    trainer.switch(None)
    assert not folders[1].exists()
    assert not trainer.busy


def test_a_card_that_is_moved_while_the_box_starts(tmp_path: Path) -> None:
    """The set-up comes first, and then what a viewer has done meanwhile."""
    set_up: list[BoxAction] = [PutCard(1, Slot.LEFT), PutCard(2, Slot.RIGHT), TakeCard(2)]
    start = BoxStart(
        ledger="",
        edition=None,
        config=None,
        language="en",
        board="software",
        recording=False,
        left=3,
        right=1,
        faults=[],
        down=[],
        pace=0,
        setup=[actions.write(action) for action in set_up],
    )
    with (tmp_path / "output").open("wb") as output, (tmp_path / "output").open("rb") as nothing:
        board = LessonBoard(Link(nothing.fileno(), output.fileno()), start)
        events = [type(event).__name__ for _ in range(6) for event in board.wait(None)]
    assert events == ["CardIn", "CardIn", "CardOut", "CardOut", "CardIn", "CardIn"]
