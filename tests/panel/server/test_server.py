"""The panel's server as strangers, clumsy pages and several viewers find it."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest

from hal.pages import packed
from hal.picture import draw
from hal.view import IDLE, Tenant, View
from tests.panel.conftest import StartPanel
from tests.panel.served import Served
from tests.panel.server.lines import line_to, run

NOBODY = (Tenant.NOBODY, Tenant.NOBODY)
CODE = re.compile(r"code, once: (\d{6})$", re.MULTILINE)


@pytest.fixture(scope="module")
def open_panel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One panel for all tests that leave it as they found it."""
    panel = Served(tmp_path_factory.mktemp("panel"))
    yield panel
    panel.close()


async def status_of(url: str, path: str = "", **headers: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url + path, headers=headers) as got:
        return got.status


async def refused_line(url: str, **headers: str) -> int:
    """The status with which a page's line is refused."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
        async with line_to(url, **headers):
            pass
    return refusal.value.status


def firmware_of(panel: Served) -> list[int]:
    """The processes that the server has started, once it is up."""
    assert panel.url
    stats = [path.read_text() for path in _present(Path("/proc").glob("[0-9]*/stat"))]
    fields = [(stat.split()[0], *stat.rpartition(")")[2].split()[:2]) for stat in stats]
    parent = str(panel.process.pid)
    return [int(pid) for pid, state, its in fields if its == parent and state != "Z"]


def _present(paths: Iterable[Path]) -> Iterator[Path]:
    """Those whose process has not ended meanwhile."""
    for path in paths:
        with suppress(OSError):
            path.read_text()
            yield path


# Who may come in


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "10.1.2.3", "", "[", "127.0.0.1.evil.example"]
)
def test_a_foreign_host_is_refused(open_panel: Served, host: str) -> None:
    assert asyncio.run(status_of(open_panel.url, Host=host)) == 421
    assert asyncio.run(refused_line(open_panel.url, Host=host)) == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_every_name_of_this_machine_is_known(open_panel: Served, host: str) -> None:
    assert asyncio.run(status_of(open_panel.url, Host=f"{host}:{open_panel.port}")) == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"]
)
def test_a_foreign_origin_is_refused(open_panel: Served, origin: str) -> None:
    foreign = origin.format(port=open_panel.port)
    assert asyncio.run(status_of(open_panel.url, Origin=foreign)) == 403
    assert asyncio.run(refused_line(open_panel.url, Origin=foreign)) == 403


def test_our_own_pages_may_work_the_box(open_panel: Served) -> None:
    async def work() -> None:
        async with line_to(open_panel.url, Origin=open_panel.url.rstrip("/")) as line:
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.shows("1")
            await line.say({"do": "take", "card": 1})
            await line.shows(IDLE)

    run(work())


@pytest.mark.parametrize("path", ["server.py", "..%2fserver.py", "%2e%2e/room.py", "nothing"])
def test_only_the_files_of_the_page_are_served(open_panel: Served, path: str) -> None:
    assert asyncio.run(status_of(open_panel.url, path)) == 404


def test_other_machines_need_a_code_which_is_good_once(start_panel: StartPanel) -> None:
    panel = start_panel("--host", "0.0.0.0")
    url = f"http://127.0.0.1:{panel.port}/"

    async def work() -> None:
        jar = aiohttp.CookieJar(unsafe=True)  # for an address instead of a name
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            for path, status in (
                ("", 401),
                ("box", 401),
                ("recording.box", 401),
                ("words.js", 200),
            ):
                async with session.get(url + path) as got:
                    assert got.status == status, path
            (code,) = CODE.findall(panel.said())
            wrong = f"{(int(code) + 1) % 1_000_000:06}"
            async with session.post(url + "code", data={"code": wrong}) as got:
                assert got.status == 403
                assert 'data-wrong="yes"' in await got.text()
            async with session.post(url + "code", data={"code": code}) as got:
                assert got.status == 200  # after 303 to the page itself
                assert "data-wrong" not in await got.text()
            async with session.ws_connect(url + "box") as line:
                assert (await line.receive_str()).startswith('{"hello"')
        async with aiohttp.ClientSession() as another:
            async with another.post(url + "code", data={"code": code}) as got:
                assert got.status == 403, "the code is used up"
            assert len(CODE.findall(panel.said())) == 2, "and the next visitor has another"

    run(work())


def test_a_code_that_was_guessed_at_is_changed(start_panel: StartPanel) -> None:
    panel = start_panel("--host", "0.0.0.0")

    async def work() -> None:
        async with aiohttp.ClientSession() as session:
            for guess in ("", "000000", "x" * 3000, "12 34 56", "٣٣٣٣٣٣"):
                url = f"http://127.0.0.1:{panel.port}/code"
                async with session.post(url, data={"code": guess}) as got:
                    assert got.status == 403

    run(work())
    assert len(CODE.findall(panel.said())) == 2


def test_on_this_machine_nobody_needs_a_code(open_panel: Served) -> None:
    assert CODE.findall(open_panel.said()) == []


# What is no action


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
def test_what_is_no_action_is_refused_without_harm(
    open_panel: Served, message: str | bytes, code: str
) -> None:
    async def work() -> None:
        async with line_to(open_panel.url) as line:
            await line.shows(IDLE)
            await line.say(message)
            await line.until(lambda: line.all("refused") == [code])
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.shows("1")
            await line.say({"do": "take", "card": 1})
            await line.shows(IDLE)

    run(work())


def test_a_message_that_is_far_too_long_is_not_even_read(open_panel: Served) -> None:
    async def work() -> None:
        async with line_to(open_panel.url) as line, line_to(open_panel.url) as other:
            await line.say("x" * 100_000)
            assert await line.hung_up_on() == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
            await other.say({"do": "put", "card": 1, "slot": "left"})
            await other.shows("1")
            await other.say({"do": "take", "card": 1})
            await other.shows(IDLE)

    run(work())


def test_too_many_actions_are_refused_and_no_key_stays_down(panel: Served) -> None:
    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.press("," * 150)
            await line.until(lambda: "too-often" in line.all("refused"))
            await line.listen(1)
            assert line.last("table")["down"] == []
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.shows("1")

    run(work())


def test_who_goes_on_all_the_same_is_hung_up_on(open_panel: Served) -> None:
    async def work() -> None:
        async with line_to(open_panel.url) as line, line_to(open_panel.url) as other:
            await line.say(*["nonsense"] * 600)
            assert await line.hung_up_on() == aiohttp.WSCloseCode.POLICY_VIOLATION
            await other.say({"do": "put", "card": 1, "slot": "left"})
            await other.shows("1")
            await other.say({"do": "take", "card": 1})
            await other.shows(IDLE)

    run(work())


def test_there_is_room_for_twenty_pages(open_panel: Served) -> None:
    async def work() -> None:
        async with aiohttp.ClientSession() as session:
            pages = [await session.ws_connect(open_panel.url + "box") for _ in range(20)]
            assert await refused_line(open_panel.url) == 503
            for page in pages:
                await page.close()
        async with line_to(open_panel.url) as line:
            await line.shows(IDLE)

    run(work())


def test_what_a_line_that_hung_brings_too_late_is_left_undone(panel: Served) -> None:
    """A banker who saw nothing happen has typed it again, or has forgotten it."""

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.say({"do": "put", "card": 1, "slot": "left", "at": 100_000})
            await line.shows("1")
            await line.say({"do": "press", "key": "9", "at": 97_000})
            await line.say({"do": "release", "key": "9", "at": 97_000})
            await line.until(lambda: line.all("refused") == ["too-late"])
            await line.say({"do": "press", "key": "5", "at": 99_000})
            await line.shows("5")

    run(work())


def test_time_is_the_fingers_while_a_key_is_down(panel: Served) -> None:
    """At ×60 a tap on C of a tenth of a second is six: a new game, if it were counted so."""

    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.press("2M")
            await line.shows("17M")
            await line.say({"do": "pace", "rate": 60}, {"do": "press", "key": "C"})
            await asyncio.sleep(0.3)
            await line.say({"do": "release", "key": "C"})
            await line.shows("15M")
            await line.until(lambda: line.last("sound") == "undo")
            assert line.last("table")["pace"] == 60
            await line.until(lambda: "asleep" in line.last("screen"))

    run(work())


@pytest.mark.parametrize("leaves", [True, False])
def test_a_c_that_nobody_let_go_on_purpose_takes_nothing_back(
    start_panel: StartPanel, leaves: bool
) -> None:
    panel = start_panel()

    async def work() -> None:
        async with line_to(panel.url) as stays:
            await stays.say({"do": "put", "card": 1, "slot": "left"})
            await stays.press("2M")
            await stays.shows("17M")
            async with line_to(panel.url) as other:
                await other.say({"do": "press", "key": "C"})
                await stays.until(lambda: stays.last("table")["down"] == ["C"])
                if not leaves:
                    await other.say({"do": "abandon", "key": "C"})
                    await stays.until(lambda: stays.last("table")["down"] == [])
            await stays.until(lambda: stays.last("table")["down"] == [])
            await stays.listen(0.5)
            assert stays.last("screen")["field"] == "17M"
            assert "undo" not in stays.all("sound")

    run(work())


# Several viewers


def test_who_comes_late_sees_the_whole_box(panel: Served) -> None:
    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.press("1,5")
            await line.shows("1,5")
            async with line_to(panel.url) as late:
                view = View("1,5", None, None, (1, Tenant.NOBODY), 2, "banking")
                assert late.pictures == [b"\xff" + b"".join(packed(draw(view)))]
                assert late.last("screen")["field"] == "1,5"
                assert late.last("table")["left"] == 1

    run(work())


def test_a_page_that_leaves_lets_go_of_its_keys(open_panel: Served) -> None:
    async def work() -> None:
        async with line_to(open_panel.url) as stays:
            async with line_to(open_panel.url) as leaves:
                await leaves.say({"do": "press", "key": "C"})
                await stays.until(lambda: stays.last("table")["down"] == ["C"])
            await stays.until(lambda: stays.last("table")["down"] == [])

    run(work())


def test_a_key_is_up_when_the_last_finger_has_left_it(open_panel: Served) -> None:
    async def work() -> None:
        async with line_to(open_panel.url) as one, line_to(open_panel.url) as two:
            await one.say({"do": "press", "key": "5"})
            await two.say({"do": "press", "key": "5"})
            await one.say({"do": "release", "key": "5"})
            await one.listen(0.3)
            assert one.last("table")["down"] == ["5"]
            await two.say({"do": "release", "key": "5"})
            await one.until(lambda: one.last("table")["down"] == [])

    run(work())


def test_one_card_is_in_one_place(panel: Served) -> None:
    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.say({"do": "put", "card": 2, "slot": "left"})
            await line.until(lambda: line.all("refused") == ["slot-full"])
            await line.say({"do": "put", "card": 1, "slot": "right"})
            await line.until(lambda: line.last("table")["right"] == 1)
            assert line.last("table")["left"] is None
            await line.press("1M")
            await line.shows("14M")

    run(work())


def test_an_idle_page_hears_a_heartbeat_every_fifteen_seconds_and_nothing_else(
    panel: Served,
) -> None:
    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.listen(1)
            line.told.clear()
            line.pictures.clear()
            await line.listen(32)
            assert line.told == [{"beat": True}] * 2
            assert line.pictures == []

    run(work())


# The power


def test_a_power_cut_kills_the_process_and_the_next_one_goes_on(panel: Served) -> None:
    async def work() -> None:
        async with line_to(panel.url) as line:
            (first,) = firmware_of(panel)
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.press("2M")
            await line.shows("17M")
            await line.press("9")
            await line.shows("9")
            await line.say({"do": "power", "on": False})
            await line.until(lambda: not line.last("table")["power"])
            assert firmware_of(panel) == []
            assert line.last("screen") == {"lit": False, "took": None}
            await line.say({"do": "power", "on": True})
            await line.shows("1")
            assert firmware_of(panel) not in ([], [first])
            await line.shows("17M")

    run(work())
    verified = subprocess.run(
        [sys.executable, "-m", "firmware", "ledger", "verify", "--ledger", panel.ledger],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "The ledger is sound." in verified.stdout


@pytest.mark.parametrize("board", ["software", "virtual"])
def test_what_hands_do_while_the_power_comes_is_not_lost(
    start_panel: StartPanel, board: str
) -> None:
    panel = start_panel("--board", board)

    async def work() -> None:
        async with line_to(panel.url) as line:
            for pause in (0, 0.002, 0.004, 0.008, 0.015, 0.03, 0.1):
                await line.say({"do": "power", "on": False}, {"do": "press", "key": "5"})
                await line.until(lambda: not line.last("table")["power"])
                await line.say({"do": "power", "on": True})
                async with line_to(panel.url) as other:
                    await asyncio.sleep(pause)
                    await other.say({"do": "put", "card": 1, "slot": "left"})
                    await line.say({"do": "release", "key": "5"})
                    await line.shows("1")
                    await line.say({"do": "take", "card": 1})
                    await line.shows(IDLE)

    run(work())


def test_a_firmware_that_dies_by_itself_leaves_a_dark_box_that_starts_again(panel: Served) -> None:
    async def work() -> None:
        async with line_to(panel.url) as line:
            await line.shows(IDLE)
            os.kill(firmware_of(panel)[0], signal.SIGKILL)
            await line.until(lambda: not line.last("table")["power"])
            assert line.last("screen")["lit"] is False
            await line.say({"do": "power", "on": True})
            await line.shows(IDLE)

    run(work())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_all_with_status_0(panel: Served, number: signal.Signals) -> None:
    async def work() -> None:
        async with line_to(panel.url) as line:
            (firmware,) = firmware_of(panel)
            panel.process.send_signal(number)
            assert await line.hung_up_on() == aiohttp.WSCloseCode.GOING_AWAY
            await asyncio.to_thread(panel.process.wait, 10)
            assert panel.process.returncode == 0
            assert not Path(f"/proc/{firmware}").exists()

    run(work())


def test_a_server_that_is_killed_takes_its_firmware_along(panel: Served) -> None:
    (firmware,) = firmware_of(panel)
    panel.kill()
    give_up = time.monotonic() + 10
    while Path(f"/proc/{firmware}").exists() and _state(firmware) != "Z":
        assert time.monotonic() < give_up, "the firmware plays on, for nobody"
        time.sleep(0.05)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_another_edition_begins_with_the_next_game_and_lays_out_its_cards(
    start_panel: StartPanel,
) -> None:
    panel = start_panel("--edition", "banking")

    async def play() -> None:
        async with line_to(panel.url) as line:
            await line.say({"do": "put", "card": 1, "slot": "left"})
            await line.press("2M")
            await line.shows("17M")

    async def begin_again() -> None:
        async with line_to(panel.url) as line:
            assert line.last("hello")["edition"] == "banking"
            await line.say({"do": "pace", "rate": 60}, {"do": "press", "key": "C"})
            await line.until(lambda: line.last("hello")["edition"] == "europe")
            await line.say({"do": "release", "key": "C"}, {"do": "pace", "rate": 1})
            assert [card["card"] for card in line.last("hello")["cards"]] == [*range(1, 11)]
            assert [card["card"] for card in line.last("hello")["cards"] if card["stranger"]] == [
                9,
                10,
            ]

    run(play())
    panel.stop()
    panel._options = ("--edition", "europe")
    panel.start()
    run(begin_again())


# The command line


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firmware", "sim", "--no-browser", *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_taken_port_says_so_and_names_another(panel: Served, tmp_path: Path) -> None:
    done = command("--port", str(panel.port), "--ledger", tmp_path / "other.db")
    assert done.returncode == 1
    named = re.fullmatch(
        rf"tellerbox: port {panel.port} of 127.0.0.1 is taken; (\d+) is free: say --port \1\n",
        done.stderr,
    )
    assert named
    with socket.create_server(("127.0.0.1", int(named[1]))):
        """It is free indeed."""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "70000"], "--port 70000: a port is a number from 0 to 65535"),
        (["--host", "no such host"], "--host no such host: there is no such address"),
        (
            ["--text", "--board", "virtual"],
            "--text works the software board only; leave out --board, or --text",
        ),
    ],
)
def test_a_wrong_option_is_one_sentence(words: list[str], sentence: str, tmp_path: Path) -> None:
    done = command(*words, "--ledger", tmp_path / "ledger.db")
    assert done.returncode == 1
    assert done.stderr == f"tellerbox: {sentence}\n"


def test_a_board_whose_packages_are_missing_is_one_sentence(
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


def test_a_ledger_that_another_box_holds_is_refused_at_once(panel: Served) -> None:
    done = command("--port", "0", "--ledger", panel.ledger)
    assert done.returncode == 1
    assert done.stderr.startswith(f"tellerbox: {panel.ledger}: ")
    assert done.stderr.count("\n") == 1
