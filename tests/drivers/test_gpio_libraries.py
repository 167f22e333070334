"""The drivers on the original RPi.GPIO, with and without edges.

A process can use only one GPIO library, so these tests run in processes of their own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drivers.harness import LIBRARY, bench
from tests.drivers.rpi_gpio import GpioLibrary

PINS = ("keypad", "buzzer")
"""The parts on GPIO pins. The others have at most a reset pin."""
OTHERS = ("slots", "screen", "hardware_errors")


@pytest.mark.skipif(
    LIBRARY is not GpioLibrary.LGPIO, reason="this process was started by this test"
)
@pytest.mark.parametrize("parts", [PINS, pytest.param(OTHERS, marks=pytest.mark.long)])
@pytest.mark.parametrize("library", [GpioLibrary.RPI_GPIO, GpioLibrary.RPI_GPIO_WITHOUT_EDGES])
def test_drivers_work_on(library: GpioLibrary, parts: tuple[str, ...]) -> None:
    tests = [__file__, *(f"tests/drivers/test_{part}.py" for part in parts)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        env=os.environ | {"TELLERBOX_GPIO": library.value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


def test_gpiozero_uses_the_installed_library() -> None:
    with bench() as b:
        factory = type(b.board._factory).__mro__[1].__name__
    assert factory == ("LGPIOFactory" if LIBRARY is GpioLibrary.LGPIO else "RPiGPIOFactory")


def test_missing_edges_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with bench():
        warnings = [record for record in caplog.messages if "the keypad is scanned" in record]
    assert len(warnings) == (LIBRARY is GpioLibrary.RPI_GPIO_WITHOUT_EDGES)


def test_both_libraries_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench():
        from hal.faults import BoardFault
        from hal.pi.gpio import factory_class

        monkeypatch.setattr("importlib.metadata.distribution", lambda name: name)
        with pytest.raises(BoardFault, match=r"rpi-lgpio and RPi\.GPIO are both installed"):
            factory_class()


@pytest.mark.parametrize(("installed", "has_remedy"), [("rpi-lgpio", False), ("RPi.GPIO", True)])
def test_library_that_does_not_support_the_machine(
    monkeypatch: pytest.MonkeyPatch, installed: str, has_remedy: bool
) -> None:
    """Only the original RPi.GPIO has a better replacement."""
    with bench():
        from hal.faults import BoardFault
        from hal.pi import gpio

        def refuse() -> None:
            raise RuntimeError("This module can only be run on a Raspberry Pi!")

        monkeypatch.setattr(gpio, "_is_installed", lambda name: name == installed)
        monkeypatch.setattr(gpio, "somewhere_writable", refuse)
        with pytest.raises(BoardFault, match="refuses this machine") as caught:
            gpio.factory_class()
        assert ("pip uninstall" in str(caught.value)) is has_remedy


def test_only_lgpio_has_kernel_timestamps() -> None:
    with bench() as b:
        from hal.pi.gpio import has_kernel_timestamps

        assert has_kernel_timestamps(b.board._factory) is (LIBRARY is GpioLibrary.LGPIO)


def test_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench():
        from hal.faults import BoardFault
        from hal.pi.gpio import factory_class

        monkeypatch.setitem(sys.modules, "RPi.GPIO", None)
        with pytest.raises(BoardFault, match="`make pi` installs it"):
            factory_class()


def test_import_in_a_temporary_directory_restores_the_current_one(
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
