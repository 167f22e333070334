"""``tellerbox run`` on the virtual board and the wall clock, as the box runs on a Pi."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware.cli import main
from hal.console.line import PtyLine
from hal.events import Key, Slot
from hal.language import Language
from hal.picture import draw
from hal.view import View, ledger_error
from hal.wiring import Part
from sim.chips import plug
from sim.chips.picc import Picc
from sim.virtual import Hardware
from sim.wire import Wire
from tests import golden
from tests.unit.systemd_ear import Systemd

VIEWS = golden.views()
PATIENCE = 20.0


def run(
    arguments: list[str], meanwhile: Callable[[], None], stop: signal.Signals = signal.SIGTERM
) -> int:
    """Start the box; somebody does something with it and then stops it by a signal."""
    failed: list[BaseException] = []

    def somebody() -> None:
        try:
            meanwhile()
        except BaseException as error:
            failed.append(error)
        os.kill(os.getpid(), stop)

    plug.plugged.clear()
    person = threading.Thread(target=somebody)
    person.start()
    status = main(["run", "--board", "virtual", *arguments])
    person.join()
    if failed:
        raise failed[0]
    return status


def hardware() -> Hardware:
    until(lambda: bool(plug.plugged))
    made = plug.plugged[0]
    assert isinstance(made, Hardware)
    return made


def until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < give_up, "it never came about"
        time.sleep(0.01)


def see(view: View) -> None:
    box = hardware()
    until(lambda: box.oled.picture().tobytes() == draw(view).tobytes())


def test_the_box_starts_shows_its_screen_and_stops_dark(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    assert run(["--ledger", str(ledger)], lambda: see(VIEWS["idle"])) == 0
    assert not any(hardware().oled.picture().tobytes())
    assert main(["ledger", "--ledger", str(ledger), "verify"]) == 0


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_lost_terminal_stop_it_too(tmp_path: Path, stop: signal.Signals) -> None:
    arguments = ["--ledger", str(tmp_path / "ledger.db")]
    assert run(arguments, lambda: see(VIEWS["idle"]), stop) == 0
    assert not any(hardware().oled.picture().tobytes())


def test_a_second_signal_does_not_keep_it_from_tidying_up(tmp_path: Path) -> None:
    def impatient() -> None:
        see(VIEWS["idle"])
        os.kill(os.getpid(), signal.SIGTERM)

    assert run(["--ledger", str(tmp_path / "ledger.db")], impatient) == 0
    assert not any(hardware().oled.picture().tobytes())


def test_the_box_has_a_ledger_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The simulator's knows the simulator's cards."""
    caplog.set_level("INFO")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run(["--edition", "europe"], lambda: until(lambda: "box-europe.db" in caplog.text)) == 0
    assert (tmp_path / "tellerbox" / "box-europe.db").exists()


def test_a_ledger_that_was_refused_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.run_command.TRY_AGAIN_EVERY", 200_000)
    ledger = tmp_path / "ledger.db"
    ledger.write_text("not yet")

    def mend() -> None:
        see(ledger_error())
        ledger.unlink()
        see(VIEWS["idle"])

    assert run(["--ledger", str(ledger)], mend) == 0


def test_a_card_gets_its_number_and_the_readers_rest_afterwards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = ["--ledger", str(tmp_path / "ledger.db")]

    def put_a_card_in() -> None:
        see(VIEWS["idle"])
        box = hardware()
        dashes = box.oled.picture().tobytes()
        box.world.plan(box.world.now, lambda: box.put(Slot.LEFT, Picc(b"\x01\x02\x03\x04")))
        until(lambda: box.oled.picture().tobytes() != dashes)

    assert run(ledger, put_a_card_in) == 0
    assert not any(antenna.on for antenna in hardware().antennas.values())
    assert main(["cards", *ledger]) == 0
    assert "01 02 03 04" in capsys.readouterr().out


def test_a_ledger_that_is_refused_shows_on_the_screen_and_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = tmp_path / "ledger.db"
    ledger.write_text("shopping: milk, bread")

    def look_and_press() -> None:
        see(ledger_error())
        box = hardware()
        box.world.plan(box.world.now, lambda: box.press(Key.ONE))
        time.sleep(0.2)
        see(ledger_error())

    assert run(["--ledger", str(ledger)], look_and_press) == 1
    assert "this is not a ledger" in caplog.text
    assert ledger.read_text() == "shopping: milk, bread"


def test_pins_of_the_config_file_are_the_ones_used(tmp_path: Path) -> None:
    config = tmp_path / "box.toml"
    config.write_text(
        '[screen]\nchip = "sh1106"\naddress = 0x3D\n'
        "[buses]\nspi = 1\ni2c = 0\n"
        "[pins]\nbuzzer = 4\nrows = [5, 6, 13, 26]\ncolumns = [12, 16, 22, 23]\n"
    )
    arguments = ["--config", str(config), "--ledger", str(tmp_path / "ledger.db")]
    assert run(arguments, lambda: see(VIEWS["idle"])) == 0
    wiring = hardware().wiring
    assert (wiring.buzzer, wiring.spi_bus, wiring.i2c_bus) == (4, 1, 0)
    assert {wire.pin for wire in wiring.wires_of(Part.LEFT_READER)} == {17, 25, 12, 40, 38, 35, 22}


def in_french(view: View) -> View:
    return view._replace(language=Language.FRENCH)


def a_key_without_a_card() -> None:
    see(VIEWS["idle"])
    box = hardware()
    box.world.plan(box.world.now, lambda: box.press(Key.FIVE))


@pytest.mark.parametrize(
    ("config", "words", "wanted"),
    [
        ('language = "fr"\n', [], Language.FRENCH),
        ("", ["--language", "fr"], Language.FRENCH),
        ('language = "fr"\n', ["--language", "en"], Language.ENGLISH),
    ],
)
def test_the_screen_speaks_the_language_that_was_asked_for(
    tmp_path: Path, config: str, words: list[str], wanted: Language
) -> None:
    (tmp_path / "box.toml").write_text(config)
    arguments = ["--config", str(tmp_path / "box.toml"), "--ledger", str(tmp_path / "box.db")]

    def look() -> None:
        a_key_without_a_card()
        see(VIEWS["no-card"]._replace(language=wanted))

    assert run([*arguments, *words], look) == 0


def test_a_refused_ledger_is_told_in_the_language_too(tmp_path: Path) -> None:
    (tmp_path / "box.db").write_text("not a ledger")
    arguments = ["--ledger", str(tmp_path / "box.db"), "--language", "fr"]
    assert run(arguments, lambda: see(ledger_error(Language.FRENCH))) == 1


def test_over_the_wire_the_messages_stay_english_and_the_screen_is_french(
    tmp_path: Path,
) -> None:
    line = PtyLine()
    arguments = ["--ledger", str(tmp_path / "box.db"), "--console", line.port, "--language", "fr"]

    def ask() -> None:
        wire = Wire(line, "the box")
        wire.greet(PATIENCE)
        assert "message NO CARD" in wire.ask("press 5")
        assert wire.ask("expect message NO CARD") == "ok"
        see(in_french(VIEWS["no-card"])._replace(test=True))
        assert wire.ask("expect message PAS DE CARTE").startswith("no: ")

    try:
        assert run(arguments, ask) == 0
    finally:
        line.close()


def test_a_console_that_refuses_its_ledger_says_so_in_french(tmp_path: Path) -> None:
    (tmp_path / "box-scratch.db").write_text("not a ledger")
    line = PtyLine()
    arguments = ["--ledger", str(tmp_path / "box.db"), "--console", line.port, "--language", "fr"]
    try:
        shown = ledger_error(Language.FRENCH)._replace(test=True)
        assert run(arguments, lambda: see(shown)) == 0
    finally:
        line.close()


def test_off_the_pi_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The tests have a stand-in for lgpio, but no pins."""
    assert main(["run", "--ledger", str(tmp_path / "ledger.db")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("tellerbox: ")
    assert said.count("\n") == 1


def test_two_parts_on_one_pin_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "box.toml"
    config.write_text("[pins]\nbuzzer = 25\n")
    assert main(["run", "--board", "virtual", "--config", str(config)]) == 1
    assert "buzzer on GPIO 25, where left reader reset is" in capsys.readouterr().err


@pytest.mark.parametrize("board", ["sim", "virtual"])
def test_a_script_may_run_on_the_wall_clock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], board: str
) -> None:
    script = tmp_path / "turn.box"
    script.write_text(
        "press 5\nexpect message NO CARD\nwait 2100ms\nexpect message\n"
        "power off\nwait 100ms\npower on\n"
    )
    began = time.monotonic()
    assert main(["play", "--board", board, "--realtime", str(script)]) == 0
    assert time.monotonic() - began >= 2.2
    assert "turn.box:3: (2 seconds pass ...)" in capsys.readouterr().err


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    """Who has started the box, and has a watchdog that bites after half a second."""
    address = str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    monkeypatch.setenv("WATCHDOG_USEC", "500000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    made = Systemd(address)
    yield made
    made.close()


def test_systemd_hears_when_the_first_screen_is_drawn_and_that_it_stops(
    tmp_path: Path, systemd: Systemd
) -> None:
    shown: list[bytes] = []

    def listen() -> None:
        systemd.until_heard("READY=1")
        shown.append(hardware().oled.picture().tobytes())

    assert run(["--ledger", str(tmp_path / "box.db")], listen) == 0
    assert shown == [draw(VIEWS["idle"]).tobytes()]
    systemd.until_heard("STOPPING=1")


def test_a_box_that_shows_ledger_error_is_up(tmp_path: Path, systemd: Systemd) -> None:
    (tmp_path / "box.db").write_text("not a ledger")
    heard: list[str] = []
    assert run(["--ledger", str(tmp_path / "box.db")], lambda: heard.append(systemd.heard())) == 1
    assert heard[0].startswith("READY=1\nSTATUS=")
    assert "this is not a ledger" in heard[0]


def test_a_bus_error_feeds_the_watchdog_on_and_a_call_that_hangs_starves_it(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, released = threading.Event(), threading.Event()

    def hang(_address: int, _payload: bytes) -> None:
        hangs.set()
        released.wait(PATIENCE)

    def go_wrong() -> None:
        systemd.until_heard("READY=1")
        box = hardware()
        box.oled_plugged = False
        box.world.plan(box.world.now, lambda: box.press(Key.COMMA))
        for _ in range(5):
            assert systemd.heard() == "WATCHDOG=1"
        monkeypatch.setattr(box, "i2c", hang)
        try:
            assert hangs.wait(PATIENCE)
            while systemd.heard_in(0):
                continue
            assert not systemd.heard_in(1)
        finally:
            released.set()
        assert systemd.heard() == "WATCHDOG=1"

    assert run(["--ledger", str(tmp_path / "box.db")], go_wrong) == 0


def test_the_ledger_of_an_installed_box_has_one_name_for_all_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TELLERBOX_LEDGER", str(tmp_path / "box.db"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert run(["--edition", "europe"], lambda: see(VIEWS["idle"]._replace(edition="europe"))) == 0
    assert main(["ledger", "verify"]) == 0
    assert main(["cards"]) == 0
    assert (tmp_path / "box.db").exists()
    assert not (tmp_path / "state").exists()
    capsys.readouterr()


def test_a_card_put_in_while_the_ledger_was_refused_counts_as_just_put_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.run_command.TRY_AGAIN_EVERY", 400_000)
    ledger = tmp_path / "box.db"
    ledger.write_text("not yet")

    def put_and_mend() -> None:
        see(ledger_error())
        box = hardware()
        box.world.plan(box.world.now, lambda: box.put(Slot.LEFT, Picc(b"\x01\x02\x03\x04")))
        time.sleep(0.3)
        ledger.unlink()
        see(VIEWS["new-card"])

    assert run(["--ledger", str(ledger)], put_and_mend) == 0


def test_a_console_without_a_name_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unset variable in somebody's script must not open the table's own ledger."""
    words = ["run", "--board", "virtual", "--ledger", str(tmp_path / "box.db")]
    assert main([*words, "--console", ""]) == 1
    assert "the console cannot be opened" in capsys.readouterr().err
    assert main([*words, "--console", "/dev/null", "--baud", "99999999999"]) == 1
    assert main([*words, "--console", "/dev/null", "--new-game"]) == 1
    assert "--new-game does not go with --console" in capsys.readouterr().err
    assert not (tmp_path / "box.db").exists()
