"""The card slots: which events are reported, when, and which are not."""

from itertools import pairwise

import pytest

from hal.events import CardIn, Event, Slot, SlotEvent
from hal.wiring import READER_CHIPS, Wiring
from sim.chips.air import RadioAnswer
from sim.chips.picc import Picc
from tests.drivers.harness import (
    LEFT,
    MS,
    NANOS,
    RIGHT,
    Bench,
    bench,
    intercept,
    mfrc522_of,
    needs_edges,
)

FOUR, SEVEN, TEN = b"\xa1\xc0\xff\xee", b"\x04\xe5\xa1\xb2\xc3\xd4\x05", bytes(range(0x40, 0x4A))


every_reader = pytest.mark.parametrize(
    "wiring",
    [Wiring(left_reader_chip=chip, right_reader_chip=chip) for chip in READER_CHIPS],
    ids=READER_CHIPS,
)


def kinds(events: list[Event]) -> list[tuple[str, str]]:
    """Return the type and the slot of each event."""
    return [
        (type(event).__name__, event.slot.value) for event in events if isinstance(event, SlotEvent)
    ]


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN], ids=["4 bytes", "7 bytes", "10 bytes"])
@pytest.mark.parametrize("slot", [LEFT, RIGHT])
@every_reader
def test_card_is_reported_once_in_and_once_out(wiring: Wiring, slot: Slot, uid: bytes) -> None:
    with bench(wiring=wiring) as b:
        assert b.run(300 * MS) == []
        card = b.put(slot, uid)
        (event,) = b.run(2_000 * MS)
        assert isinstance(event, CardIn)
        assert (event.slot, event.uid) == (slot, uid)
        b.take(slot, card)
        assert kinds(b.run(2_000 * MS)) == [("CardOut", slot.value)]


@pytest.mark.parametrize("phase", range(0, 60, 7))
@every_reader
def test_card_is_reported_within_120_ms_and_its_removal_within_400(
    wiring: Wiring, phase: int
) -> None:
    with bench(wiring=wiring) as b:
        b.run((300 + phase) * MS)
        card = b.put(RIGHT, TEN)
        assert b.run_until_event(120 * MS) <= 120 * MS
        b.run((100 + phase) * MS)
        b.take(RIGHT, card)
        assert b.run_until_event(400 * MS) <= 400 * MS


@pytest.mark.parametrize("phase", range(0, 400, 57))
@every_reader
def test_card_is_reported_within_500_ms_asleep(wiring: Wiring, phase: int) -> None:
    with bench(wiring=wiring) as b:
        b.run(300 * MS)
        b.board.rest(True)
        b.run((1_000 + phase) * MS)
        b.put(LEFT, FOUR)
        assert b.run_until_event(500 * MS) <= 500 * MS


@needs_edges
def test_at_most_five_wake_ups_a_second_asleep() -> None:
    with bench() as b:
        b.put(LEFT, FOUR)
        b.run(300 * MS)
        b.board.rest(True)
        b.run(1_000 * MS)
        before = b.alarm.waits
        b.run(10_000 * MS)
        assert b.alarm.waits - before <= 50
        assert not any(antenna.on for antenna in b.hardware.antennas.values())


@pytest.mark.parametrize("away", [250, 260, 300, 500])
@pytest.mark.parametrize("phase", range(0, 50, 11))
def test_removal_for_250_ms_is_reported(away: int, phase: int) -> None:
    with bench() as b:
        card = b.put(LEFT, SEVEN)
        b.run((500 + phase) * MS)
        b.events.clear()
        b.take(LEFT, card)
        b.run(away * MS)
        b.hardware.put(LEFT, card)
        b.run(1_000 * MS)
        assert kinds(b.events) == [("CardOut", "left"), ("CardIn", "left")]


@pytest.mark.parametrize("away", [10, 50, 100, 150, 200, 240])
def test_shorter_removal_is_reported_as_out_and_in_or_not_at_all(away: int) -> None:
    with bench() as b:
        card = b.put(LEFT, SEVEN)
        b.run(500 * MS)
        b.events.clear()
        b.take(LEFT, card)
        b.run(away * MS)
        b.hardware.put(LEFT, card)
        b.run(1_000 * MS)
        assert kinds(b.events) in ([], [("CardOut", "left"), ("CardIn", "left")])


@pytest.mark.parametrize("gap", [0, 20, 100, 200, 299])
@pytest.mark.parametrize(("one", "other"), [(FOUR, b"\xa1\xc0\xff\xef"), (SEVEN, TEN), (TEN, FOUR)])
def test_swapped_card_is_reported(gap: int, one: bytes, other: bytes) -> None:
    with bench() as b:
        card = b.put(RIGHT, one)
        b.run(500 * MS)
        b.events.clear()
        b.take(RIGHT, card)
        b.run(gap * MS)
        b.put(RIGHT, other)
        b.run(1_000 * MS)
        assert kinds(b.events) == [("CardOut", "right"), ("CardIn", "right")]
        assert [event.uid for event in b.events if isinstance(event, CardIn)] == [other]


def similar_uid(uid: bytes, place: int) -> bytes:
    """Return a UID that differs in one byte."""
    return uid[:place] + bytes((uid[place] ^ 0x10,)) + uid[place + 1 :]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *((FOUR, similar_uid(FOUR, place)) for place in range(4)),
        *((SEVEN, similar_uid(SEVEN, place)) for place in (1, 2, 3, 6)),
        *((TEN, similar_uid(TEN, place)) for place in (0, 3, 6, 9)),
        (SEVEN, TEN),
        (FOUR, TEN),
    ],
    ids=lambda uid: uid.hex(),
)
@every_reader
def test_two_cards_in_one_slot_clash(wiring: Wiring, one: bytes, other: bytes) -> None:
    with bench(wiring=wiring) as b:
        first = b.put(LEFT, one)
        b.run(500 * MS)
        second = b.put(LEFT, other)
        assert kinds(b.run(1_000 * MS)) == [("CardsClash", "left")]
        b.take(LEFT, first)
        assert kinds(b.run(1_000 * MS)) == [("CardOut", "left"), ("CardIn", "left")]
        b.take(LEFT, second)
        assert kinds(b.run(1_000 * MS)) == [("CardOut", "left")]


def fields_on(b: Bench, slot: Slot, duration: int) -> list[int]:
    """Return the times, in microseconds, at which a slot's field is switched on."""
    antenna = b.hardware.antennas[slot]
    original, instants = antenna.switch, []

    def switch(on: bool, now: int) -> None:
        if on and not antenna.on:
            instants.append(now // NANOS)
        original(on, now)

    restore = intercept(antenna, "switch", switch)
    b.run(duration)
    restore()
    return instants


@pytest.mark.parametrize(("asleep", "every"), [(False, 50 * MS), (True, 400 * MS)])
def test_scan_interval(asleep: bool, every: int) -> None:
    with bench() as b:
        b.run(300 * MS)
        b.board.rest(asleep)
        times = fields_on(b, RIGHT, 8_000 * MS)
        assert len(times) == pytest.approx(8_000 * MS / every, abs=1)
        steps = [later - sooner for sooner, later in pairwise(times)]
        assert sum(steps) / len(steps) == pytest.approx(every, rel=0.002)


@pytest.mark.parametrize("phase", range(0, 50, 2))
def test_field_is_switched_off_at_the_start_of_sleep(phase: int) -> None:
    """After the power-down it would be on beside the other one, and read its card."""
    with bench() as b:
        b.put(RIGHT, SEVEN)
        b.run((300 + phase) * MS)
        b.events.clear()
        b.board.rest(True)
        assert not any(antenna.on for antenna in b.hardware.antennas.values())
        b.run(100 * MS)
        b.board.rest(False)
        assert not any(antenna.on for antenna in b.hardware.antennas.values())
        assert b.run(1_000 * MS) == []


def test_first_scan_asleep_is_not_early() -> None:
    with bench() as b:
        b.run(300 * MS)
        b.board.rest(True)
        asleep_since = b.now
        (first, *_) = fields_on(b, LEFT, 500 * MS)
        assert 395 * MS <= first - asleep_since <= 410 * MS


def test_cards_get_5_ms_of_field_before_the_first_request() -> None:
    with bench() as b:
        antenna = b.hardware.antennas[LEFT]
        original, asked = antenna.transmit, []

        def transmit(bits: bytes, now: int) -> RadioAnswer | None:
            asked.append(now // NANOS)
            return original(bits, now)

        intercept(antenna, "transmit", transmit)
        powered = fields_on(b, LEFT, 1_000 * MS)
        assert len(asked) >= 19
        for on, request in zip(powered, asked, strict=False):
            assert 5_000 <= request - on <= 5_600


def test_antennas_do_not_read_each_others_cards() -> None:
    with bench() as b:
        b.put(LEFT, FOUR)
        b.put(RIGHT, SEVEN)
        events = b.run(5_000 * MS)
        assert [(e.slot, e.uid) for e in events if isinstance(e, CardIn)] == [
            (LEFT, FOUR),
            (RIGHT, SEVEN),
        ]
        assert len(events) == 2


def put_two_cards(b: Bench) -> None:
    b.put(LEFT, FOUR)
    b.put(RIGHT, SEVEN)
    b.run(500 * MS)
    assert len(b.events) == 2


@pytest.mark.parametrize("line", [0x00, 0xFF])
@every_reader
def test_reader_dies_and_returns(wiring: Wiring, line: int) -> None:
    with bench(wiring=wiring) as b:
        put_two_cards(b)
        b.hardware.readers[LEFT].dead_line = line
        b.hardware.readers[LEFT].alive = False
        events = b.run(3_000 * MS)
        assert kinds(events) == [("ReaderLost", "left")]
        card = b.put(RIGHT, TEN)  # the other slot works
        assert kinds(b.run(500 * MS)) == [("CardsClash", "right")]
        b.take(RIGHT, card)
        b.run(1_000 * MS)
        b.events.clear()
        b.hardware.readers[LEFT].alive = True
        assert kinds(b.run(2_000 * MS)) == [("ReaderBack", "left"), ("CardIn", "left")]


@pytest.mark.parametrize("asleep", [False, True])
@every_reader
def test_reset_of_a_reader_keeps_its_card(wiring: Wiring, asleep: bool) -> None:
    """An electrostatic discharge: the chip loses its settings, but answers."""
    with bench(wiring=wiring) as b:
        put_two_cards(b)
        b.board.rest(asleep)
        for _ in range(5):
            b.run(977 * MS)
            b.hardware.readers[LEFT].reset_line(False, b.hardware.time.now)
            b.hardware.readers[LEFT].reset_line(True, b.hardware.time.now)
        b.run(2_000 * MS)
        assert len(b.events) == 2
        b.board.rest(False)
        b.put(LEFT, TEN)
        assert kinds(b.run(500 * MS)) == [("CardsClash", "left")]


def test_reader_with_a_dead_radio_is_lost() -> None:
    with bench() as b:
        put_two_cards(b)
        # Its radio is dead: neither answer nor timeout.
        intercept(b.hardware.readers[RIGHT], "_send", lambda: None)
        assert kinds(b.run(500 * MS)) == [("ReaderLost", "right")]


class FailingRadio:
    """Makes the radio of a chip fail for some requests: neither answer nor timeout."""

    def __init__(self, b: Bench, slot: Slot) -> None:
        self._original = mfrc522_of(b, slot)._send
        self.failing = 0
        intercept(b.hardware.readers[slot], "_send", self._send)

    def _send(self) -> None:
        if self.failing:
            self.failing -= 1
        else:
            self._original()


def test_reader_is_lost_after_three_failed_scans() -> None:
    with bench() as b:
        put_two_cards(b)
        radio = FailingRadio(b, RIGHT)
        for _ in range(3):
            radio.failing = 2
            assert b.run(400 * MS) == []
            assert radio.failing == 0
        radio.failing = 3
        assert kinds(b.run(300 * MS)) == [("ReaderLost", "right")]
        assert radio.failing == 0
        assert kinds(b.run(1_200 * MS)) == [("ReaderBack", "right"), ("CardIn", "right")]
        radio.failing = 2
        assert b.run(400 * MS) == []


def test_lost_reader_is_retried_every_second_only() -> None:
    with bench() as b:
        b.run(300 * MS)
        chip = b.hardware.readers[LEFT]
        chip.alive = False
        b.run_until_event(200 * MS)
        used = []
        for _ in range(100):
            before = chip.transfers
            b.run(100 * MS)
            used.append(chip.transfers > before)
        assert sum(used) in (9, 10)  # with the next scans, up to 50 ms later
        b.board.rest(True)
        b.board.rest(False)
        chip.alive = True
        assert b.run_until_event(1_100 * MS) <= 1_100 * MS


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), RuntimeError("GPIO busy")])
def test_bus_error_is_a_lost_reader(error: Exception) -> None:
    """The other slot still works."""
    with bench() as b:
        put_two_cards(b)
        original = b.hardware.spi

        def refuse(device: int, sent: bytes, speed: int) -> bytes:
            if device == 0:
                raise error
            return original(device, sent, speed)

        restore = intercept(b.hardware, "spi", refuse)
        assert kinds(b.run(5_000 * MS)) == [("ReaderLost", "left")]
        restore()
        assert kinds(b.run(1_500 * MS)) == [("ReaderBack", "left"), ("CardIn", "left")]


def test_reader_that_is_missing_at_the_start() -> None:
    with bench() as b:
        b.hardware.readers[RIGHT].alive = False
        assert kinds(b.run(5_000 * MS)) == [("ReaderLost", "right")]


def test_slow_card_is_found_in_time() -> None:
    """A card may need 5 ms of field, by the standard, before it receives."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.put(LEFT, Picc(FOUR, power_up=5_000_000))
        assert b.run_until_event(120 * MS) <= 120 * MS
