"""The card slots: what must be noticed, and what must never be imagined."""

from itertools import pairwise

import pytest

from hal.events import CardIn, Event, Slot, SlotEvent
from sim.chips.air import Answer
from sim.chips.picc import Picc
from tests.drivers.harness import LEFT, MS, NANOS, RIGHT, Bench, bench, intercept, needs_edges

FOUR, SEVEN, TEN = b"\xa1\xc0\xff\xee", b"\x04\xe5\xa1\xb2\xc3\xd4\x05", bytes(range(0x40, 0x4A))


def kinds(events: list[Event]) -> list[tuple[str, str]]:
    """What happened, and in which slot."""
    return [
        (type(event).__name__, event.slot.value) for event in events if isinstance(event, SlotEvent)
    ]


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN], ids=["4 bytes", "7 bytes", "10 bytes"])
@pytest.mark.parametrize("slot", [LEFT, RIGHT])
def test_a_card_is_reported_once_in_and_once_out(slot: Slot, uid: bytes) -> None:
    with bench() as b:
        assert b.run(300 * MS) == []
        card = b.put(slot, uid)
        (event,) = b.run(2_000 * MS)
        assert isinstance(event, CardIn)
        assert (event.slot, event.uid) == (slot, uid)
        b.take(slot, card)
        assert kinds(b.run(2_000 * MS)) == [("CardOut", slot.value)]


@pytest.mark.parametrize("phase", range(0, 60, 7))
def test_a_card_is_noticed_within_120_ms_and_its_removal_within_400(phase: int) -> None:
    with bench() as b:
        b.run((300 + phase) * MS)
        card = b.put(RIGHT, TEN)
        assert b.run_until_event(120 * MS) <= 120 * MS
        b.run((100 + phase) * MS)
        b.take(RIGHT, card)
        assert b.run_until_event(400 * MS) <= 400 * MS


@pytest.mark.parametrize("phase", range(0, 400, 57))
def test_asleep_a_card_is_noticed_within_500_ms(phase: int) -> None:
    with bench() as b:
        b.run(300 * MS)
        b.board.rest(True)
        b.run((1_000 + phase) * MS)
        b.put(LEFT, FOUR)
        assert b.run_until_event(500 * MS) <= 500 * MS


@needs_edges
def test_asleep_the_process_is_woken_at_most_five_times_a_second() -> None:
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
def test_a_card_away_for_250_ms_is_out_and_in(away: int, phase: int) -> None:
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
def test_a_card_away_for_less_is_both_or_neither(away: int) -> None:
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
def test_a_card_swapped_for_another_is_noticed(gap: int, one: bytes, other: bytes) -> None:
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


def like(uid: bytes, place: int) -> bytes:
    """A card of the same kind whose UID differs in one byte."""
    return uid[:place] + bytes((uid[place] ^ 0x10,)) + uid[place + 1 :]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *((FOUR, like(FOUR, place)) for place in range(4)),
        *((SEVEN, like(SEVEN, place)) for place in (1, 2, 3, 6)),
        *((TEN, like(TEN, place)) for place in (0, 3, 6, 9)),
        (SEVEN, TEN),
        (FOUR, TEN),
    ],
    ids=lambda uid: uid.hex(),
)
def test_two_cards_in_one_slot(one: bytes, other: bytes) -> None:
    with bench() as b:
        first = b.put(LEFT, one)
        b.run(500 * MS)
        second = b.put(LEFT, other)
        assert kinds(b.run(1_000 * MS)) == [("CardsClash", "left")]
        b.take(LEFT, first)
        assert kinds(b.run(1_000 * MS)) == [("CardOut", "left"), ("CardIn", "left")]
        b.take(LEFT, second)
        assert kinds(b.run(1_000 * MS)) == [("CardOut", "left")]


def fields_on(b: Bench, slot: Slot, duration: int) -> list[int]:
    """The instants, in microseconds, at which a slot's field goes on."""
    antenna = b.hardware.antennas[slot]
    through, instants = antenna.switch, []

    def switch(on: bool, now: int) -> None:
        if on and not antenna.on:
            instants.append(now // NANOS)
        through(on, now)

    no_more = intercept(antenna, "switch", switch)
    b.run(duration)
    no_more()
    return instants


@pytest.mark.parametrize(("asleep", "every"), [(False, 50 * MS), (True, 400 * MS)])
def test_the_rhythm_of_the_looks(asleep: bool, every: int) -> None:
    with bench() as b:
        b.run(300 * MS)
        b.board.rest(asleep)
        times = fields_on(b, RIGHT, 8_000 * MS)
        assert len(times) == pytest.approx(8_000 * MS / every, abs=1)
        steps = [later - sooner for sooner, later in pairwise(times)]
        assert sum(steps) / len(steps) == pytest.approx(every, rel=0.002)


@pytest.mark.parametrize("phase", range(0, 50, 2))
def test_falling_asleep_switches_a_field_off_that_is_on(phase: int) -> None:
    """It would come back with the power, beside the other one, and read the neighbour's card."""
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


def test_falling_asleep_a_look_is_not_hurried() -> None:
    with bench() as b:
        b.run(300 * MS)
        b.board.rest(True)
        asleep_since = b.now
        (first, *_) = fields_on(b, LEFT, 500 * MS)
        assert 395 * MS <= first - asleep_since <= 410 * MS


def test_cards_have_five_milliseconds_of_field_before_they_are_asked() -> None:
    with bench() as b:
        antenna = b.hardware.antennas[LEFT]
        through, asked = antenna.say, []

        def say(bits: bytes, now: int) -> Answer | None:
            asked.append(now // NANOS)
            return through(bits, now)

        intercept(antenna, "say", say)
        powered = fields_on(b, LEFT, 1_000 * MS)
        assert len(asked) >= 19
        for on, question in zip(powered, asked, strict=False):
            assert 5_000 <= question - on <= 5_600


def test_neighbouring_antennas_do_not_read_each_others_cards() -> None:
    with bench() as b:
        b.put(LEFT, FOUR)
        b.put(RIGHT, SEVEN)
        events = b.run(5_000 * MS)
        assert [(e.slot, e.uid) for e in events if isinstance(e, CardIn)] == [
            (LEFT, FOUR),
            (RIGHT, SEVEN),
        ]
        assert len(events) == 2


def rest_two_cards(b: Bench) -> None:
    b.put(LEFT, FOUR)
    b.put(RIGHT, SEVEN)
    b.run(500 * MS)
    assert len(b.events) == 2


@pytest.mark.parametrize("line", [0x00, 0xFF])
def test_a_reader_that_dies_and_returns(line: int) -> None:
    with bench() as b:
        rest_two_cards(b)
        b.hardware.readers[LEFT].dead_line = line
        b.hardware.readers[LEFT].alive = False
        events = b.run(3_000 * MS)
        assert kinds(events) == [("ReaderLost", "left")]
        card = b.put(RIGHT, TEN)  # the other slot goes on working
        assert kinds(b.run(500 * MS)) == [("CardsClash", "right")]
        b.take(RIGHT, card)
        b.run(1_000 * MS)
        b.events.clear()
        b.hardware.readers[LEFT].alive = True
        assert kinds(b.run(2_000 * MS)) == [("ReaderBack", "left"), ("CardIn", "left")]


@pytest.mark.parametrize("asleep", [False, True])
def test_a_reader_that_resets_itself_keeps_its_card(asleep: bool) -> None:
    """A spark: the chip forgets how it was set up, and answers all the same."""
    with bench() as b:
        rest_two_cards(b)
        b.board.rest(asleep)
        for _ in range(5):
            b.run(977 * MS)
            b.hardware.readers[LEFT].reset_line(False, b.hardware.world.now)
            b.hardware.readers[LEFT].reset_line(True, b.hardware.world.now)
        b.run(2_000 * MS)
        assert len(b.events) == 2
        b.board.rest(False)
        b.put(LEFT, TEN)
        assert kinds(b.run(500 * MS)) == [("CardsClash", "left")]


def test_a_reader_that_answers_but_never_looks_is_lost_all_the_same() -> None:
    with bench() as b:
        rest_two_cards(b)
        # Its radio is dead: no answer, and no time-out either.
        intercept(b.hardware.readers[RIGHT], "_send", lambda: None)
        assert kinds(b.run(500 * MS)) == [("ReaderLost", "right")]


class Radio:
    """The radio of a chip, which can be made to fail for some questions: no answer, no time-out."""

    def __init__(self, b: Bench, slot: Slot) -> None:
        self._through = b.hardware.readers[slot]._send
        self.failing = 0
        intercept(b.hardware.readers[slot], "_send", self._send)

    def _send(self) -> None:
        if self.failing:
            self.failing -= 1
        else:
            self._through()


def test_two_failed_looks_are_forgiven_and_three_are_not() -> None:
    with bench() as b:
        rest_two_cards(b)
        radio = Radio(b, RIGHT)
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


def test_a_lost_reader_is_tried_every_second_and_left_alone_in_between() -> None:
    with bench() as b:
        b.run(300 * MS)
        chip = b.hardware.readers[LEFT]
        chip.alive = False
        b.run_until_event(200 * MS)
        talked = []
        for _ in range(100):
            before = chip.transfers
            b.run(100 * MS)
            talked.append(chip.transfers > before)
        assert sum(talked) in (9, 10)  # in the next round of looks, 50 ms later at most
        b.board.rest(True)
        b.board.rest(False)
        chip.alive = True
        assert b.run_until_event(1_100 * MS) <= 1_100 * MS


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), RuntimeError("GPIO busy")])
def test_a_bus_that_fails_is_a_lost_reader(error: Exception) -> None:
    """The kernel may refuse a transfer, or the GPIO library the reset line; one slot goes on."""
    with bench() as b:
        rest_two_cards(b)
        through = b.hardware.spi

        def refuse(device: int, sent: bytes, speed: int) -> bytes:
            if device == 0:
                raise error
            return through(device, sent, speed)

        no_more = intercept(b.hardware, "spi", refuse)
        assert kinds(b.run(5_000 * MS)) == [("ReaderLost", "left")]
        no_more()
        assert kinds(b.run(1_500 * MS)) == [("ReaderBack", "left"), ("CardIn", "left")]


def test_a_reader_that_was_never_there() -> None:
    with bench() as b:
        b.hardware.readers[RIGHT].alive = False
        assert kinds(b.run(5_000 * MS)) == [("ReaderLost", "right")]


def test_a_slow_card_is_met_at_a_later_look() -> None:
    """It takes all of the 5 ms that the standard allows before it listens."""
    with bench() as b:
        b.run(100 * MS)
        b.hardware.put(LEFT, Picc(FOUR, power_up=5_000_000))
        assert b.run_until_event(120 * MS) <= 120 * MS
