"""``tellerbox play --serial``: devices, sockets, and boxes that do not answer."""

import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.user_error import UserError
from hal.console.line import PtyLine
from sim.console.wire import ConsoleClient, connected
from tests.console.lines import PATIENCE, BoxOnLine, box_on_line
from tests.processes import children, children_still_there
from tests.unit.command_line import TELLERBOX

SCENARIOS = Path(__file__).parent.parent / "scenarios"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoxOnLine]:
    with box_on_line(tmp_path_factory.mktemp("box")) as made:
        yield made


@contextmanager
def bridged(one: int, other: int) -> Iterator[None]:
    """Copy bytes between two descriptors, like a cable."""
    end, stop = os.pipe()

    def carry() -> None:
        while end not in (ready := select.select([one, other, end], [], [])[0]):
            for source in ready:
                os.write(other if source == one else one, os.read(source, 4096))

    cable = threading.Thread(target=carry)
    cable.start()
    try:
        yield
    finally:
        os.write(stop, b"!")
        cable.join()


def test_scripts_play_on_a_device(box: BoxOnLine, capsys: pytest.CaptureFixture[str]) -> None:
    other_end = PtyLine()
    with bridged(box.line._own_end, other_end._own_end):
        files = [str(SCENARIOS / f"{name}.box") for name in ("flow-rent", "s9-same-card")]
        assert main(["play", "--serial", other_end.port, "--skip-waits", *files]) == 0
    assert "2 passed, 0 failed" in capsys.readouterr().out
    other_end.close()


def test_scripts_play_over_a_socket(box: BoxOnLine, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        ready: list[socket.socket] = []
        accept = threading.Thread(target=lambda: ready.append(server.accept()[0]))
        accept.start()
        with connected_late(url, accept, ready, box) as wire:
            assert wire.ask("new") == "ok"
            assert wire.ask("insert left 4") == "ok screen 4 | sound card"
    capsys.readouterr()


@contextmanager
def connected_late(
    url: str, accept: threading.Thread, ready: list[socket.socket], box: BoxOnLine
) -> Iterator[ConsoleClient]:
    """Bridge the socket to the box as soon as a client has connected."""
    stop = threading.Event()

    def carry() -> None:
        accept.join()
        with ready[0], bridged(box.line._own_end, ready[0].fileno()):
            stop.wait()

    cable = threading.Thread(target=carry)
    cable.start()
    try:
        with connected(url, 115200) as wire:
            yield wire
    finally:
        stop.set()
        cable.join()


def test_unmet_expectation_names_its_file_and_line(
    box: BoxOnLine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.box", tmp_path / "good.box"
    bad.write_text("# a comment\ninsert left 1\nexpect screen 7\nexpect screen 8\n")
    good.write_text("given cards none\ninsert left 1\nexpect message NEW CARD\n")
    other_end = PtyLine()
    with bridged(box.line._own_end, other_end._own_end):
        assert main(["play", "--serial", other_end.port, str(bad), str(good)]) == 1
    said = capsys.readouterr()
    assert f"{bad}:3: expected screen 7, got 1" in said.err
    assert "screen 8" not in said.err
    assert f"ok {good}" in said.out
    other_end.close()


def test_invalid_script_is_not_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.box"
    wrong.write_text("insert left 1\nfly away\n")
    assert main(["play", "--serial", "/dev/nowhere", str(wrong)]) == 2
    assert f"{wrong}:2: there is no 'fly'" in capsys.readouterr().err


def test_script_with_a_fault_is_not_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    breaks, holds = tmp_path / "breaks.box", tmp_path / "holds.box"
    breaks.write_text("insert left 1\n\nfault reader left\nfault screen\n")
    holds.write_text("insert left 1\n")
    assert main(["play", "--serial", "/dev/nowhere", str(holds), str(breaks)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"{breaks}:3: 'fault reader left' needs a simulated box, not one on a serial line"
    ]


def test_missing_port_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    script = str(SCENARIOS / "flow-rent.box")
    assert main(["play", "--serial", "/dev/nowhere", script]) == 1
    assert "/dev/nowhere: cannot be opened: No such file" in capsys.readouterr().err
    assert main(["play", "--serial", "nonsense://x", script]) == 1
    assert "nonsense://x: cannot be opened" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--by-hand", "--skip-waits", "--report=page.txt"])
def test_option_that_needs_a_serial_port_is_refused(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", option, str(SCENARIOS / "flow-rent.box")]) == 2
    assert "needs --serial PORT" in capsys.readouterr().err


def test_missing_box_is_reported() -> None:
    line = PtyLine()
    with pytest.raises(UserError, match="the line: no box answers"):
        ConsoleClient(line, "the line").greet(0.6)
    line.close()


def test_endless_flood_takes_no_memory() -> None:
    class Chatter:
        def send(self, what: bytes) -> None: ...

        def receive(self, seconds: float) -> bytes:
            del seconds
            return b"x" * 5000

    wire = ConsoleClient(Chatter(), "chatter")
    assert wire._next(0.05) is None
    assert len(wire._rest) <= 15_000


def test_end_of_a_box_that_was_started_here_is_noticed_at_once() -> None:
    def kill_box() -> None:
        with connected("virtual:", 115200) as wire:
            assert isinstance(wire._line, PtyLine)
            assert wire._line.program is not None
            wire.say("wait 1h")
            wire._line.program.kill()
            wire.answer("wait 1h", 3600)

    with pytest.raises(UserError, match="the box that was started here has ended"):
        kill_box()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_box_ends_with_the_program_that_started_it(tmp_path: Path, number: int) -> None:
    script = tmp_path / "long.box"
    script.write_text("insert left 1\nwait 10m\n")
    before = children()
    with subprocess.Popen(
        [*TELLERBOX, "play", "--serial", "virtual:", str(script)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as play:
        assert play.stderr
        assert play.stderr.readline() == "(600 seconds pass ...)\n"
        assert len(children(play.pid)) == 1
        play.send_signal(number)
        play.wait()
        # The box has become a child of this process.
        assert not children_still_there(before, PATIENCE)


def test_config_file_is_for_a_box_that_is_started_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "box.toml"
    config.write_text('[screen]\nchip = "sh1106"\n')
    with connected("virtual:", 115200, str(config)) as wire:
        assert "screen sh1106" in wire.ask("parts")
    script = str(SCENARIOS / "flow-rent.box")
    words = ["play", "--serial", "/dev/null", "--config", str(config), script]
    assert main(words) == 1
    assert "a config file is for a box that is started here" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--trace", "--realtime", "--board=virtual", "--report=x"])
def test_option_that_a_serial_box_lacks_is_refused(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--serial", "virtual:", option, str(SCENARIOS / "flow-rent.box")]) == 2
    assert option.partition("=")[0] in capsys.readouterr().err
