"""Naming a card over a page's WebSocket (N6): what is written, and what is refused."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.ledger_file import reading, shared_for_changes
from firmware.storage.store import Store
from tests.panel.panels import HostedPanel
from tests.panel.server.page_connection import PageConnection, connect, run


async def name(page: PageConnection, number: int, name: str) -> None:
    await page.send({"do": "name", "number": number, "name": name})


async def until_refused(page: PageConnection, why: str) -> None:
    before = len(page.all("refused"))
    await page.until(lambda: len(page.all("refused")) > before)
    assert page.last("refused") == why


async def until_named(page: PageConnection, number: int, name: str) -> None:
    def is_named() -> bool:
        ledger = page.last("ledger") or {"accounts": []}
        return (number, name) in [(each["number"], each["name"]) for each in ledger["accounts"]]

    await page.until(is_named)


def written(path: Path) -> dict[int, str]:
    with reading(path) as connection:
        return Ledger(Store(connection), editions.load(editions.DEFAULT)).state.names


def test_a_name_is_written_and_sent_to_every_page(panel: HostedPanel) -> None:
    async def work() -> None:
        async with connect(panel.url) as page, connect(panel.url) as other:
            await name(page, 1, "Zoë")
            for each in (page, other):
                await until_named(each, 1, "Zoë")
            assert page.last("ledger")["postings"] == []
            assert written(panel.ledger) == {1: "Zoë"}
            await name(page, 1, "")
            await until_named(page, 1, "")
            assert written(panel.ledger) == {}
            assert page.all("refused") == []

    run(work())


def test_nothing_is_interrupted_and_the_box_shows_the_name(panel: HostedPanel) -> None:
    """D30: a half-typed amount stays; the next card shows its name."""

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.until(lambda: page.last("ledger") is not None)
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.press("2")
            await page.until_shows("2")
            await name(page, 1, "Ana")
            await until_named(page, 1, "Ana")
            await page.press("M")
            await page.until_shows("17M")
            await page.send({"do": "take", "card": 1}, {"do": "put", "card": 1, "slot": "left"})
            await page.until(lambda: page.last("screen").get("message") == "Ana")
            assert page.last("screen")["card"] == 1
            assert "error" not in page.all("sound")

    run(work())


def test_what_is_not_a_name_is_refused(panel: HostedPanel) -> None:
    async def work() -> None:
        async with connect(panel.url) as page:
            for wrong in ("R2D2", " Ana", "Maximiliane", "<b>", "Ana\n", "Łukasz", "\ud800"):
                await name(page, 1, wrong)
                await until_refused(page, "not-a-name")
            await name(page, 8, "Ana")
            await until_refused(page, "no-such-card")
            assert written(panel.ledger) == {}

    run(work())


def test_a_name_is_refused_without_power_and_on_a_scratch_ledger(panel: HostedPanel) -> None:
    """While recording, and while learning."""

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "power", "on": False})
            await page.until(lambda: page.last("table")["power"] is False)
            await name(page, 1, "Ana")
            await until_refused(page, "no-power")
            await page.send({"do": "record", "on": True})
            await page.until(lambda: page.last("table")["recording"])
            await name(page, 1, "Ana")
            await until_refused(page, "recording")
            await page.send({"do": "record", "on": False})
            await page.until(lambda: not page.last("table")["recording"])
            await page.send({"do": "learn", "task": 1})
            await page.until(lambda: page.last("lesson") is not None)
            await name(page, 1, "Ana")
            await until_refused(page, "learning")
            await page.send({"do": "learn", "task": 0})
            await page.until(lambda: page.last("lesson") is None)
            await name(page, 1, "Ana")
            await until_named(page, 1, "Ana")

    run(work())


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program is writing for a long time."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.rollback()


def test_a_ledger_that_cannot_be_written(panel: HostedPanel) -> None:
    """Meanwhile other pages are served."""

    async def work() -> None:
        async with connect(panel.url) as page, connect(panel.url) as other:
            with locked(panel.ledger):
                await name(page, 1, "Ana")
                await other.send({"do": "put", "card": 1, "slot": "left"})
                await other.until_shows("1")
                assert page.all("refused") == []
                await until_refused(page, "not-written")
            assert written(panel.ledger) == {}
            await name(page, 1, "Ana")
            await until_named(page, 1, "Ana")

    run(work())


def test_a_name_given_by_the_command_reaches_the_page(panel: HostedPanel) -> None:
    """With the next key or card, as the box does."""

    async def work() -> None:
        async with connect(panel.url) as page:
            with shared_for_changes(panel.ledger) as store:
                Ledger(store, editions.load(editions.DEFAULT)).name(2, "Ben")
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await until_named(page, 2, "Ben")

    run(work())
