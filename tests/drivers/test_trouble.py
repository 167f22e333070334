"""Pins that cannot be used: the box says which at the start, and plays on later."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hal.events import CardIn, Key, Slot
from hal.faults import BoardFault
from hal.sounds import Sound
from hal.wiring import Wiring
from sim.chips.stand_ins import GpioLibrary, LgpioError
from sim.virtual import Hardware, drivers
from tests import golden
from tests.drivers.harness import LIBRARY, MS, NANOS, Bench, bench, intercept
from tests.drivers.test_keypad import keys, tap

BUSY: Exception = (
    LgpioError("GPIO busy") if LIBRARY is GpioLibrary.LGPIO else RuntimeError("GPIO busy")
)


@contextmanager
def failing(hardware: Hardware, call: str, when: Callable[..., bool]) -> Iterator[list[Any]]:
    """While this lasts, calls of a name fail whose arguments are such; tells which did."""
    through, failed = getattr(hardware, call), []

    def ask(*asked: Any) -> Any:
        if when(*asked):
            failed.append(asked)
            raise BUSY
        return through(*asked)

    no_more = intercept(hardware, call, ask)
    try:
        yield failed
    finally:
        no_more()


reads_can_fail = pytest.mark.skipif(
    LIBRARY is GpioLibrary.RPI_GPIO,
    reason="RPi.GPIO reads the processor's own registers, also in the thread that tells of edges",
)
PIN_CALLS = [pytest.param("read", marks=reads_can_fail), "claim_input", "claim_output"]


def always(*_: object) -> bool:
    return True


def nth(number: int) -> Callable[..., bool]:
    """The n-th call only."""
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
def test_a_pin_that_is_taken_ends_the_start_with_its_name(call: str, pin: int, wire: str) -> None:
    with bench():
        """Loads the packages, and lets go of the pins."""
    hardware = Hardware()
    with (
        failing(hardware, call, lambda asked, *_: asked == pin),
        pytest.raises(BoardFault) as caught,
    ):
        Bench(hardware)
    assert str(caught.value) == f"the pins cannot be used: {wire}: {BUSY}"
    forget_the_pins()


def forget_the_pins() -> None:
    """As the end of the process would."""
    import RPi.GPIO as GPIO
    from gpiozero.pins.local import LocalPiFactory

    LocalPiFactory.pins.clear()
    LocalPiFactory._reservations.clear()
    GPIO.setwarnings(False)
    GPIO.cleanup()


def test_a_gpio_chip_that_cannot_be_opened_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with bench():
        from hal.pi import site

    def refuse() -> None:
        raise BUSY

    monkeypatch.setattr(site, "factory_class", lambda: refuse)
    with (
        pytest.raises(BoardFault, match=r"^the pins cannot be used: /dev/gpiochip0: "),
        site.opened(Wiring()),
    ):
        pass


@pytest.mark.skipif(LIBRARY is not GpioLibrary.LGPIO, reason="RPi.GPIO keeps the pull-up")
@pytest.mark.parametrize("row", range(4))
def test_a_row_that_gives_no_edges_keeps_its_pull_up(row: int) -> None:
    """lgpio frees a pin before it claims it for edges; one that floats presses keys by itself."""
    with bench():
        """Loads the packages, and lets go of the pins."""
    hardware = Hardware()
    pin = hardware.wiring.rows[row]
    claims = iter(range(1, 100))

    def fails(asked: int, _pull: str) -> bool:
        if asked != pin or next(claims) != 4:  # made, an input, pulled up, and then the edges
            return False
        hardware._pulled_up.discard(pin)
        return True

    with failing(hardware, "claim_input", fails) as failed:
        b = Bench(hardware)
    assert failed
    assert not b.board.hears_edges
    b.run(200 * MS)
    for key in Key:
        tap(b, key)
    assert keys(b.events) == " ".join(f"+{key.value} -{key.value}" for key in Key)
    b.board.cut_power()


# In a game: the keypad


@pytest.mark.parametrize("call", PIN_CALLS)
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8, 20, 25, 60])
def test_a_pin_that_fails_once_costs_no_key(call: str, number: int) -> None:
    with bench() as b:
        b.run(100 * MS)
        with failing(b.hardware, call, nth(number)) as failed:
            tap(b, Key.FIVE)
            tap(b, Key.SIX)
        assert len(failed) == 1
        assert keys(b.events) == "+5 -5 +6 -6"


@pytest.mark.parametrize("call", PIN_CALLS)
def test_a_scan_that_broke_off_is_over_when_the_pins_are_back(call: str) -> None:
    """Nothing is scanned at rest, and every key has its edge again."""
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
        if b.board.hears_edges:
            writes = b.hardware.pin_writes
            b.run(2_000 * MS)
            assert b.hardware.pin_writes == writes
        for key in Key:
            tap(b, key)
        assert keys(b.events) == " ".join(f"+{key.value} -{key.value}" for key in Key)


@reads_can_fail
def test_a_key_that_cannot_be_read_is_let_go_after_a_second() -> None:
    """Neither a short C, which would undo something, nor a long one: that is a new game."""
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
        assert keys(b.events) == "+C -C", "it is still the same finger"
        b.hardware.let_go(Key.CANCEL)
        b.run(100 * MS)
        tap(b, Key.CANCEL)
        assert keys(b.events) == "+C -C +C -C"


@reads_can_fail
def test_a_key_that_went_down_unseen_counts_from_when_it_is_seen() -> None:
    """An edge of long ago would make a tap on C a new game."""
    with bench() as b:
        b.run(100 * MS)
        with failing(b.hardware, "read", always):
            b.hardware.press(Key.CANCEL)
            b.run(5_000 * MS)
        b.run(100 * MS)
        (down,) = b.events
        assert b.now - 150 * MS <= down.at


@reads_can_fail
def test_the_log_says_once_that_the_keypad_cannot_be_read(
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
def test_a_key_that_is_down_when_the_box_starts_does_nothing_until_it_was_let_go(held: str) -> None:
    """Something that lies on C would begin a new game three seconds after each start."""
    with bench():
        """Loads the packages, and lets go of the pins."""
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


# In a game: the buzzer


def test_a_note_that_fails_is_left_out() -> None:
    with bench() as b:
        b.run(100 * MS)
        with failing(b.hardware, "pwm", nth(1)):
            b.board.buzzer.play(Sound.ALARM, 3)
            b.run(3_000 * MS)
        heard = b.hardware.piezo.heard(b.hardware.world.now)
        assert len(heard) == 3
        assert b.hardware.piezo.duty == 0


@pytest.mark.parametrize("asleep", [False, True])
def test_a_tone_does_not_go_on_when_it_cannot_be_ended_at_once(
    asleep: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with bench() as b:
        b.run(100 * MS)
        caplog.clear()
        b.board.buzzer.play(Sound.KEY, 3)
        assert b.hardware.piezo.duty
        b.board.rest(asleep)
        with failing(b.hardware, "pwm", always):
            b.run(500 * MS)
            assert b.hardware.piezo.duty, "this is what the failure does"
        assert len(caplog.messages) == 1
        ended = b.hardware.world.now
        b.run(500 * MS)
        *_, last = b.hardware.piezo.heard(b.hardware.world.now)
        assert last.start + last.length <= ended + 200 * MS * NANOS
        assert b.hardware.piezo.frequency == (0 if asleep else 50)


# In a game: the readers


def test_a_reader_that_is_made_anew_again_and_again_takes_no_more_memory() -> None:
    """The package adds a handler to its log with every reader."""
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
def test_a_transfer_that_is_lost_at_the_start_leaves_no_reader_that_sees_no_card(lost: int) -> None:
    """Nobody is told; a chip that lost the modulation, for instance, answers, and cards do not."""
    with bench():
        """Loads the packages, and lets go of the pins."""
    hardware = Hardware()
    through, transfers = hardware.spi, iter(range(1, 1_000_000))

    def lossy(device: int, sent: bytes, speed: int) -> bytes:
        return bytes(len(sent)) if next(transfers) == lost else through(device, sent, speed)

    intercept(hardware, "spi", lossy)
    b = Bench(hardware)
    b.run(1_300 * MS)
    b.events.clear()
    for slot in Slot:
        b.put(slot, bytes.fromhex("A1C0FFEE"))
    b.run(300 * MS)
    assert [type(event) for event in b.events] == [CardIn, CardIn]
    b.board.cut_power()


def test_a_bug_does_not_pass_for_a_reader_that_is_away() -> None:
    with bench() as b:
        b.run(100 * MS)
        b.board._slots._drivers[0]._reader.look = lambda _known: 1 // 0
        with pytest.raises(ZeroDivisionError):
            b.run(1_000 * MS)


# At the end


def test_pins_that_cannot_be_freed_do_not_keep_the_box_from_ending() -> None:
    with bench() as b:
        b.run(100 * MS)
        with (
            failing(b.hardware, "claim_input", always) as failed,
            failing(b.hardware, "pwm", always),
        ):
            b.board.close()
        assert LIBRARY is not GpioLibrary.LGPIO or len(failed) >= 8, "each is tried"


def test_what_counts_as_trouble() -> None:
    with bench() as b:
        drivers(b.hardware, LIBRARY)
        from hal.pi.trouble import TROUBLE

        assert isinstance(BUSY, TROUBLE)
        assert (LgpioError in TROUBLE) is (LIBRARY is GpioLibrary.LGPIO)
        assert not issubclass(ZeroDivisionError, TROUBLE)


# A bus that hangs


def test_keys_are_answered_while_the_screens_bus_hangs() -> None:
    """Each try costs a second in which nobody listens, so there is one every half minute."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.i2c_stuck = True
        views = [golden.views()[name] for name in ("balance", "no-card")]
        lost = []
        for number in range(260):
            before = len(b.events)
            b.hardware.press(Key.FIVE)
            b.hardware.world.plan(
                b.hardware.world.now + 60 * MS * NANOS, lambda: b.hardware.let_go(Key.FIVE)
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
