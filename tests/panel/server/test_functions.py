"""The F key over a page's line: what a page is told, and what becomes of a recording."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from hal.view import IDLE
from tests.panel.conftest import StartPanel
from tests.panel.served import Served
from tests.panel.server.lines import PATIENCE, Line, line_to, run

BOARDS = pytest.mark.parametrize("board", ["software", "virtual"])


async def says(line: Line, **words: Any) -> None:
    """Waits until the screen is told in these words, among others."""
    await line.until(lambda: words.items() <= (line.last("screen") or {}).items())


async def new_game(line: Line) -> None:
    games = line.all("sound").count("new-game")
    await line.say({"do": "press", "key": "C"})
    await line.until(lambda: line.all("sound").count("new-game") > games)
    await line.say({"do": "release", "key": "C"})


async def put(line: Line, card: int, slot: str) -> None:
    await line.say({"do": "put", "card": card, "slot": slot})
    await says(line, card=card)


def purposes(line: Line) -> list[str]:
    """What everything was for that moved since the page was loaded."""
    told = [posting for books in line.all("books") for posting in books["postings"]]
    return [posting["purpose"] for posting in told if posting["purpose"] != "opening"]


# What a page is told


@BOARDS
def test_a_fine_from_the_list_to_the_money(start_panel: StartPanel, board: str) -> None:
    """F1, F3, F9: the list is told in words, then what will move, then the new balance."""
    panel = start_panel("--board", board)

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.press("F")
            await says(line, list="9COUNT;0GAME")
            await put(line, 2, "right")
            await line.press("F")
            await says(line, list="1ALL;2MORTGAGE;3INTEREST;5JAIL;9COUNT;0GAME")
            assert "field" not in line.last("screen")
            await line.press("5")
            await says(line, field="500K", message="M = JAIL")
            await line.press("M")
            await says(line, field="14,5M")
            assert "list" not in line.last("screen")
            await line.until(lambda: purposes(line) == ["fine"])

    run(work())


def test_a_french_box_lists_french_words(start_panel: StartPanel) -> None:
    panel = start_panel("--language", "fr")

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.press("F0")
            await says(line, list="1NORMALE;2RAPIDE;3MINUTÉE;4ÉDITION;5OUBLIER")
            await line.press("CF9")
            balances = ";".join(f"{card}15M" for card in range(1, 7))
            await says(line, list=balances, message="M = DÉCOMPTE")

    run(work())


def test_the_ranking_and_who_is_out_are_told(panel: Served) -> None:
    """F5, F15, F17: by whoever comes late, too."""

    async def work() -> None:
        async with line_to(panel.url) as line:
            await put(line, 1, "left")
            await put(line, 2, "right")
            await line.press("F1M")
            await says(line, field="0")
            await line.say({"do": "take", "card": 2})
            await line.until(lambda: line.last("table")["right"] is None)
            await line.press("F9M1M")
            await says(line, field="31M", message="FINAL COUNT")
            await line.say({"do": "take", "card": 1})
            await says(line, list="131M", message="WINNER 1")
            async with line_to(panel.url) as late:
                assert late.last("screen")["list"] == "131M"
                await late.until(lambda: late.last("books") is not None)
                assert [each["out"] for each in late.last("books")["accounts"][:3]] == [
                    False,
                    True,
                    False,
                ]

    run(work())


def test_the_pot_of_the_house(start_panel: StartPanel, tmp_path: Path) -> None:
    """F23: a fine goes into it, a tax too, and somebody wins it."""
    config = tmp_path / "house.toml"
    config.write_text("pot = true\n")
    panel = start_panel("--config", str(config))

    async def work() -> None:
        async with line_to(panel.url) as line:
            await put(line, 2, "right")
            await line.press("F5M")
            await says(line, field="14,5M")
            await line.press("FF")
            await says(line, list="2POT;F")
            await line.press("2")
            await line.press("1MM")
            await says(line, field="13,5M")
            await line.until(lambda: line.last("books")["pot"]["written"] == "1,5M")
            await line.say({"do": "take", "card": 2})
            await says(line, field=IDLE)
            await put(line, 3, "left")
            await line.press("FF2M")
            await says(line, field="16,5M")
            await line.until(lambda: line.last("books")["pot"]["written"] == "0")
            assert purposes(line) == ["fine", "tax", "pot"]

    run(work())


# Other games


def test_an_edition_is_chosen_and_gone_back_from(panel: Served) -> None:
    """F18, F20: the page gets the cards, the units and the history of the game that is played."""

    async def work() -> None:
        async with line_to(panel.url) as line:
            await put(line, 1, "left")
            await line.press("2M")
            await says(line, field="17M")
            await line.say({"do": "take", "card": 1})
            await says(line, field=IDLE)
            await line.press("F044")
            await says(line, message="NEXT europe")
            assert len(line.all("hello")) == 1
            await new_game(line)
            await line.until(lambda: line.last("hello")["edition"] == "europe")
            assert line.last("hello")["units"] == {"M": 1, "K": 1000}
            assert rack(line) == {**dict.fromkeys(range(1, 9), False), 9: True, 10: True}
            await line.until(lambda: line.last("books")["game"] == 2)
            await line.say({"do": "put", "card": 8, "slot": "left"})
            await says(line, card=7, message="NEW CARD")  # S10: the lowest number that is free
            await line.until(lambda: len(line.last("books")["accounts"]) == 7)
            assert line.last("books")["accounts"][-1]["card"] == 8
            await line.press("F06M")
            await says(line, message="UNKNOWN CARD")
            await line.until(lambda: line.last("hello")["edition"] == "banking")
            assert line.last("hello")["units"] == {"M": 1_000_000, "K": 1_000}
            strangers = {8: True, 9: True, 10: True}
            assert rack(line) == {**dict.fromkeys(range(1, 7), False), **strangers}
            whole = line.last("books")
            assert whole["game"] == 1
            assert [posting["id"] for posting in whole["postings"]] == [*range(1, 8)]
            assert whole["accounts"][0]["written"] == "17M"

    def rack(line: Line) -> dict[int, bool]:
        return {card["card"]: card["stranger"] for card in line.last("hello")["cards"]}

    run(work())


async def cut(line: Line) -> None:
    await line.say({"do": "power", "on": False})
    await line.until(lambda: not line.last("table")["power"])
    await line.say({"do": "power", "on": True})
    await line.until(lambda: line.last("table")["power"])


def test_what_was_chosen_outlives_a_power_cut(start_panel: StartPanel) -> None:
    """F18: also where the panel was started with another edition, which a cut does not repeat."""
    panel = start_panel("--edition", "disney")

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.press("F044")
            await says(line, message="NEXT europe")
            await cut(line)
            await says(line, field=IDLE)
            assert line.last("hello")["edition"] == "disney"
            await new_game(line)
            await line.until(lambda: line.last("hello")["edition"] == "europe")
            await cut(line)
            await says(line, field=IDLE)
            await new_game(line)
            await line.until(lambda: line.last("books")["game"] == 3)
            assert line.last("hello")["edition"] == "europe"

    run(work())


# The clock


async def wake_to(line: Line, left: int) -> None:
    """Looks at the minutes that are left, asleep or not, until there are so many."""
    async with asyncio.timeout(PATIENCE):
        while line.last("screen").get("minutes") != left:
            await line.press("C")
            await line.listen(0.2)


@BOARDS
def test_a_box_that_sleeps_is_woken_by_the_end_of_time(start_panel: StartPanel, board: str) -> None:
    """F22: at sixty times the pace two minutes are two seconds."""
    panel = start_panel("--board", board)

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.press("F032M")
            await says(line, message="NEXT CLOCK 2")
            await new_game(line)
            await says(line, minutes=2)
            await line.say({"do": "pace", "rate": 60})
            await says(line, asleep=True)
            assert "minutes" not in line.last("screen")
            await says(line, message="TIME", minutes=0)
            await line.until(lambda: line.last("sound") == "alarm")
            await says(line, field=IDLE, message="FINAL COUNT")
            await says(line, asleep=True)

    run(work())


@BOARDS
def test_a_power_cut_costs_a_minute_at_most(start_panel: StartPanel, board: str) -> None:
    """F22: the firmware's process is killed; whole minutes that were played are kept."""
    panel = start_panel("--board", board)

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.press("F035M")
            await says(line, message="NEXT CLOCK 5")
            await new_game(line)
            await says(line, minutes=5)
            for left in (4, 3):
                await line.say({"do": "skip"})
                await wake_to(line, left)
            await line.say({"do": "power", "on": False})
            await line.until(lambda: not line.last("table")["power"])
            assert "minutes" not in line.last("screen")
            await line.say({"do": "power", "on": True})
            await says(line, minutes=3)
            await line.say({"do": "skip"}, {"do": "skip"}, {"do": "skip"})
            await says(line, message="TIME", minutes=0)

    run(work())


# Recordings


async def script_of(panel: Served) -> str:
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


def test_a_recording_has_the_rules_of_the_house(start_panel: StartPanel, tmp_path: Path) -> None:
    """F14, F23: given to the script, which passes with them."""
    config = tmp_path / "house.toml"
    config.write_text('pot = true\nundo = "rulebook"\n')
    panel = start_panel("--config", str(config))

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.say({"do": "record", "on": True})
            await line.until(lambda: line.last("table")["recording"])
            await put(line, 2, "right")
            await line.press("F5M")
            await says(line, field="14,5M")
            await line.press("F8M")
            await says(line, message="RULEBOOK ONLY")
            await line.say({"do": "take", "card": 2})
            await says(line, field=IDLE)
            await put(line, 1, "left")
            await line.press("FF2M")
            await says(line, field="15,5M")
            await line.say({"do": "record", "on": False})
            await line.until(lambda: not line.last("table")["recording"])

    run(work())
    script = asyncio.run(script_of(panel))
    assert script.splitlines()[1:3] == ["given pot true", "given undo rulebook"]
    assert "expect message RULEBOOK ONLY" in script.splitlines()
    assert script.splitlines()[-2:] == ["expect balance 1 15,5M", "expect balance 2 14,5M"]
    play(script)


def test_a_recording_goes_through_editions_and_power_cuts(start_panel: StartPanel) -> None:
    """F18, F20, P3: the box starts again with what was chosen on it, as a script's box does."""
    panel = start_panel("--edition", "disney")

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.say({"do": "record", "on": True})
            await line.until(lambda: line.last("table")["recording"])
            await line.press("F041")
            await says(line, message="NEXT banking")
            await cut(line)
            await says(line, field=IDLE)
            await new_game(line)
            await line.until(lambda: line.last("hello")["edition"] == "banking")
            await cut(line)
            await put(line, 1, "left")
            await line.press("2M")
            await says(line, field="17M")
            await new_game(line)
            await says(line, message="NEW GAME")
            await line.press("5M")
            await says(line, field="20M")
            await line.press("F06M")
            await says(line, field="17M", message="GAME BACK")
            await cut(line)
            await says(line, field="17M")
            await line.say({"do": "record", "on": False})
            await line.until(lambda: not line.last("table")["recording"])
            assert line.last("hello")["edition"] == "disney", "the game that waited"

    run(work())
    script = asyncio.run(script_of(panel))
    assert script.splitlines()[1] == "given edition disney"
    assert script.splitlines()[-1] == "expect balance 1 17000000"
    play(script)
