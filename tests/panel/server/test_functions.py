"""The F key over a page's WebSocket: the messages to a page, and recordings."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from hal.display.view import IDLE
from tests.panel.conftest import StartPanel
from tests.panel.panels import HostedPanel, PanelProcess
from tests.panel.server.page_connection import TIMEOUT, PageConnection, connect, run

BOARDS = pytest.mark.parametrize("board", ["software", "virtual"])


async def until_screen(page: PageConnection, **content: Any) -> None:
    """Wait until the screen message contains this."""
    await page.until(lambda: content.items() <= (page.last("screen") or {}).items())


async def new_game(page: PageConnection) -> None:
    games = page.all("sound").count("new-game")
    await page.send({"do": "press", "key": "C"})
    await page.until(lambda: page.all("sound").count("new-game") > games)
    await page.send({"do": "release", "key": "C"})


async def put(page: PageConnection, card: int, slot: str) -> None:
    await page.send({"do": "put", "card": card, "slot": slot})
    await until_screen(page, card=card)


def purposes(page: PageConnection) -> list[str]:
    """The purposes of all postings since the page was loaded."""
    postings = [posting for ledger in page.all("ledger") for posting in ledger["postings"]]
    return [posting["purpose"] for posting in postings if posting["purpose"] != "opening"]


# Messages


@BOARDS
def test_a_fine_is_paid_from_the_list(start_panel: StartPanel, board: str) -> None:
    """F1, F3, F9: the list, then the amount to confirm, then the new balance."""
    panel = start_panel("--board", board)

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.press("F")
            await until_screen(page, list="9COUNT;0GAME")
            # The list stays open and offers more; the card's number does not show (N3).
            await page.send({"do": "put", "card": 2, "slot": "right"})
            await until_screen(page, list="1BANKRUPT;2MORTGAGE;3INTEREST;5FINE;9COUNT;0GAME")
            assert "field" not in page.last("screen")
            await page.press("5")
            await until_screen(page, field="500K", message="FINE? M")
            await page.press("M")
            await until_screen(page, field="14,5M")
            assert "list" not in page.last("screen")
            await page.until(lambda: purposes(page) == ["fine"])

    run(work())


def test_a_french_box_sends_a_french_list(start_panel: StartPanel) -> None:
    panel = start_panel("--language", "fr")

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.press("F0")
            await until_screen(page, list="1NORMALE;2RAPIDE;3MINUTÉE;4ÉDITION;5OUBLIER")
            await page.press("CF9")
            balances = ";".join(f"{card}15M" for card in range(1, 7))
            await until_screen(page, list=balances, message="DÉCOMPTE ? M")

    run(work())


def test_the_ranking_and_bankrupt_cards_are_sent(panel: HostedPanel) -> None:
    """F5, F15, F17: also to a page that connects later."""

    async def work() -> None:
        async with connect(panel.url) as page:
            await put(page, 1, "left")
            await put(page, 2, "right")
            await page.press("F1")
            await until_screen(page, field="15M", message="BANKRUPT? HOLD M", hold=True)
            await page.send({"do": "press", "key": "M"})
            await until_screen(page, field="0")
            await page.send({"do": "release", "key": "M"})
            await page.send({"do": "take", "card": 2})
            await page.until(lambda: page.last("table")["right"] is None)
            await page.press("F9M1M")
            await until_screen(page, field="31M", message="FINAL COUNT")
            await page.send({"do": "take", "card": 1})
            await until_screen(page, list="131M;2OUT", message="WINNER 1")
            async with connect(panel.url) as late:
                assert late.last("screen")["list"] == "131M;2OUT"
                await late.until(lambda: late.last("ledger") is not None)
                assert [each["out"] for each in late.last("ledger")["accounts"][:3]] == [
                    False,
                    True,
                    False,
                ]

    run(work())


def test_the_pot(start_panel: StartPanel, tmp_path: Path) -> None:
    """F23: a fine and a tax go into it, a card wins it, and the bank pays into it."""
    config = tmp_path / "house.toml"
    config.write_text("pot = true\n")
    panel = start_panel("--config", str(config))

    async def work() -> None:
        async with connect(panel.url) as page:
            await put(page, 2, "right")
            await page.press("F5M")
            await until_screen(page, field="14,5M")
            await page.press("FF")
            await until_screen(page, list="2POT;F")
            await page.press("2")
            await page.press("1MM")
            await until_screen(page, field="13,5M")
            await page.until(lambda: page.last("ledger")["pot"]["written"] == "1,5M")
            await page.send({"do": "take", "card": 2})
            await until_screen(page, field=IDLE)
            await put(page, 3, "left")
            await page.press("FF2M")
            await until_screen(page, field="16,5M")
            await page.until(lambda: page.last("ledger")["pot"]["written"] == "0")
            await page.send({"do": "take", "card": 3})
            await until_screen(page, field=IDLE)
            await page.press("FF21MM")
            await page.until(lambda: page.last("ledger")["pot"]["written"] == "1M")
            assert purposes(page) == ["fine", "tax", "pot", "pot"]

    run(work())


# Other games


def test_another_edition_and_back(panel: HostedPanel) -> None:
    """F18, F20: the page gets the cards, the units and the history of the current game."""

    async def work() -> None:
        async with connect(panel.url) as page:
            await put(page, 1, "left")
            await page.press("2M")
            await until_screen(page, field="17M")
            await page.send({"do": "take", "card": 1})
            await until_screen(page, field=IDLE)
            await page.press("F044")
            await until_screen(page, message="NEXT europe")
            assert len(page.all("hello")) == 1
            await new_game(page)
            await page.until(lambda: page.last("hello")["edition"] == "europe")
            assert page.last("hello")["units"] == {"M": 1, "K": 1000}
            assert rack(page) == {**dict.fromkeys(range(1, 9), False), 9: True, 10: True}
            await page.until(lambda: page.last("ledger")["game"] == 2)
            await page.send({"do": "put", "card": 8, "slot": "left"})
            await until_screen(page, card=7, message="NEW CARD")  # S10: the lowest free number
            await page.until(lambda: len(page.last("ledger")["accounts"]) == 7)
            assert page.last("ledger")["accounts"][-1]["card"] == 8
            await page.press("F06M")
            await until_screen(page, message="UNKNOWN CARD")
            await page.until(lambda: page.last("hello")["edition"] == "banking")
            assert page.last("hello")["units"] == {"M": 1_000_000, "K": 1_000}
            strangers = {8: True, 9: True, 10: True}
            assert rack(page) == {**dict.fromkeys(range(1, 7), False), **strangers}
            whole = page.last("ledger")
            assert whole["game"] == 1
            assert [posting["id"] for posting in whole["postings"]] == [*range(1, 8)]
            assert whole["accounts"][0]["written"] == "17M"

    def rack(page: PageConnection) -> dict[int, bool]:
        return {card["card"]: card["stranger"] for card in page.last("hello")["cards"]}

    run(work())


async def cut_power(page: PageConnection) -> None:
    await page.send({"do": "power", "on": False})
    await page.until(lambda: not page.last("table")["power"])
    await page.send({"do": "power", "on": True})
    await page.until(lambda: page.last("table")["power"])


def test_a_chosen_edition_survives_a_power_cut(start_panel: StartPanel) -> None:
    """F18: --edition counts only when the panel starts, not after a power cut."""
    panel = start_panel("--edition", "disney")

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.press("F044")
            await until_screen(page, message="NEXT europe")
            await cut_power(page)
            await until_screen(page, field=IDLE)
            assert page.last("hello")["edition"] == "disney"
            await new_game(page)
            await page.until(lambda: page.last("hello")["edition"] == "europe")
            await cut_power(page)
            await until_screen(page, field=IDLE)
            await new_game(page)
            await page.until(lambda: page.last("ledger")["game"] == 3)
            assert page.last("hello")["edition"] == "europe"

    run(work())


# The clock


async def wake_to(page: PageConnection, left: int) -> None:
    """Press C until so many minutes are left; it wakes the box too."""
    async with asyncio.timeout(TIMEOUT):
        while page.last("screen").get("minutes") != left:
            await page.press("C")
            await page.receive_for(0.2)


@BOARDS
def test_the_end_of_a_timed_game_wakes_the_box(start_panel: StartPanel, board: str) -> None:
    """F22: at ×60 two minutes take two seconds."""
    panel = start_panel("--board", board)

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.press("F032M")
            await until_screen(page, message="NEXT GAME 2 MIN")
            await new_game(page)
            await until_screen(page, minutes=2)
            await page.send({"do": "pace", "rate": 60})
            await until_screen(page, asleep=True)
            assert "minutes" not in page.last("screen")
            await until_screen(page, message="TIME", minutes=0)
            await page.until(lambda: page.last("sound") == "alarm")
            await until_screen(page, field=IDLE, message="FINAL COUNT")
            await until_screen(page, asleep=True)

    run(work())


@BOARDS
def test_a_power_cut_loses_at_most_a_minute(start_panel: StartPanel, board: str) -> None:
    """F22: played minutes are kept when the process is killed."""
    panel = start_panel("--board", board)

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.press("F035M")
            await until_screen(page, message="NEXT GAME 5 MIN")
            await new_game(page)
            await until_screen(page, minutes=5)
            for left in (4, 3):
                await page.send({"do": "skip"})
                await wake_to(page, left)
            await page.send({"do": "power", "on": False})
            await page.until(lambda: not page.last("table")["power"])
            assert "minutes" not in page.last("screen")
            await page.send({"do": "power", "on": True})
            await until_screen(page, minutes=3)
            await page.send({"do": "skip"}, {"do": "skip"}, {"do": "skip"})
            await until_screen(page, message="TIME", minutes=0)

    run(work())


# Recordings


async def script_of(panel: PanelProcess) -> str:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{panel.url}recording.box") as got,
    ):
        return await got.text()


def play(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "firmware", "play", "-"],
        input=script,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr}\n{script}"


def test_a_recording_has_the_house_rules(start_panel: StartPanel, tmp_path: Path) -> None:
    """F14, F23: the script is given them, and passes."""
    config = tmp_path / "house.toml"
    config.write_text('pot = true\nundo = "rulebook"\n')
    panel = start_panel("--config", str(config))

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "record", "on": True})
            await page.until(lambda: page.last("table")["recording"])
            await put(page, 2, "right")
            await page.press("F5M")
            await until_screen(page, field="14,5M")
            await page.press("F8M")
            await until_screen(page, message="RULEBOOK ONLY")
            await page.press("CC")
            await page.send({"do": "take", "card": 2})
            await until_screen(page, field=IDLE)
            await put(page, 1, "left")
            await page.press("FF2M")
            await until_screen(page, field="15,5M")
            await page.send({"do": "record", "on": False})
            await page.until(lambda: not page.last("table")["recording"])

    run(work())
    script = run(script_of(panel))
    assert script.splitlines()[1:3] == ["given pot true", "given undo rulebook"]
    assert "expect message RULEBOOK ONLY" in script.splitlines()
    assert script.splitlines()[-2:] == ["expect balance 1 15,5M", "expect balance 2 14,5M"]
    play(script)


def test_a_recording_with_other_editions_and_power_cuts(start_panel: StartPanel) -> None:
    """F18, F20, P3: the box restarts with the chosen edition, as in a script."""
    panel = start_panel("--edition", "disney")

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "record", "on": True})
            await page.until(lambda: page.last("table")["recording"])
            await page.press("F041")
            await until_screen(page, message="NEXT banking")
            await cut_power(page)
            await until_screen(page, field=IDLE)
            await new_game(page)
            await page.until(lambda: page.last("hello")["edition"] == "banking")
            await cut_power(page)
            await put(page, 1, "left")
            await page.press("2M")
            await until_screen(page, field="17M")
            await new_game(page)
            await until_screen(page, message="NEW GAME")
            await page.press("5M")
            await until_screen(page, field="20M")
            await page.press("F06M")
            await until_screen(page, field="17M", message="GAME BACK")
            await cut_power(page)
            await until_screen(page, field="17M")
            await page.send({"do": "record", "on": False})
            await page.until(lambda: not page.last("table")["recording"])
            assert page.last("hello")["edition"] == "disney", "the game before the recording"

    run(work())
    script = run(script_of(panel))
    assert script.splitlines()[1] == "given edition disney"
    assert script.splitlines()[-1] == "expect balance 1 17000000"
    play(script)
