"""The reader driver at the registers of its chip: setup, and the requests of a scan.

The values are from the chip's data sheet and from ISO 14443-3, not from the driver.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hal.events import Slot
from hal.pi.readers.card_reader import Card, ScanResult
from sim.chips import mfrc522
from sim.chips.air import Antenna, RadioAnswer
from sim.chips.picc import Picc
from tests.drivers.harness import LEFT, Bench, bench, intercept, mfrc522_of

FOUR, SEVEN, TEN = b"\xa1\xc0\xff\xee", b"\x04\xe5\xa1\xb2\xc3\xd4\x05", bytes(range(0x40, 0x4A))
CARRIER = 13.56e6
MILLISECOND = 1_000_000
"""In nanoseconds."""


class ReaderFixture:
    """One reader driver on its chip; the board is not polled."""

    def __init__(self, b: Bench) -> None:
        from hal.pi.readers.mfrc522 import Mfrc522Reader

        self.bench = b
        self.chip = mfrc522_of(b, LEFT)
        self.reader: Any = Mfrc522Reader(0, 0, b.hardware.wiring.left_reset)
        self.sent: list[bytes] = []
        original = b.hardware.spi

        def record(device: int, sent: bytes, speed: int) -> bytes:
            self.sent.append(sent)
            return original(device, sent, speed)

        intercept(b.hardware, "spi", record)

    def register(self, number: int) -> int:
        (_, value) = self.chip.transfer(bytes((0x80 | number << 1, 0)), self.now, 8_000)
        return value

    @property
    def now(self) -> int:
        return self.bench.hardware.time.now

    def wait(self, nanoseconds: int) -> None:
        self.bench.hardware.time.pass_until(self.now + nanoseconds)

    def scan(self, known: bytes | None = None) -> Card | ScanResult:
        self.reader.field_on()
        self.wait(5 * MILLISECOND + MILLISECOND // 100)
        self.sent.clear()
        found: Card | ScanResult = self.reader.scan(known)
        return found


@contextmanager
def reader_fixture() -> Iterator[ReaderFixture]:
    with bench() as b:
        yield ReaderFixture(b)


def test_answer_timeout_is_one_millisecond() -> None:
    with reader_fixture() as f:
        mode = f.register(mfrc522.T_MODE)
        assert mode & 0x80, "it must start automatically after the transmission"
        prescaler = (mode & 0x0F) << 8 | f.register(mfrc522.T_PRESCALER)
        reload = f.register(mfrc522.T_RELOAD_HIGH) << 8 | f.register(mfrc522.T_RELOAD_LOW)
        tick = (2 * prescaler + 1) / CARRIER
        assert tick == pytest.approx(25e-6, rel=1e-4)
        assert tick * (reload + 1) == pytest.approx(1.025e-3, rel=1e-3)


def test_radio_settings_for_type_a() -> None:
    with reader_fixture() as f:
        assert f.register(mfrc522.TX_ASK) == 0x40, "100 % modulation"
        assert f.register(mfrc522.MODE) & 0x03 == 0x01, "CRC preset 6363"
        assert f.register(mfrc522.MODE) == 0x3D
        assert f.register(mfrc522.RF_CFG) == 0x70, "48 dB gain"
        assert f.chip.alive


def test_field_on_and_off() -> None:
    with reader_fixture() as f:
        assert not f.bench.hardware.antennas[LEFT].on, "the field must be off after the setup"
        f.reader.field_on()
        assert f.register(mfrc522.TX_CONTROL) == 0x83
        assert f.bench.hardware.antennas[LEFT].on
        f.reader.field_off()
        assert f.register(mfrc522.TX_CONTROL) == 0x80
        assert not f.bench.hardware.antennas[LEFT].on


def test_power_down_and_up() -> None:
    with reader_fixture() as f:
        f.reader.power_down()
        assert f.register(mfrc522.COMMAND) & 0x1F == 0x10
        start = f.now
        f.reader.power_up()
        assert f.now - start >= 1 * MILLISECOND, "a slow crystal needs that long"
        assert f.now - start <= 1.5 * MILLISECOND
        assert f.register(mfrc522.COMMAND) & 0x1F == 0x00
        f.bench.hardware.put(LEFT, Picc(FOUR))
        assert f.scan() == Card(FOUR)


def test_chips_are_powered_down_between_scans_asleep() -> None:
    with bench() as b:
        b.run(300_000)
        b.board.rest(True)
        chips = [mfrc522_of(b, slot) for slot in Slot]
        asleep = 0
        for _ in range(200):
            b.run(7_000)
            asleep += sum(bool(chip._registers[mfrc522.COMMAND] & 0x10) for chip in chips)
        assert asleep / 400 >= 0.95
        b.board.rest(False)
        b.run(20_000)
        assert not any(chip._registers[mfrc522.COMMAND] & 0x10 for chip in chips)


def test_reset_waits_for_the_oscillator() -> None:
    with reader_fixture() as f:
        start = f.now
        assert f.reader.revive()
        assert 1 * MILLISECOND <= f.now - start <= 1.6 * MILLISECOND
        f.reader.hold_in_reset()
        assert f.reader.version() == 0x00
        assert not f.reader.is_alive()
        assert f.reader.revive()
        assert f.reader.version() == 0x92


def test_5_ms_of_field_take_one_transfer_asleep() -> None:
    with reader_fixture() as f:
        start = f.now
        f.sent.clear()
        f.reader.await_cards()
        assert len(f.sent) == 1
        assert 5.0 * MILLISECOND < f.now - start <= 5.2 * MILLISECOND


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN], ids=len)
def test_all_uid_sizes_are_read_and_then_confirmed(uid: bytes) -> None:
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(uid))
        for known in (None, uid, uid, uid):
            assert f.scan(known) == Card(uid)
            f.reader.field_off()


def test_cost_of_an_empty_slot() -> None:
    """Field on, field off, and eight for the request; the timeout is 1.025 ms."""
    with reader_fixture() as f:
        start = f.now
        assert f.scan() is ScanResult.NOTHING
        assert len(f.sent) == 8
        assert f.now - start - 5 * MILLISECOND <= 1.9 * MILLISECOND


@pytest.mark.parametrize(
    ("uid", "transfers", "milliseconds"), [(FOUR, 22, 6), (SEVEN, 29, 9), (TEN, 36, 12)]
)
def test_cost_of_a_known_card(uid: bytes, transfers: int, milliseconds: int) -> None:
    """Wake-up, one anticollision, and a select for each level: seven transfers per request.

    One more flushes the FIFO; with field on and off there are 24, 31 and 38.
    """
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(uid))
        for _ in range(len(uid)):
            start = f.now
            assert f.scan(uid) == Card(uid)
            f.reader.field_off()
            assert len(f.sent) == transfers + 1  # including field off
            assert f.now - start - 5 * MILLISECOND <= milliseconds * MILLISECOND


def test_known_card_gets_an_anticollision_at_each_level_in_turn() -> None:
    """A second card that differs at one level only must be found."""
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(TEN))
        asked = set()
        for _ in range(3):
            f.scan(TEN)
            f.reader.field_off()
            requests = [s[1:] for s in f.sent if s[0] == mfrc522.FIFO_DATA << 1]
            asked |= {request[0] for request in requests if request[1:] == b"\x20"}
        assert asked == {0x93, 0x95, 0x97}


@pytest.mark.parametrize("sak", [0x00, 0x08, 0x09, 0x18, 0x20, 0x28])
def test_common_card_types(sak: int) -> None:
    """Only one bit of the SAK means that the UID continues."""
    with reader_fixture() as f:
        for uid in (FOUR, SEVEN):
            card = Picc(uid, sak=sak)
            f.bench.hardware.put(LEFT, card)
            assert f.scan() == Card(uid)
            f.reader.field_off()
            f.bench.hardware.take(LEFT, card)


class FrameCorruptor:
    """Corrupts one frame on the air, counted from the first request of a scan."""

    def __init__(self, f: ReaderFixture, frame: int, corrupt: Callable[[bytes], bytes]) -> None:
        self._frames = 0
        self._frame = frame
        self._corrupt = corrupt
        self.length = 0
        intercept(f.bench.hardware.air, "_add_noise", self._corrupt_one)

    def _corrupt_one(self, bits: bytes) -> bytes:
        number, self._frames = self._frames, self._frames + 1
        if number != self._frame:
            return bits
        self.length = len(bits)
        return self._corrupt(bits)


def flipped(*places: int) -> Callable[[bytes], bytes]:
    return lambda bits: bytes(bit ^ (index in places) for index, bit in enumerate(bits))


def cut(place: int) -> Callable[[bytes], bytes]:
    return lambda bits: bits[: place + 1]


@pytest.mark.parametrize("corrupt", [flipped, cut], ids=["flipped", "cut off"])
@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
@pytest.mark.parametrize("uid", [FOUR, SEVEN], ids=len)
def test_no_single_error_makes_another_card(
    uid: bytes, known: bool, corrupt: Callable[[int], Callable[[bytes], bytes]]
) -> None:
    """Each bit of each frame is wrong once, and each frame is truncated at each bit."""
    frames = 2 * (2 + 2 * (len(uid) // 3))
    tried = 0
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(uid))
        for frame in range(frames):
            place = 0
            while True:
                corruptor = FrameCorruptor(f, frame, corrupt(place))
                found = f.scan(uid if known else None)
                f.reader.field_off()
                tried += 1
                unanswered = frame == 0 and not known
                expected = (
                    Card(uid),
                    ScanResult.SOMETHING,
                    *([ScanResult.NOTHING] if unanswered else []),
                )
                assert found in expected, f"frame {frame}, bit {place}"
                place += 1
                if place >= corruptor.length:
                    break
    assert tried > 100


def test_wrong_parity_alone_garbles_an_answer() -> None:
    """The parity of the first byte of a UID: the bytes are right, but the frame is not."""
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(FOUR))
        FrameCorruptor(f, 3, flipped(8))
        assert f.scan() is ScanResult.SOMETHING


def test_two_wrong_bits_are_detected_by_the_crc() -> None:
    """In the answer to a select, where one bit means that the UID continues."""
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(FOUR))
        for places in itertools.combinations(range(8), 2):
            FrameCorruptor(f, 5, flipped(*places))
            assert f.scan() is ScanResult.SOMETHING
            f.reader.field_off()


@pytest.mark.parametrize("known", [None, FOUR], ids=["new", "known"])
def test_stale_bytes_in_the_fifo_are_not_sent(known: bytes | None) -> None:
    """The other antenna may have left data in the FIFO, and the chip may still receive."""
    with reader_fixture() as f:
        assert f.scan() is ScanResult.NOTHING
        f.chip._fifo += b"junk"
        f.bench.hardware.put(LEFT, Picc(FOUR))
        assert f.scan(known) == Card(FOUR)


def test_slow_oscillator_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    with reader_fixture() as f:
        monkeypatch.setattr(mfrc522, "WAKE_UP", 8 * MILLISECOND)
        f.bench.hardware.put(LEFT, Picc(FOUR))
        assert f.reader.revive()
        assert f.scan() == Card(FOUR)
        f.reader.power_down()
        f.reader.power_up()
        assert f.scan() == Card(FOUR)
        monkeypatch.setattr(mfrc522, "WAKE_UP", 1_000 * MILLISECOND)
        start = f.now
        f.reader.revive()
        assert f.now - start <= 12 * MILLISECOND, "it must time out"


@pytest.mark.parametrize("lost", range(5))
def test_known_card_gets_three_wake_ups(lost: int) -> None:
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(FOUR))
        original, calls = f.bench.hardware.air.exchange, itertools.count()

        def exchange(antenna: Antenna, bits: bytes, now: int) -> RadioAnswer | None:
            return original(antenna, bits, now) if next(calls) >= lost else None

        intercept(f.bench.hardware.air, "exchange", exchange)
        assert f.scan(FOUR) == (Card(FOUR) if lost < 3 else ScanResult.NOTHING)


def test_empty_slot_gets_one_wake_up() -> None:
    """Otherwise an empty slot would cost three times as much; the next scan comes soon."""
    with reader_fixture() as f:
        assert f.scan() is ScanResult.NOTHING
        asked = [s for s in f.sent if s[0] == mfrc522.FIFO_DATA << 1]
        assert len(asked) == 1


def test_chip_without_interrupts_times_out() -> None:
    with reader_fixture() as f:
        intercept(f.chip, "_send", lambda: None)
        f.reader.field_on()
        start = f.now
        assert f.reader.scan(None) is ScanResult.NO_READER
        assert 2.3 * MILLISECOND <= f.now - start <= 3 * MILLISECOND


def test_answer_that_ends_within_a_byte_is_garbled() -> None:
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(FOUR))
        for bits in range(1, 8):
            FrameCorruptor(f, 3, cut(4 * 9 + bits - 1))
            assert f.scan() is ScanResult.SOMETHING
            f.reader.field_off()


def collided(number: int) -> Callable[[ReaderFixture], None]:
    """Make one answer of a scan look like a collision."""

    def arrange(f: ReaderFixture) -> None:
        antenna = f.bench.hardware.antennas[LEFT]
        original, count = antenna.transmit, itertools.count()

        def transmit(bits: bytes, now: int) -> RadioAnswer | None:
            answer = original(bits, now)
            selected = answer is not None and next(count) == number
            return answer._replace(collisions=frozenset({3})) if answer and selected else answer

        intercept(antenna, "transmit", transmit)

    return arrange


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (0, Card(FOUR)),  # to the wake-up: cards of different types may differ there
        (1, ScanResult.SEVERAL),  # to an anticollision: two cards
        (2, ScanResult.SOMETHING),  # to a select: only one card can answer
    ],
)
def test_meaning_of_a_collision(answer: int, expected: Card | ScanResult) -> None:
    with reader_fixture() as f:
        f.bench.hardware.put(LEFT, Picc(FOUR))
        collided(answer)(f)
        assert f.scan() == expected
