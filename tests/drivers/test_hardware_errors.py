"""Failing pins and buses: the start reports the pin; later the box continues."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hal.display.sounds import Sound
from hal.events import CardIn, Key, Slot
from hal.faults import BoardFault
from hal.findings import Access
from hal.wiring import Wiring
from sim.virtual import lgpio
from sim.virtual.hardware import Hardware, drivers
from tests import golden
from tests.drivers.harness import LIBRARY, MS, NANOS, Bench, bench, intercept, load_packages
from tests.drivers.rpi_gpio import GpioLibrary
from tests.drivers.test_keypad import keys, tap

BUSY: Exception = (
    lgpio.error("GPIO busy") if LIBRARY is GpioLibrary.LGPIO else RuntimeError("GPIO busy")
)


@contextmanager
def failing(hardware: Hardware, call: str, when: Callable[..., bool]) -> Iterator[list[Any]]:
    """Make calls of a method fail if ``when`` is true of their arguments; yield these calls."""
    original, failed = getattr(hardware, call), []

    def replacement(*arguments: Any) -> Any:
        if when(*arguments):
            failed.append(arguments)
            raise BUSY
        return original(*arguments)

    restore = intercept(hardware, call, replacement)
    try:
        yield failed
    finally:
        restore()


reads_can_fail = pytest.mark.skipif(
    LIBRARY is GpioLibrary.RPI_GPIO,
    reason="RPi.GPIO reads the processor's registers, also in its thread for edges",
)
PIN_CALLS = [pytest.param("read", marks=reads_can_fail), "claim_input", "claim_output"]


def always(*_: object) -> bool:
    return True


def nth(number: int) -> Callable[..., bool]:
    """True for the n-th call only."""
    counted = iter(range(1, 1_000_000))
    return lambda *_: next(counted) == number


# At the start


@pytest.mark.parametrize(
    ("call", "pin", "wire"),
    [
        ("claim_input", 5, "the keypad's R1 to pin 29 (GPIO 5, row 1)"),
        ("claim_input", 19, "the keypad's R4 to pin 35 (GPIO 19, row 4)"),
        ("claim_output", 16, "the keypad's C2 to pin 36 (GPIO 16, column 2)"),
        ("claim_output", 18, "the buzzer's + to pin 12 (GPIO 18, tone, through 220 Ω)"),
    ],
)
def test_busy_pin_is_named_at_the_start(call: str, pin: int, wire: str) -> None:
    load_packages()
    hardware = Hardware()
    with (
        failing(hardware, call, lambda claimed, *_: claimed == pin),
        pytest.raises(BoardFault) as caught,
    ):
        Bench(hardware)
    assert str(caught.value) == f"the pins cannot be used: {wire}: {BUSY}"
    reset_libraries()


def reset_libraries() -> None:
    """Reset the libraries, as the end of the process would."""
    import RPi.GPIO as GPIO
    from gpiozero.pins.local import LocalPiFactory

    LocalPiFactory.pins.clear()
    LocalPiFactory._reservations.clear()
    GPIO.setwarnings(False)
    GPIO.cleanup()


def test_gpio_chip_that_cannot_be_opened_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench():
        from hal.pi import open_board

    def refuse() -> None:
        raise BUSY

    monkeypatch.setattr(open_board, "factory_class", lambda: refuse)
    with pytest.raises(BoardFault, match=r"^the pins cannot be used: /dev/gpiochip0: "):
        open_board.open_pins()


@pytest.mark.parametrize("access", [Access.MISSING, Access.FORBIDDEN])
def test_pins_without_a_usable_device_file_are_reported_before_the_first_screen(
    monkeypatch: pytest.MonkeyPatch, access: Access
) -> None:
    with bench():
        from hal.pi import open_board

    monkeypatch.setattr(open_board.PiSystem, "access", lambda *_: access)
    with (
        pytest.raises(BoardFault, match=f"^the pins cannot be used: .* {access.value}$"),
        open_board.opened(Wiring()),
    ):
        pass


@pytest.mark.skipif(LIBRARY is not GpioLibrary.LGPIO, reason="RPi.GPIO keeps the pull-up")
@pytest.mark.parametrize("row", range(4))
def test_row_without_edges_keeps_its_pull_up(row: int) -> None:
    """lgpio frees a pin before it claims it for edges; a floating row would read as pressed."""
    load_packages()
    hardware = Hardware()
    pin = hardware.wiring.rows[row]
    claims = iter(range(1, 100))

    def fails(claimed: int, _pull: str) -> bool:
        if claimed != pin or next(claims) != 4:  # created, input, pull-up, edges
            return False
        hardware._pulled_up.discard(pin)
        return True

    with failing(hardware, "claim_input", fails) as failed:
        b = Bench(hardware)
    assert failed
    assert not b.board.keypad.has_edges
    b.run(200 * MS)
    for key in Key:
        tap(b, key)
    assert keys(b.events) == " ".join(f"+{key.value} -{key.value}" for key in Key)
    b.board.cut_power()


# During a game: the keypad


@pytest.mark.parametrize("call", PIN_CALLS)
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8, 20, 25, 60])
def test_single_pin_error_loses_no_key(call: str, number: int) -> None:
    with bench() as b:
        b.run(100 * MS)
        with failing(b.hardware, call, nth(number)) as failed:
            tap(b, Key.FIVE)
            tap(b, Key.SIX)
        assert len(failed) == 1
        assert keys(b.events) == "+5 -5 +6 -6"


@pytest.mark.parametrize("call", PIN_CALLS)
def test_failed_scan_is_repeated(call: str) -> None:
    """No scans at rest, and every key has its edge again."""
    with bench() as b:
        b.run(100 * MS)
        with failing(b.hardware, call, always) as failed:
            tap(b, Key.ONE)
            b.run(100 * MS)
            tap(b, Key.NINE)
        assert len(failed) > 2
        b.run(1_000 * MS)
        b.board.rest(True)
        b.run(100 * MS)
        b.events.clear()
        if b.board.keypad.has_edges:
            writes = b.hardware.pin_writes
            b.run(2_000 * MS)
            assert b.hardware.pin_writes == writes
        for key in Key:
            tap(b, key)
        assert keys(b.events) == " ".join(f"+{key.value} -{key.value}" for key in Key)


@reads_can_fail
def test_unreadable_key_is_released_after_a_second() -> None:
    """Neither a short C, which would undo a move, nor a long one, which starts a new game."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.press(Key.CANCEL)
        b.run(100 * MS)
        with failing(b.hardware, "read", always):
            b.run(900 * MS)
            assert keys(b.events) == "+C"
            b.run(5_000 * MS)
            down, up = b.events
            assert 1_000 * MS <= up.at - down.at <= 1_200 * MS
        b.run(5_000 * MS)
        assert keys(b.events) == "+C -C", "the key was not pressed again"
        b.hardware.let_go(Key.CANCEL)
        b.run(100 * MS)
        tap(b, Key.CANCEL)
        assert keys(b.events) == "+C -C +C -C"


@reads_can_fail
def test_key_pressed_while_unreadable_has_the_time_of_the_scan() -> None:
    """With the time of its edge, a tap on C would start a new game."""
    with bench() as b:
        b.run(100 * MS)
        with failing(b.hardware, "read", always):
            b.hardware.press(Key.CANCEL)
            b.run(5_000 * MS)
        b.run(100 * MS)
        (down,) = b.events
        assert b.now - 150 * MS <= down.at


@reads_can_fail
def test_unreadable_keypad_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "tellerbox.keypad")
    with bench() as b:
        b.run(100 * MS)
        caplog.clear()
        with failing(b.hardware, "read", always):
            tap(b, Key.ONE)
            b.run(1_000 * MS)
        b.run(1_000 * MS)
        assert caplog.messages == [
            f"the keypad cannot be read: {BUSY}",
            "the keypad can be read again",
        ]


@pytest.mark.parametrize("held", ["C", "1", "1C", "1K7", "1245"])
def test_key_that_is_down_at_the_start_is_ignored_until_released(held: str) -> None:
    """A stuck C would start a new game three seconds after each start."""
    load_packages()
    hardware = Hardware()
    for letter in held:
        hardware.press(Key(letter))
    b = Bench(hardware)
    b.run(5_000 * MS)
    assert keys(b.events) == ""
    tap(b, Key.NINE)
    for letter in held:
        hardware.let_go(Key(letter))
        b.run(60 * MS)
    for letter in held:
        tap(b, Key(letter))
    assert keys(b.events).removeprefix("+9 -9 ") == " ".join(f"+{k} -{k}" for k in held)
    b.board.cut_power()


# During a game: the buzzer


def test_failed_note_is_skipped() -> None:
    with bench() as b:
        b.run(100 * MS)
        with failing(b.hardware, "pwm", nth(1)):
            b.board.buzzer.play(Sound.ALARM, 3)
            b.run(3_000 * MS)
        heard = b.hardware.piezo.heard(b.hardware.time.now)
        assert len(heard) == 3
        assert b.hardware.piezo.duty == 0


@pytest.mark.parametrize("asleep", [False, True])
def test_end_of_a_tone_is_retried(asleep: bool, caplog: pytest.LogCaptureFixture) -> None:
    with bench() as b:
        b.run(100 * MS)
        caplog.clear()
        b.board.buzzer.play(Sound.KEY, 3)
        assert b.hardware.piezo.duty
        b.board.rest(asleep)
        with failing(b.hardware, "pwm", always):
            b.run(500 * MS)
            assert b.hardware.piezo.duty, "the failure keeps the tone on"
        assert len(caplog.messages) == 1
        ended = b.hardware.time.now
        b.run(500 * MS)
        *_, last = b.hardware.piezo.heard(b.hardware.time.now)
        assert last.start + last.length <= ended + 200 * MS * NANOS
        assert b.hardware.piezo.frequency == (0 if asleep else 50)


# During a game: the readers


def test_recreated_reader_does_not_leak() -> None:
    """The package adds a log handler for each reader."""
    import logging

    with bench() as b:
        resets = (b.hardware.wiring.left_reset, b.hardware.wiring.right_reset)
        with failing(b.hardware, "claim_output", lambda pin, _level: pin in resets):
            b.run(20_000 * MS)
        assert len(logging.getLogger("mfrc522Logger").handlers) <= len(Slot)
        b.run(2_000 * MS)
        b.put(Slot.LEFT, bytes.fromhex("A1C0FFEE"))
        assert b.run_until_event(500 * MS)


@pytest.mark.parametrize("lost", range(1, 30))
def test_lost_transfer_at_the_start_is_recovered(lost: int) -> None:
    """A lost write goes unnoticed; without modulation, the chip answers but cards do not."""
    load_packages()
    hardware = Hardware()
    original, transfers = hardware.spi, iter(range(1, 1_000_000))

    def lossy(device: int, sent: bytes, speed: int) -> bytes:
        return bytes(len(sent)) if next(transfers) == lost else original(device, sent, speed)

    intercept(hardware, "spi", lossy)
    b = Bench(hardware)
    b.run(1_300 * MS)
    b.events.clear()
    for slot in Slot:
        b.put(slot, bytes.fromhex("A1C0FFEE"))
    b.run(300 * MS)
    assert [type(event) for event in b.events] == [CardIn, CardIn]
    b.board.cut_power()


def test_bug_is_not_taken_for_a_lost_reader() -> None:
    with bench() as b:
        b.run(100 * MS)
        b.board._gpio.slots._drivers[0]._reader.scan = lambda _known: 1 // 0
        with pytest.raises(ZeroDivisionError):
            b.run(1_000 * MS)


# At the end


def test_close_continues_if_pins_cannot_be_freed() -> None:
    with bench() as b:
        b.run(100 * MS)
        with (
            failing(b.hardware, "claim_input", always) as failed,
            failing(b.hardware, "pwm", always),
        ):
            b.board.close()
        assert LIBRARY is not GpioLibrary.LGPIO or len(failed) >= 8, "each pin is tried"


def test_hardware_errors() -> None:
    with bench() as b:
        drivers(b.hardware)
        from hal.pi.hardware_errors import HARDWARE_ERRORS

        assert isinstance(BUSY, HARDWARE_ERRORS)
        assert (lgpio.error in HARDWARE_ERRORS) is (LIBRARY is GpioLibrary.LGPIO)
        assert not issubclass(ZeroDivisionError, HARDWARE_ERRORS)


# A bus that hangs


def test_keys_work_while_the_i2c_bus_hangs() -> None:
    """Each attempt blocks for a second, so there is only one every half minute."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.i2c_stuck = True
        views = [golden.views()[name] for name in ("balance", "no-card")]
        lost = []
        for number in range(260):
            before = len(b.events)
            b.hardware.press(Key.FIVE)
            b.hardware.time.plan(
                b.hardware.time.now + 60 * MS * NANOS, lambda: b.hardware.let_go(Key.FIVE)
            )
            b.run(120 * MS)
            b.board.screen.show(views[number % 2])
            b.run(120 * MS)
            if keys(b.events[before:]) != "+5 -5":
                lost.append(number)
        assert b.now >= 60_000 * MS
        assert len(lost) <= 3
        b.hardware.i2c_stuck = False
        b.run(31_000 * MS)
        assert b.hardware.oled.lit
