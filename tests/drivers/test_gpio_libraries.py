"""The drivers on RPi.GPIO itself, with its edges and without, as they are on rpi-lgpio.

A process can have one GPIO library only, so the tests of the other two run in their own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.chips.stand_ins import GpioLibrary
from tests.drivers.harness import LIBRARY, bench

TESTS = [
    *(
        f"tests/drivers/test_{part}.py"
        for part in ("keypad", "buzzer", "slots", "screen", "trouble")
    ),
    __file__,
]


@pytest.mark.skipif(LIBRARY is not GpioLibrary.LGPIO, reason="this is one of the runs it starts")
@pytest.mark.parametrize("library", [GpioLibrary.RPI_GPIO, GpioLibrary.RPI_GPIO_WITHOUT_EDGES])
def test_the_drivers_work_on(library: GpioLibrary) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS],
        env=os.environ | {"TELLERBOX_GPIO": library.value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


def test_gpiozero_follows_the_library_that_is_there() -> None:
    with bench() as b:
        factory = type(b.board._factory).__mro__[1].__name__
    assert factory == ("LGPIOFactory" if LIBRARY is GpioLibrary.LGPIO else "RPiGPIOFactory")


def test_without_edges_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with bench():
        blind = [record for record in caplog.messages if "the keypad is scanned" in record]
    assert len(blind) == (LIBRARY is GpioLibrary.RPI_GPIO_WITHOUT_EDGES)


def test_both_libraries_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench():
        from hal.faults import BoardFault
        from hal.pi.gpio import factory_class

        monkeypatch.setattr("importlib.metadata.distribution", lambda name: name)
        with pytest.raises(BoardFault, match=r"rpi-lgpio and RPi\.GPIO are both installed"):
            factory_class()


@pytest.mark.parametrize(("installed", "mended"), [("rpi-lgpio", False), ("RPi.GPIO", True)])
def test_a_library_that_refuses_the_machine(
    monkeypatch: pytest.MonkeyPatch, installed: str, mended: bool
) -> None:
    """Only RPi.GPIO itself can be replaced by something better."""
    with bench():
        from hal.faults import BoardFault
        from hal.pi import gpio

        def refuse() -> None:
            raise RuntimeError("This module can only be run on a Raspberry Pi!")

        monkeypatch.setattr(gpio, "_is_installed", lambda name: name == installed)
        monkeypatch.setattr(gpio, "somewhere_writable", refuse)
        with pytest.raises(BoardFault, match="refuses this machine") as caught:
            gpio.factory_class()
        assert ("pip uninstall" in str(caught.value)) is mended


def test_only_lgpio_has_the_kernels_stamps() -> None:
    with bench() as b:
        from hal.pi.gpio import stamps_by_kernel

        assert stamps_by_kernel(b.board._factory) is (LIBRARY is GpioLibrary.LGPIO)


def test_no_library_at_all_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench():
        from hal.faults import BoardFault
        from hal.pi.gpio import factory_class

        monkeypatch.setitem(sys.modules, "RPi.GPIO", None)
        with pytest.raises(BoardFault, match="`make pi` installs it"):
            factory_class()


def test_the_library_finds_a_place_for_its_pipe_and_everybody_stays_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hal.pi.gpio import somewhere_writable

    monkeypatch.chdir(tmp_path)
    with somewhere_writable():
        there = Path.cwd()
        (there / "pipe").touch()
    assert Path.cwd() == tmp_path
    assert list(tmp_path.iterdir()) == []
    assert not there.exists()
