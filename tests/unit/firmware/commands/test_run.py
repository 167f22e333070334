"""``tellerbox run`` on the virtual board in real time."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.cli import main
from firmware.storage.ledger_file import opened_by_box
from hal.console.line import PtyLine
from hal.display.messages import Language
from hal.display.renderer import draw
from hal.display.view import View, ledger_error
from hal.events import Key, Slot
from hal.pi.screens.registry import screen_driver
from hal.wiring import Part
from sim.chips.picc import Picc
from sim.console.wire import ConsoleClient
from sim.virtual import lgpio, plug
from sim.virtual.hardware import Hardware, drivers
from tests import golden
from tests.unit.firmware.notify_socket import NotifySocket

VIEWS = golden.views()
TIMEOUT = 20.0
TAP = 100_000_000
"""Nanoseconds from key down to key up."""


def run(
    arguments: list[str], meanwhile: Callable[[], None], stop: signal.Signals = signal.SIGTERM
) -> int:
    """Run the box; a thread operates it and then stops it with a signal."""
    failed: list[BaseException] = []

    def operate() -> None:
        try:
            meanwhile()
        except BaseException as error:
            failed.append(error)
        os.kill(os.getpid(), stop)

    plug.plugged.clear()
    thread = threading.Thread(target=operate)
    thread.start()
    status = main(["run", "--board", "virtual", *arguments])
    thread.join()
    if failed:
        raise failed[0]
    return status


def hardware() -> Hardware:
    wait_until(lambda: bool(plug.plugged))
    made = plug.plugged[0]
    assert isinstance(made, Hardware)
    return made


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not holds():
        assert time.monotonic() < deadline, "timeout"
        time.sleep(0.01)


def wait_for_view(view: View) -> None:
    box, wanted = hardware(), draw(view).tobytes()
    wait_until(lambda: box.oled.picture().tobytes() == wanted)


def test_box_shows_its_screen_and_turns_it_off_at_the_end(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    assert run(["--ledger", str(ledger)], lambda: wait_for_view(VIEWS["idle"])) == 0
    assert not any(hardware().oled.picture().tobytes())
    assert main(["ledger", "--ledger", str(ledger), "verify"]) == 0


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_closed_terminal_stop_the_box(tmp_path: Path, stop: signal.Signals) -> None:
    arguments = ["--ledger", str(tmp_path / "ledger.db")]
    assert run(arguments, lambda: wait_for_view(VIEWS["idle"]), stop) == 0
    assert not any(hardware().oled.picture().tobytes())


def test_second_signal_does_not_interrupt_the_shutdown(tmp_path: Path) -> None:
    def send_signal() -> None:
        wait_for_view(VIEWS["idle"])
        os.kill(os.getpid(), signal.SIGTERM)

    assert run(["--ledger", str(tmp_path / "ledger.db")], send_signal) == 0
    assert not any(hardware().oled.picture().tobytes())


def test_box_has_its_own_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The simulator's ledger knows the simulated cards."""
    caplog.set_level("INFO")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert (
        run(["--edition", "europe"], lambda: wait_until(lambda: "box-europe.db" in caplog.text))
        == 0
    )
    assert (tmp_path / "tellerbox" / "box-europe.db").exists()


def test_refused_ledger_is_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.app.RETRY_AFTER", 200_000)
    ledger = tmp_path / "ledger.db"
    ledger.write_text("not yet")

    def repair() -> None:
        wait_for_view(ledger_error())
        ledger.unlink()
        wait_for_view(VIEWS["idle"])

    assert run(["--ledger", str(ledger)], repair) == 0


def test_card_gets_a_number_and_the_antennas_are_off_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = ["--ledger", str(tmp_path / "ledger.db")]

    def put_a_card_in() -> None:
        wait_for_view(VIEWS["idle"])
        box = hardware()
        dashes = box.oled.picture().tobytes()
        box.time.plan(box.time.now, lambda: box.put(Slot.LEFT, Picc(b"\x01\x02\x03\x04")))
        wait_until(lambda: box.oled.picture().tobytes() != dashes)

    assert run(ledger, put_a_card_in) == 0
    assert not any(antenna.on for antenna in hardware().antennas.values())
    assert main(["cards", *ledger]) == 0
    assert "01 02 03 04" in capsys.readouterr().out


def test_refused_ledger_shows_on_the_screen_and_stays_untouched(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = tmp_path / "ledger.db"
    ledger.write_text("shopping: milk, bread")

    def press_a_key() -> None:
        wait_for_view(ledger_error())
        box = hardware()
        box.time.plan(box.time.now, lambda: box.press(Key.ONE))
        time.sleep(0.2)
        wait_for_view(ledger_error())

    assert run(["--ledger", str(ledger)], press_a_key) == 1
    assert "this is not a ledger" in caplog.text
    assert ledger.read_text() == "shopping: milk, bread"


def test_pins_of_the_config_file_are_used(tmp_path: Path) -> None:
    config = tmp_path / "box.toml"
    config.write_text(
        '[screen]\nchip = "sh1106"\naddress = 0x3D\n'
        "[buses]\nspi = 1\ni2c = 0\n"
        "[pins]\nbuzzer = 4\nrows = [5, 6, 13, 26]\ncolumns = [12, 16, 22, 23]\n"
    )
    arguments = ["--config", str(config), "--ledger", str(tmp_path / "ledger.db")]
    assert run(arguments, lambda: wait_for_view(VIEWS["idle"])) == 0
    wiring = hardware().wiring
    assert (wiring.buzzer, wiring.spi_bus, wiring.i2c_bus) == (4, 1, 0)
    assert {wire.pin for wire in wiring.wires_of(Part.LEFT_READER)} == {17, 25, 12, 40, 38, 35, 22}


def in_french(view: View) -> View:
    return view._replace(language=Language.FRENCH)


def tap_until_shown(key: Key, view: View) -> None:
    """Repeats the tap: a key that is down before the first scan does nothing (D28)."""
    wait_for_view(VIEWS["idle"])
    box, wanted = hardware(), draw(view).tobytes()
    next_tap = time.monotonic()

    def shown() -> bool:
        nonlocal next_tap
        if time.monotonic() >= next_tap:
            next_tap = time.monotonic() + 1.0
            box.time.plan(box.time.now, lambda: box.press(key))
            box.time.plan(box.time.now + TAP, lambda: box.let_go(key))
        return box.oled.picture().tobytes() == wanted

    wait_until(shown)


@pytest.mark.parametrize(
    ("config", "words", "wanted"),
    [
        ('language = "fr"\n', [], Language.FRENCH),
        ("", ["--language", "fr"], Language.FRENCH),
        ('language = "fr"\n', ["--language", "en"], Language.ENGLISH),
    ],
)
def test_language_of_the_screen(
    tmp_path: Path, config: str, words: list[str], wanted: Language
) -> None:
    (tmp_path / "box.toml").write_text(config)
    arguments = ["--config", str(tmp_path / "box.toml"), "--ledger", str(tmp_path / "box.db")]

    shown = VIEWS["no-card"]._replace(language=wanted)
    assert run([*arguments, *words], lambda: tap_until_shown(Key.FIVE, shown)) == 0


def test_ledger_error_is_translated(tmp_path: Path) -> None:
    (tmp_path / "box.db").write_text("not a ledger")
    arguments = ["--ledger", str(tmp_path / "box.db"), "--language", "fr"]
    assert run(arguments, lambda: wait_for_view(ledger_error(Language.FRENCH))) == 1


def test_console_is_english_while_the_screen_is_french(
    tmp_path: Path,
) -> None:
    line = PtyLine()
    arguments = ["--ledger", str(tmp_path / "box.db"), "--console", line.port, "--language", "fr"]

    def ask() -> None:
        wire = ConsoleClient(line, "the box")
        wire.greet(TIMEOUT)
        assert "message NO CARD" in wire.ask("press 5")
        assert wire.ask("expect message NO CARD") == "ok"
        wait_for_view(in_french(VIEWS["no-card"])._replace(test=True))
        assert wire.ask("expect message PAS DE CARTE").startswith("no: ")

    try:
        assert run(arguments, ask) == 0
    finally:
        line.close()


def test_ledger_error_with_a_console_is_translated(tmp_path: Path) -> None:
    (tmp_path / "box-scratch.db").write_text("not a ledger")
    line = PtyLine()
    arguments = ["--ledger", str(tmp_path / "box.db"), "--console", line.port, "--language", "fr"]
    try:
        shown = ledger_error(Language.FRENCH)._replace(test=True)
        assert run(arguments, lambda: wait_for_view(shown)) == 0
    finally:
        line.close()


def test_missing_hardware_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The tests replace lgpio, but there are no pins."""
    assert main(["run", "--ledger", str(tmp_path / "ledger.db")]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("tellerbox: ")
    assert printed.count("\n") == 1


def test_two_parts_on_one_pin_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "box.toml"
    config.write_text("[pins]\nbuzzer = 25\n")
    assert main(["run", "--board", "virtual", "--config", str(config)]) == 1
    assert "buzzer on GPIO 25, where left reader reset is" in capsys.readouterr().err


@pytest.mark.parametrize("board", ["sim", "virtual"])
def test_play_in_real_time(tmp_path: Path, capsys: pytest.CaptureFixture[str], board: str) -> None:
    script = tmp_path / "turn.box"
    script.write_text(
        "press ,\nexpect message VOLUME 3\nwait 2100ms\nexpect message\n"
        "power off\nwait 100ms\npower on\n"
    )
    began = time.monotonic()
    assert main(["play", "--board", board, "--realtime", str(script)]) == 0
    assert time.monotonic() - began >= 2.2
    assert "turn.box:3: (2 seconds pass ...)" in capsys.readouterr().err


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NotifySocket]:
    """With a watchdog timeout of half a second."""
    address = str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    monkeypatch.setenv("WATCHDOG_USEC", "500000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    made = NotifySocket(address)
    yield made
    made.close()


def test_systemd_is_notified_of_the_first_screen_and_the_stop(
    tmp_path: Path, systemd: NotifySocket
) -> None:
    shown: list[bytes] = []

    def wait_for_ready() -> None:
        assert systemd.receive().startswith("STATUS=edition banking, ledger ")
        shown.append(hardware().oled.picture().tobytes())
        assert systemd.receive() == "READY=1"

    assert run(["--ledger", str(tmp_path / "box.db")], wait_for_ready) == 0
    assert shown == [draw(VIEWS["idle"]).tobytes()]
    systemd.receive_until("STOPPING=1")


def test_box_with_a_ledger_error_is_ready(tmp_path: Path, systemd: NotifySocket) -> None:
    (tmp_path / "box.db").write_text("not a ledger")
    sent: list[str] = []

    def receive_two() -> None:
        sent.extend((systemd.receive(), systemd.receive()))

    assert run(["--ledger", str(tmp_path / "box.db")], receive_two) == 1
    assert sent[0].startswith("STATUS=")
    assert "this is not a ledger" in sent[0]
    assert sent[1] == "READY=1"


FIRST_SCREEN = """
import os, sys
from firmware.cli import main
from firmware.sd_notify import SystemdNotifier
from sim.virtual.plug import board

def first_screen(self, status):
    unneeded = {"gpiozero", "RPi.GPIO", "mfrc522", "firmware.table.menu.entries"}
    print(board().oled.picture().tobytes().hex(), sorted(unneeded & {*sys.modules}))
    sys.stdout.flush()
    os._exit(0)

SystemdNotifier.status = first_screen
main(["run", "--board", "virtual", "--ledger", sys.argv[1]])
"""


def test_first_screen_is_drawn_before_what_it_does_not_need_is_loaded(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_SCREEN, tmp_path / "box.db"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{draw(VIEWS['idle']).tobytes().hex()} []\n"


@pytest.fixture
def pins_in_use(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[View]]:
    """Pins that another program uses; yields the list of the views that are shown."""
    shown: list[View] = []

    def refuse(*_: int) -> int:
        raise lgpio.error("GPIO busy")

    def show(screen: Any, view: View) -> None:
        shown.append(view)
        original(screen, view)

    drivers(Hardware())
    driver: Any = screen_driver("ssd1306")
    original = driver.show
    monkeypatch.setattr(driver, "show", show)
    monkeypatch.setattr(lgpio, "gpio_claim_output", refuse)
    yield shown
    from gpiozero.pins.local import LocalPiFactory

    LocalPiFactory.pins.clear()
    LocalPiFactory._reservations.clear()


def test_screen_is_dark_again_if_the_pins_cannot_be_used(
    tmp_path: Path, pins_in_use: list[View], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--board", "virtual", "--ledger", str(tmp_path / "box.db")]) == 1
    assert [view.lit for view in pins_in_use] == [True, False]
    assert not any(hardware().oled.picture().tobytes())
    assert "GPIO busy; run `tellerbox selftest` for details\n" in capsys.readouterr().err
    assert main(["ledger", "--ledger", str(tmp_path / "box.db"), "verify"]) == 0


def test_second_box_draws_no_ledger_error_on_the_screen_of_the_first(
    tmp_path: Path, pins_in_use: list[View]
) -> None:
    with opened_by_box(tmp_path / "box.db"):
        assert main(["run", "--board", "virtual", "--ledger", str(tmp_path / "box.db")]) == 1
    assert pins_in_use == []


def test_watchdog_survives_a_bus_error_but_not_a_call_that_hangs(
    tmp_path: Path, systemd: NotifySocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, released = threading.Event(), threading.Event()

    def hang(_address: int, _payload: bytes) -> None:
        hangs.set()
        released.wait(TIMEOUT)

    def break_the_screen() -> None:
        systemd.receive_until("READY=1")
        box = hardware()
        box.oled_plugged = False
        box.time.plan(box.time.now, lambda: box.press(Key.COMMA))
        for _ in range(5):
            assert systemd.receive() == "WATCHDOG=1"
        monkeypatch.setattr(box, "i2c", hang)
        try:
            assert hangs.wait(TIMEOUT)
            while systemd.receives_within(0):
                continue
            assert not systemd.receives_within(1)
        finally:
            released.set()
        assert systemd.receive() == "WATCHDOG=1"

    assert run(["--ledger", str(tmp_path / "box.db")], break_the_screen) == 0


def test_all_commands_use_the_ledger_of_the_installed_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TELLERBOX_LEDGER", str(tmp_path / "box.db"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert (
        run(
            ["--edition", "europe"], lambda: wait_for_view(VIEWS["idle"]._replace(edition="europe"))
        )
        == 0
    )
    assert main(["ledger", "verify"]) == 0
    assert main(["cards"]) == 0
    assert (tmp_path / "box.db").exists()
    assert not (tmp_path / "state").exists()
    capsys.readouterr()


def test_card_put_in_while_the_ledger_was_refused_is_admitted_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.app.RETRY_AFTER", 400_000)
    ledger = tmp_path / "box.db"
    ledger.write_text("not yet")

    def put_a_card_in_and_repair() -> None:
        wait_for_view(ledger_error())
        box = hardware()
        box.time.plan(box.time.now, lambda: box.put(Slot.LEFT, Picc(b"\x01\x02\x03\x04")))
        time.sleep(0.3)
        ledger.unlink()
        wait_for_view(VIEWS["new-card"])

    assert run(["--ledger", str(ledger)], put_a_card_in_and_repair) == 0


def test_console_without_a_port_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unset variable in a shell script must not open the real ledger."""
    words = ["run", "--board", "virtual", "--ledger", str(tmp_path / "box.db")]
    assert main([*words, "--console", ""]) == 1
    assert "the console cannot be opened" in capsys.readouterr().err
    assert main([*words, "--console", "/dev/null", "--baud", "99999999999"]) == 1
    assert main([*words, "--console", "/dev/null", "--new-game"]) == 1
    assert "--new-game cannot be used with --console" in capsys.readouterr().err
    assert not (tmp_path / "box.db").exists()
