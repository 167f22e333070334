"""One reader, at its registers: how the chip is set up, and what a look asks of it.

The figures come from the chip's data sheet and from ISO 14443-3, not from the driver.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hal.pi.look import Card, Seen
from sim.chips import mfrc522
from sim.chips.air import Answer, Antenna
from sim.chips.mfrc522 import Mfrc522
from sim.chips.picc import Picc
from tests.drivers.harness import LEFT, Bench, bench, intercept

FOUR, SEVEN, TEN = b"\xa1\xc0\xff\xee", b"\x04\xe5\xa1\xb2\xc3\xd4\x05", bytes(range(0x40, 0x4A))
CARRIER = 13.56e6
MILLI = 1_000_000


class Desk:
    """A reader on its chip, and nobody else on the bus."""

    def __init__(self, b: Bench) -> None:
        from hal.pi.reader import Reader

        self.bench = b
        self.chip: Mfrc522 = b.hardware.readers[LEFT]
        self.reader: Any = Reader(0, 0, b.hardware.wiring.left_reset)
        self.sent: list[bytes] = []
        through = b.hardware.spi

        def overhear(device: int, sent: bytes, speed: int) -> bytes:
            self.sent.append(sent)
            return through(device, sent, speed)

        intercept(b.hardware, "spi", overhear)

    def register(self, number: int) -> int:
        (_, value) = self.chip.transfer(bytes((0x80 | number << 1, 0)), self.now, 8_000)
        return value

    @property
    def now(self) -> int:
        return self.bench.hardware.world.now

    def wait(self, nanoseconds: int) -> None:
        self.bench.hardware.world.pass_until(self.now + nanoseconds)

    def look(self, known: bytes | None = None) -> Card | Seen:
        self.reader.field_on()
        self.wait(5 * MILLI + MILLI // 100)
        self.sent.clear()
        found: Card | Seen = self.reader.look(known)
        return found


@contextmanager
def desk() -> Iterator[Desk]:
    with bench() as b:
        yield Desk(b)


def test_the_timer_gives_a_card_one_millisecond() -> None:
    with desk() as d:
        mode = d.register(mfrc522.T_MODE)
        assert mode & 0x80, "it must start by itself after the question"
        prescaler = (mode & 0x0F) << 8 | d.register(mfrc522.T_PRESCALER)
        reload = d.register(mfrc522.T_RELOAD_HIGH) << 8 | d.register(mfrc522.T_RELOAD_LOW)
        tick = (2 * prescaler + 1) / CARRIER
        assert tick == pytest.approx(25e-6, rel=1e-4)
        assert tick * (reload + 1) == pytest.approx(1.025e-3, rel=1e-3)


def test_the_radio_is_set_up_for_cards_of_type_a() -> None:
    with desk() as d:
        assert d.register(mfrc522.TX_ASK) == 0x40, "full modulation"
        assert d.register(mfrc522.MODE) & 0x03 == 0x01, "a CRC that begins with 6363"
        assert d.register(mfrc522.MODE) == 0x3D
        assert d.register(mfrc522.RF_CFG) == 0x70, "48 dB"
        assert d.bench.hardware.readers[LEFT].alive


def test_the_field_is_two_bits_and_no_others() -> None:
    with desk() as d:
        assert not d.bench.hardware.antennas[LEFT].on, "set up with the field off"
        d.reader.field_on()
        assert d.register(mfrc522.TX_CONTROL) == 0x83
        assert d.bench.hardware.antennas[LEFT].on
        d.reader.field_off()
        assert d.register(mfrc522.TX_CONTROL) == 0x80
        assert not d.bench.hardware.antennas[LEFT].on


def test_power_down_and_up() -> None:
    with desk() as d:
        d.reader.power_down()
        assert d.register(mfrc522.COMMAND) & 0x1F == 0x10
        began = d.now
        d.reader.power_up()
        assert d.now - began >= 1 * MILLI, "a slow crystal takes that long"
        assert d.now - began <= 1.5 * MILLI
        assert d.register(mfrc522.COMMAND) & 0x1F == 0x00
        d.bench.hardware.put(LEFT, Picc(FOUR))
        assert d.look() == Card(FOUR)


def test_asleep_the_chips_are_powered_down_between_the_looks() -> None:
    with bench() as b:
        b.run(300_000)
        b.board.rest(True)
        chips = b.hardware.readers.values()
        asleep = 0
        for _ in range(200):
            b.run(7_000)
            asleep += sum(bool(chip._registers[mfrc522.COMMAND] & 0x10) for chip in chips)
        assert asleep / 400 >= 0.95
        b.board.rest(False)
        b.run(20_000)
        assert not any(chip._registers[mfrc522.COMMAND] & 0x10 for chip in chips)


def test_a_reset_gives_the_crystal_its_time() -> None:
    with desk() as d:
        began = d.now
        assert d.reader.revive()
        assert 1 * MILLI <= d.now - began <= 1.6 * MILLI
        d.reader.hold_in_reset()
        assert d.reader.version() == 0x00
        assert not d.reader.is_alive()
        assert d.reader.revive()
        assert d.reader.version() == 0x92


def test_asleep_the_field_warms_for_5_ms_in_one_transfer() -> None:
    with desk() as d:
        began = d.now
        d.sent.clear()
        d.reader.hold_for_cards()
        assert len(d.sent) == 1
        assert 5.0 * MILLI < d.now - began <= 5.2 * MILLI


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN], ids=len)
def test_every_length_of_uid_is_read_and_then_known(uid: bytes) -> None:
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(uid))
        for known in (None, uid, uid, uid):
            assert d.look(known) == Card(uid)
            d.reader.field_off()


def test_an_empty_slot_costs_ten_transfers_and_two_milliseconds() -> None:
    """Field on, field off, and eight for the question; the wait is 1.025 ms of it."""
    with desk() as d:
        began = d.now
        assert d.look() is Seen.NOTHING
        assert len(d.sent) == 8
        assert d.now - began - 5 * MILLI <= 1.9 * MILLI


@pytest.mark.parametrize(
    ("uid", "transfers", "milliseconds"), [(FOUR, 22, 6), (SEVEN, 29, 9), (TEN, 36, 12)]
)
def test_a_resting_card_costs_little(uid: bytes, transfers: int, milliseconds: int) -> None:
    """Wake, one anticollision, and a select for each level: seven transfers a question.

    One more empties the FIFO before the first; with field on and off it is 24, 31 and 38.
    """
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(uid))
        for _ in range(len(uid)):
            began = d.now
            assert d.look(uid) == Card(uid)
            d.reader.field_off()
            assert len(d.sent) == transfers + 1  # and the field goes off
            assert d.now - began - 5 * MILLI <= milliseconds * MILLI


def test_a_known_card_is_asked_for_its_uid_at_every_level_in_turn() -> None:
    """A second card that differs at one level only must not hide behind the known one."""
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(TEN))
        asked = set()
        for _ in range(3):
            d.look(TEN)
            d.reader.field_off()
            questions = [s[1:] for s in d.sent if s[0] == mfrc522.FIFO_DATA << 1]
            asked |= {question[0] for question in questions if question[1:] == b"\x20"}
        assert asked == {0x93, 0x95, 0x97}


@pytest.mark.parametrize("sak", [0x00, 0x08, 0x09, 0x18, 0x20, 0x28])
def test_kinds_of_cards_that_are_common(sak: int) -> None:
    """Only one bit of the answer to a select says that the UID goes on."""
    with desk() as d:
        for uid in (FOUR, SEVEN):
            card = Picc(uid, sak=sak)
            d.bench.hardware.put(LEFT, card)
            assert d.look() == Card(uid)
            d.reader.field_off()
            d.bench.hardware.take(LEFT, card)


class Meddler:
    """Spoils one frame on the air, counted from the first question of a look."""

    def __init__(self, d: Desk, frame: int, spoil: Callable[[bytes], bytes]) -> None:
        self._frames = 0
        self._frame = frame
        self._spoil = spoil
        self.length = 0
        intercept(d.bench.hardware.air, "_disturbed", self._pass_on)

    def _pass_on(self, bits: bytes) -> bytes:
        number, self._frames = self._frames, self._frames + 1
        if number != self._frame:
            return bits
        self.length = len(bits)
        return self._spoil(bits)


def flipped(*places: int) -> Callable[[bytes], bytes]:
    return lambda bits: bytes(bit ^ (index in places) for index, bit in enumerate(bits))


def cut(place: int) -> Callable[[bytes], bytes]:
    return lambda bits: bits[: place + 1]


@pytest.mark.parametrize("spoil", [flipped, cut], ids=["flipped", "cut off"])
@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
@pytest.mark.parametrize("uid", [FOUR, SEVEN], ids=len)
def test_no_single_fault_on_the_air_makes_another_card(
    uid: bytes, known: bool, spoil: Callable[[int], Callable[[bytes], bytes]]
) -> None:
    """Every bit of every frame in turn is wrong, or the last that arrives."""
    frames = 2 * (2 + 2 * (len(uid) // 3))
    tried = 0
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(uid))
        for frame in range(frames):
            place = 0
            while True:
                meddler = Meddler(d, frame, spoil(place))
                found = d.look(uid if known else None)
                d.reader.field_off()
                tried += 1
                unheard = frame == 0 and not known
                expected = (Card(uid), Seen.SOMETHING, *([Seen.NOTHING] if unheard else []))
                assert found in expected, f"frame {frame}, bit {place}"
                place += 1
                if place >= meddler.length:
                    break
    assert tried > 100


def test_a_wrong_parity_alone_spoils_an_answer() -> None:
    """The ninth bit of the first byte of a UID: the bytes are right, and the frame is not."""
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(FOUR))
        Meddler(d, 3, flipped(8))
        assert d.look() is Seen.SOMETHING


def test_two_wrong_bits_that_hide_from_the_parity_do_not_hide_from_the_checksum() -> None:
    """In the answer to a select, where a single bit says that the UID goes on."""
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(FOUR))
        for places in itertools.combinations(range(8), 2):
            Meddler(d, 5, flipped(*places))
            assert d.look() is Seen.SOMETHING
            d.reader.field_off()


@pytest.mark.parametrize("known", [None, FOUR], ids=["new", "known"])
def test_what_the_receiver_took_in_meanwhile_is_not_sent(known: bytes | None) -> None:
    """The neighbour's field may have left anything in the FIFO, and the chip may still listen."""
    with desk() as d:
        assert d.look() is Seen.NOTHING
        d.chip._fifo += b"junk"
        d.bench.hardware.put(LEFT, Picc(FOUR))
        assert d.look(known) == Card(FOUR)


def test_a_slow_crystal_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with desk() as d:
        monkeypatch.setattr(mfrc522, "WAKE_UP", 8 * MILLI)
        d.bench.hardware.put(LEFT, Picc(FOUR))
        assert d.reader.revive()
        assert d.look() == Card(FOUR)
        d.reader.power_down()
        d.reader.power_up()
        assert d.look() == Card(FOUR)
        monkeypatch.setattr(mfrc522, "WAKE_UP", 1_000 * MILLI)
        began = d.now
        d.reader.revive()
        assert d.now - began <= 12 * MILLI, "and given up in the end"


@pytest.mark.parametrize("lost", range(5))
def test_a_known_card_is_called_three_times(lost: int) -> None:
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(FOUR))
        through, calls = d.bench.hardware.air.exchange, itertools.count()

        def exchange(antenna: Antenna, bits: bytes, now: int) -> Answer | None:
            return through(antenna, bits, now) if next(calls) >= lost else None

        intercept(d.bench.hardware.air, "exchange", exchange)
        assert d.look(FOUR) == (Card(FOUR) if lost < 3 else Seen.NOTHING)


def test_a_stranger_is_called_once() -> None:
    """An empty slot would cost three times as much otherwise; the next look comes soon."""
    with desk() as d:
        assert d.look() is Seen.NOTHING
        asked = [s for s in d.sent if s[0] == mfrc522.FIFO_DATA << 1]
        assert len(asked) == 1


def test_a_chip_that_neither_answers_nor_gives_up_is_given_twice_the_time() -> None:
    with desk() as d:
        intercept(d.chip, "_send", lambda: None)
        d.reader.field_on()
        began = d.now
        assert d.reader.look(None) is Seen.NO_READER
        assert 2.3 * MILLI <= d.now - began <= 3 * MILLI


def test_an_answer_that_ends_within_a_byte_is_not_understood() -> None:
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(FOUR))
        for bits in range(1, 8):
            Meddler(d, 3, cut(4 * 9 + bits - 1))
            assert d.look() is Seen.SOMETHING
            d.reader.field_off()


def collided(number: int) -> Callable[[Desk], None]:
    """Noise in one answer of a look that the chip takes for two cards."""

    def arrange(d: Desk) -> None:
        antenna = d.bench.hardware.antennas[LEFT]
        through, count = antenna.say, itertools.count()

        def say(bits: bytes, now: int) -> Answer | None:
            answer = through(bits, now)
            meant = answer is not None and next(count) == number
            return answer._replace(collisions=frozenset({3})) if answer and meant else answer

        intercept(antenna, "say", say)

    return arrange


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (0, Card(FOUR)),  # to the wake-up: cards of different kinds may differ there
        (1, Seen.SEVERAL),  # a UID: two cards
        (2, Seen.SOMETHING),  # to a select: only one can have answered
    ],
)
def test_where_a_collision_means_two_cards(answer: int, expected: Card | Seen) -> None:
    with desk() as d:
        d.bench.hardware.put(LEFT, Picc(FOUR))
        collided(answer)(d)
        assert d.look() == expected
