"""The panel's server: access, invalid messages, several viewers, power, command line."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import aiohttp
import pytest

from hal.display.messages import Message, Text
from hal.display.pages import packed
from hal.display.renderer import draw
from hal.display.view import IDLE, Occupant, View
from sim.panel.guests.page_limit import MAX_PAGES
from sim.panel.server import REPLACED
from tests.panel.conftest import StartPanel
from tests.panel.panels import HostedPanel, PanelProcess
from tests.panel.server.page_connection import connect, run

CODE = re.compile(r"must enter this code: ([\d ]{14})$", re.MULTILINE)


@pytest.fixture(scope="module")
def open_panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PanelProcess]:
    """A shared panel, for tests that restore its state."""
    panel = PanelProcess(tmp_path_factory.mktemp("panel"))
    yield panel
    panel.close()


async def status_of(url: str, path: str = "", **headers: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url + path, headers=headers) as got:
        return got.status


async def refused_status(url: str, **headers: str) -> int:
    """The status with which a WebSocket is refused."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
        async with connect(url, **headers):
            pass
    return refusal.value.status


def firmware_of(panel: PanelProcess) -> list[int]:
    """The ids of the server's child processes, once it is up."""
    assert panel.url
    stats = [path.read_text() for path in _present(Path("/proc").glob("[0-9]*/stat"))]
    fields = [(stat.split()[0], *stat.rpartition(")")[2].split()[:2]) for stat in stats]
    parent = str(panel.process.pid)
    return [int(pid) for pid, state, ppid in fields if ppid == parent and state != "Z"]


def _present(paths: Iterable[Path]) -> Iterator[Path]:
    """Skip processes that have ended meanwhile."""
    for path in paths:
        with suppress(OSError):
            path.read_text()
            yield path


# Access


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "10.1.2.3", "", "[", "127.0.0.1.evil.example"]
)
def test_a_foreign_host_is_refused(open_panel: PanelProcess, host: str) -> None:
    assert run(status_of(open_panel.url, Host=host)) == 421
    assert run(refused_status(open_panel.url, Host=host)) == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_every_name_of_this_machine_is_accepted(open_panel: PanelProcess, host: str) -> None:
    assert run(status_of(open_panel.url, Host=f"{host}:{open_panel.port}")) == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"]
)
def test_a_foreign_origin_is_refused(open_panel: PanelProcess, origin: str) -> None:
    foreign = origin.format(port=open_panel.port)
    assert run(status_of(open_panel.url, Origin=foreign)) == 403
    assert run(refused_status(open_panel.url, Origin=foreign)) == 403


def test_our_own_pages_may_operate_the_box(open_panel: PanelProcess) -> None:
    async def work() -> None:
        async with connect(open_panel.url, Origin=open_panel.url.rstrip("/")) as page:
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.until_shows("1")
            await page.send({"do": "take", "card": 1})
            await page.until_shows(IDLE)

    run(work())


@pytest.mark.parametrize("path", ["server.py", "..%2fserver.py", "%2e%2e/table.py", "nothing"])
def test_only_the_files_of_the_page_are_served(open_panel: PanelProcess, path: str) -> None:
    assert run(status_of(open_panel.url, path)) == 404


def test_other_machines_need_a_code_which_is_valid_once(start_panel: StartPanel) -> None:
    panel = start_panel("--host", "0.0.0.0")
    url = f"http://127.0.0.1:{panel.port}/"

    async def work() -> None:
        jar = aiohttp.CookieJar(unsafe=True)  # accepts cookies for an IP address
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            for path, status in (
                ("", 401),
                ("box", 401),
                ("recording.box", 401),
                ("words.js", 200),
            ):
                async with session.get(url + path) as got:
                    assert got.status == status, path
            (code,) = CODE.findall(panel.output())
            wrong = code[::-1] if code != code[::-1] else "0" * 12
            async with session.post(url + "code", data={"code": wrong}) as got:
                assert got.status == 403
                assert 'data-wrong="yes"' in await got.text()
            async with session.post(url + "code", data={"code": code}) as got:
                assert got.status == 200  # after 303 to the page itself
                assert "data-wrong" not in await got.text()
            async with session.ws_connect(url + "box") as websocket:
                assert (await websocket.receive_str()).startswith('{"hello"')
        async with aiohttp.ClientSession() as another:
            async with another.post(url + "code", data={"code": code}) as got:
                assert got.status == 403, "the code is used up"
            assert len(CODE.findall(panel.output())) == 2, "there is a code for the next visitor"

    run(work())


async def guess(url: str, code: str, source: str = "127.0.0.1", **headers: str) -> int:
    """The status of the answer to a code that this address of this machine enters."""
    connector = aiohttp.TCPConnector(local_addr=(source, 0))
    form = {"Content-Type": "application/x-www-form-urlencoded", **headers}
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        session.post(url + "code", data=f"code={code}", headers=form, allow_redirects=False) as got,
    ):
        return got.status


@pytest.mark.parametrize("guessers", ["127.0.0.{}", "127.0.0.1"], ids=["others", "neighbours"])
def test_wrong_guesses_keep_no_right_code_out(start_panel: StartPanel, guessers: str) -> None:
    """Nor do they change it. The neighbours have the visitor's address, as behind one router."""
    panel = start_panel("--host", "0.0.0.0")
    url = f"http://127.0.0.1:{panel.port}/"
    answers: asyncio.Queue[int] = asyncio.Queue()

    async def keep_guessing(source: str) -> None:
        while True:
            await answers.put(await guess(url, "123456789012", source))

    async def work() -> None:
        (code,) = CODE.findall(panel.output())
        loops = [asyncio.create_task(keep_guessing(guessers.format(n))) for n in range(2, 6)]
        for _ in loops:
            assert await answers.get() == 403
        assert await guess(url, code.replace(" ", "+")) == 303
        for loop in loops:
            loop.cancel()
        assert CODE.findall(panel.output())[:-1] == [code], "only its use changes a code"

    run(work())


def test_a_guess_in_another_charset_is_refused(start_panel: StartPanel) -> None:
    """A lone surrogate in UTF-7 was an internal error."""
    panel = start_panel("--host", "0.0.0.0")
    url = f"http://127.0.0.1:{panel.port}/"
    before = panel.startup_output()
    for charset in ("utf-7", "utf-16", "unicode_escape", "hex", "none"):
        form = f"application/x-www-form-urlencoded; charset={charset}"
        assert run(guess(url, "+2AA-", **{"Content-Type": form})) == 400
    assert run(guess(url, "%ED%A0%80")) == 403
    assert panel.output() == before


def test_a_page_that_was_let_in_stays_in(start_panel: StartPanel) -> None:
    """Whatever it and others enter, and however often it is loaded again."""
    panel = start_panel("--host", "0.0.0.0")
    url = f"http://127.0.0.1:{panel.port}/"

    async def work() -> None:
        jar = aiohttp.CookieJar(unsafe=True)  # accepts cookies for an IP address
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            (code,) = CODE.findall(panel.output())
            async with session.post(url + "code", data={"code": code}) as got:
                assert got.status == 200
            async with session.post(url + "code", data={"code": "1234"}) as got:
                assert got.status == 403
            another = CODE.findall(panel.output())[-1]
            assert await guess(url, another.replace(" ", "+")) == 303
            for _ in range(3):
                async with session.get(url) as got:
                    assert "data-wrong" not in await got.text()

    run(work())


def test_loopback_needs_no_code(open_panel: PanelProcess) -> None:
    assert CODE.findall(open_panel.output()) == []


# Invalid messages


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("", "unknown"),
        ("hello", "unknown"),
        ("[]", "unknown"),
        ("[" * 190, "unknown"),
        ('{"do":"format"}', "unknown"),
        ('{"do":["press"]}', "unknown"),
        ('{"do":"press"}', "unknown"),
        ('{"do":"press","key":"X"}', "unknown"),
        ('{"do":"press","key":"1","more":1}', "unknown"),
        ('{"do":"put","card":true,"slot":"left"}', "unknown"),
        ('{"do":"put","card":99,"slot":"left"}', "unknown"),
        ('{"do":"put","card":1,"slot":"middle"}', "unknown"),
        ('{"do":"pace","rate":1000}', "unknown"),
        ('{"do":"pace","rate":true}', "unknown"),
        ('{"do":"fault","fault":"left","on":true}', "not-here"),
        (b'{"do":"skip"}', "unknown"),
        ('{"do":"skip"' + " " * 200 + "}", "too-long"),
    ],
)
def test_an_invalid_action_is_refused(
    open_panel: PanelProcess, message: str | bytes, code: str
) -> None:
    async def work() -> None:
        async with connect(open_panel.url) as page:
            await page.until_shows(IDLE)
            await page.send(message)
            await page.until(lambda: page.all("refused") == [code])
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.until_shows("1")
            await page.send({"do": "take", "card": 1})
            await page.until_shows(IDLE)

    run(work())


def test_a_frame_that_is_too_long_closes_the_connection(open_panel: PanelProcess) -> None:
    async def work() -> None:
        async with connect(open_panel.url) as page, connect(open_panel.url) as other:
            await page.send("x" * 100_000)
            assert await page.closed_by_server() == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
            await other.send({"do": "put", "card": 1, "slot": "left"})
            await other.until_shows("1")
            await other.send({"do": "take", "card": 1})
            await other.until_shows(IDLE)

    run(work())


def test_a_flood_of_actions_is_refused_and_no_key_stays_down(panel: HostedPanel) -> None:
    async def work() -> None:
        async with connect(panel.url) as page:
            await page.press("," * 150)
            await page.until(lambda: "too-often" in page.all("refused"))
            await page.receive_for(1)
            assert page.last("table")["down"] == []
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.until_shows("1")

    run(work())


def test_too_many_refusals_close_the_connection(open_panel: PanelProcess) -> None:
    async def work() -> None:
        async with connect(open_panel.url) as page, connect(open_panel.url) as other:
            await page.send(*["nonsense"] * 600)
            assert await page.closed_by_server() == aiohttp.WSCloseCode.POLICY_VIOLATION
            await other.send({"do": "put", "card": 1, "slot": "left"})
            await other.until_shows("1")
            await other.send({"do": "take", "card": 1})
            await other.until_shows(IDLE)

    run(work())


def test_one_page_too_many_replaces_the_one_used_least_recently(panel: HostedPanel) -> None:
    async def work() -> None:
        async with AsyncExitStack() as stack:
            pages = [await stack.enter_async_context(connect(panel.url)) for _ in range(MAX_PAGES)]
            await pages[0].send({"do": "put", "card": 1, "slot": "left"})
            await pages[2].until_shows("1")
            for replaced in (pages[1], pages[2]):
                new = await stack.enter_async_context(connect(panel.url))
                assert await replaced.closed_by_server() == REPLACED
            await new.send({"do": "take", "card": 1})
            await pages[0].until_shows(IDLE)

    run(work())


def test_a_visitor_with_twenty_pages_does_not_shut_out_the_banker(start_panel: StartPanel) -> None:
    """Who reloads, while the other one uses all twenty."""
    panel = start_panel("--host", "0.0.0.0")
    url = f"http://127.0.0.1:{panel.port}/"

    async def let_in(session: aiohttp.ClientSession) -> aiohttp.ClientSession:
        async with session.post(url + "code", data={"code": CODE.findall(panel.output())[-1]}):
            return session

    async def work() -> None:
        jars = [aiohttp.CookieJar(unsafe=True) for _ in range(2)]
        async with (
            aiohttp.ClientSession(cookie_jar=jars[0]) as hoarder,
            aiohttp.ClientSession(cookie_jar=jars[1]) as banker,
        ):
            await let_in(hoarder)
            await let_in(banker)
            pages = [await hoarder.ws_connect(url + "box") for _ in range(MAX_PAGES)]
            for page in pages:
                await page.send_str('{"do":"press","key":"5"}')
            for _ in range(3):
                async with banker.ws_connect(url + "box") as reloaded:
                    assert (await reloaded.receive_str()).startswith('{"hello"')
                pages.append(await hoarder.ws_connect(url + "box"))
            for page in pages:
                await page.close()

    run(work())


def test_a_late_action_is_refused(panel: HostedPanel) -> None:
    """The banker has probably repeated it by then."""

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "put", "card": 1, "slot": "left", "at": 100_000})
            await page.until_shows("1")
            await page.send({"do": "press", "key": "9", "at": 97_000})
            await page.send({"do": "release", "key": "9", "at": 97_000})
            await page.until(lambda: page.all("refused") == ["too-late"])
            await page.send({"do": "press", "key": "5", "at": 99_000})
            await page.until_shows("5")

    run(work())


def test_time_runs_at_normal_pace_while_a_key_is_down(panel: HostedPanel) -> None:
    """At ×60 a tap of a tenth of a second on C would be six seconds, a new game."""

    async def work() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.press("2M")
            await page.until_shows("17M")
            await page.send({"do": "pace", "rate": 60}, {"do": "press", "key": "C"})
            await asyncio.sleep(0.3)
            await page.send({"do": "release", "key": "C"})
            await page.until_shows("15M")
            await page.until(lambda: page.last("sound") == "undo")
            assert page.last("table")["pace"] == 60
            await page.until(lambda: "asleep" in page.last("screen"))

    run(work())


@pytest.mark.parametrize("leaves", [True, False])
def test_an_abandoned_c_undoes_nothing(start_panel: StartPanel, leaves: bool) -> None:
    panel = start_panel()

    async def work() -> None:
        async with connect(panel.url) as stays:
            await stays.send({"do": "put", "card": 1, "slot": "left"})
            await stays.press("2M")
            await stays.until_shows("17M")
            async with connect(panel.url) as other:
                await other.send({"do": "press", "key": "C"})
                await stays.until(lambda: stays.last("table")["down"] == ["C"])
                if not leaves:
                    await other.send({"do": "abandon", "key": "C"})
                    await stays.until(lambda: stays.last("table")["down"] == [])
            await stays.until(lambda: stays.last("table")["down"] == [])
            await stays.receive_for(0.5)
            assert stays.last("screen")["field"] == "17M"
            assert "undo" not in stays.all("sound")

    run(work())


# Several viewers


def test_a_page_that_connects_later_gets_the_whole_state(panel: HostedPanel) -> None:
    async def work() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.press("1,5")
            await page.until_shows("1,5")
            async with connect(panel.url) as late:
                way = Message(Text.WHOLE_AMOUNT, "B>1")
                view = View("1,5", None, None, (1, Occupant.NONE), 2, "banking", way, typed=True)
                assert late.frames == [b"\xff" + b"".join(packed(draw(view)))]
                assert late.last("screen")["field"] == "1,5"
                assert late.last("table")["left"] == 1

    run(work())


def test_a_page_that_disconnects_releases_its_keys(open_panel: PanelProcess) -> None:
    async def work() -> None:
        async with connect(open_panel.url) as stays:
            async with connect(open_panel.url) as leaves:
                await leaves.send({"do": "press", "key": "C"})
                await stays.until(lambda: stays.last("table")["down"] == ["C"])
            await stays.until(lambda: stays.last("table")["down"] == [])

    run(work())


def test_a_key_goes_up_when_its_last_holder_releases_it(open_panel: PanelProcess) -> None:
    async def work() -> None:
        async with connect(open_panel.url) as one, connect(open_panel.url) as two:
            await one.send({"do": "press", "key": "5"})
            await two.send({"do": "press", "key": "5"})
            await one.send({"do": "release", "key": "5"})
            await one.receive_for(0.3)
            assert one.last("table")["down"] == ["5"]
            await two.send({"do": "release", "key": "5"})
            await one.until(lambda: one.last("table")["down"] == [])

    run(work())


def test_a_card_is_in_one_slot_only(panel: HostedPanel) -> None:
    async def work() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.send({"do": "put", "card": 2, "slot": "left"})
            await page.until(lambda: page.all("refused") == ["slot-full"])
            await page.send({"do": "put", "card": 1, "slot": "right"})
            await page.until(lambda: page.last("table")["right"] == 1)
            assert page.last("table")["left"] is None
            await page.press("1M")
            await page.until_shows("14M")

    run(work())


@pytest.mark.long
def test_an_idle_page_gets_a_heartbeat_every_fifteen_seconds_and_nothing_else(
    panel: HostedPanel,
) -> None:
    async def work() -> None:
        async with connect(panel.url) as page:
            await page.receive_for(1)
            page.received.clear()
            page.frames.clear()
            await page.receive_for(32)
            assert page.received == [{"beat": True}] * 2
            assert page.frames == []

    run(work())


# The power


def test_a_power_cut_kills_the_process_and_the_next_one_continues(own_panel: PanelProcess) -> None:
    async def work() -> None:
        async with connect(own_panel.url) as page:
            (first,) = firmware_of(own_panel)
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.press("2M")
            await page.until_shows("17M")
            await page.press("9")
            await page.until_shows("9")
            await page.send({"do": "power", "on": False})
            await page.until(lambda: not page.last("table")["power"])
            assert firmware_of(own_panel) == []
            assert page.last("screen") == {"lit": False, "took": None}
            await page.send({"do": "power", "on": True})
            await page.until_shows("1")
            assert firmware_of(own_panel) not in ([], [first])
            await page.until_shows("17M")

    run(work())
    verified = subprocess.run(
        [sys.executable, "-m", "firmware", "ledger", "verify", "--ledger", own_panel.ledger],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "The ledger is sound." in verified.stdout


@pytest.mark.parametrize("board", ["software", "virtual"])
def test_input_during_startup_is_not_lost(start_panel: StartPanel, board: str) -> None:
    panel = start_panel("--board", board)

    async def work() -> None:
        async with connect(panel.url) as page:
            for pause in (0, 0.002, 0.004, 0.008, 0.015, 0.03, 0.1):
                await page.send({"do": "power", "on": False}, {"do": "press", "key": "5"})
                await page.until(lambda: not page.last("table")["power"])
                await page.send({"do": "power", "on": True})
                async with connect(panel.url) as other:
                    await asyncio.sleep(pause)
                    await other.send({"do": "put", "card": 1, "slot": "left"})
                    await page.send({"do": "release", "key": "5"})
                    await page.until_shows("1")
                    await page.send({"do": "take", "card": 1})
                    await page.until_shows(IDLE)

    run(work())


def test_a_firmware_crash_leaves_a_dark_box_that_restarts(
    own_panel: PanelProcess,
) -> None:
    async def work() -> None:
        async with connect(own_panel.url) as page:
            await page.until_shows(IDLE)
            os.kill(firmware_of(own_panel)[0], signal.SIGKILL)
            await page.until(lambda: not page.last("table")["power"])
            assert page.last("screen")["lit"] is False
            await page.send({"do": "power", "on": True})
            await page.until_shows(IDLE)

    run(work())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_with_status_0(
    own_panel: PanelProcess, number: signal.Signals
) -> None:
    async def work() -> None:
        async with connect(own_panel.url) as page:
            (firmware,) = firmware_of(own_panel)
            own_panel.process.send_signal(number)
            assert await page.closed_by_server() == aiohttp.WSCloseCode.GOING_AWAY
            await asyncio.to_thread(own_panel.process.wait, 10)
            assert own_panel.process.returncode == 0
            assert not Path(f"/proc/{firmware}").exists()

    run(work())


def test_the_firmware_exits_when_the_server_is_killed(own_panel: PanelProcess) -> None:
    (firmware,) = firmware_of(own_panel)
    own_panel.kill()
    give_up = time.monotonic() + 10
    while Path(f"/proc/{firmware}").exists() and _state(firmware) != "Z":
        assert time.monotonic() < give_up, "the firmware still runs"
        time.sleep(0.05)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_the_next_games_edition_brings_its_own_cards(
    start_panel: StartPanel,
) -> None:
    panel = start_panel("--edition", "banking")

    async def play() -> None:
        async with connect(panel.url) as page:
            await page.send({"do": "put", "card": 1, "slot": "left"})
            await page.press("2M")
            await page.until_shows("17M")

    async def begin_new_game() -> None:
        async with connect(panel.url) as page:
            assert page.last("hello")["edition"] == "banking"
            await page.send({"do": "pace", "rate": 60}, {"do": "press", "key": "C"})
            await page.until(lambda: page.last("hello")["edition"] == "europe")
            await page.send({"do": "release", "key": "C"}, {"do": "pace", "rate": 1})
            assert [card["card"] for card in page.last("hello")["cards"]] == [*range(1, 11)]
            assert [card["card"] for card in page.last("hello")["cards"] if card["stranger"]] == [
                9,
                10,
            ]

    run(play())
    panel.stop()
    panel._options = ("--edition", "europe")
    panel.start()
    run(begin_new_game())


# The command line


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firmware", "sim", "--no-browser", *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_port_in_use_is_reported_with_a_free_one(own_panel: PanelProcess, tmp_path: Path) -> None:
    done = command("--port", str(own_panel.port), "--ledger", tmp_path / "other.db")
    assert done.returncode == 1
    named = re.fullmatch(
        rf"tellerbox: port {own_panel.port} of 127.0.0.1 is in use; use --port (\d+)\n",
        done.stderr,
    )
    assert named
    with socket.create_server(("127.0.0.1", int(named[1]))):
        """The port is free."""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "70000"], "--port 70000: a port is a number from 0 to 65535"),
        (["--host", "no such host"], "--host no such host: no such address"),
        (
            ["--text", "--board", "virtual"],
            "--text works only with the software board; omit --board or --text",
        ),
    ],
)
def test_a_wrong_option_is_reported_in_one_sentence(
    words: list[str], sentence: str, tmp_path: Path
) -> None:
    done = command(*words, "--ledger", tmp_path / "ledger.db")
    assert done.returncode == 1
    assert done.stderr == f"tellerbox: {sentence}\n"


def test_missing_packages_of_a_board_are_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gpiozero.py").write_text('raise ImportError(name="gpiozero")')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = command("--board", "virtual", "--port", "0", "--ledger", tmp_path / "ledger.db")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "tellerbox: the virtual board needs the Pi's package gpiozero; `make pi` installs it\n"
    )


def test_a_ledger_in_use_by_another_box_is_refused(panel: HostedPanel) -> None:
    done = command("--port", "0", "--ledger", panel.ledger)
    assert done.returncode == 1
    assert done.stderr.startswith(f"tellerbox: {panel.ledger}: ")
    assert done.stderr.count("\n") == 1
