"""The drivers compared with the packages' own code, by counts on the virtual board."""

import statistics
import time
from collections.abc import Callable
from functools import partial

from firmware.app import App
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.storage.store import Store
from hal.display.renderer import draw
from hal.events import Instant, Key, Slot
from sim.chips.air import Antenna
from sim.chips.picc import Picc
from tests import golden
from tests.drivers.harness import MS, NANOS, Bench, bench

UIDS = {4: b"\xa1\xc0\xff\xee", 7: b"\x04\xe5\xa1\xb2\xc3\xd4\x05", 10: bytes(range(0x40, 0x4A))}
PACKS = 200


def line(what: str, ours: str, package: str, limit: str) -> None:
    print(f"{what}\n    {ours} (the package alone: {package}; to reach: {limit})\n")


def bench_transfers() -> None:
    """SPI transfers of one scan, compared with the package's own request."""
    with bench() as b:
        # Imported late, after the stand-in modules are installed.
        from mfrc522 import MFRC522

        from hal.pi.readers.mfrc522 import Mfrc522Reader

        chip = b.hardware.readers[Slot.LEFT]
        package = MFRC522(device=0, pin_mode=11, pin_rst=25)
        before = chip.transfers
        package.MFRC522_Request(package.PICC_REQIDL)
        alone = chip.transfers - before
        resting = Picc(UIDS[4])
        b.hardware.put(Slot.LEFT, resting)
        b.hardware.time.pass_until(b.hardware.time.now + 10_000_000)
        before = chip.transfers
        package.MFRC522_Request(package.PICC_REQIDL)
        status, _ = package.MFRC522_Anticoll()
        assert status == package.MI_OK, "the package did not read the card"
        with_card = chip.transfers - before
        b.hardware.take(Slot.LEFT, resting)
        package.AntennaOff()
        reader = Mfrc522Reader(0, 0, 25)

        def scan(known: bytes | None) -> int:
            start = chip.transfers
            reader.field_on()
            b.hardware.time.pass_until(b.hardware.time.now + 5_100_000)
            reader.scan(known)
            reader.field_off()
            return chip.transfers - start

        line("SPI transfers, an empty slot", str(scan(None)), str(alone), "at most 10")
        for length, uid in UIDS.items():
            card = Picc(uid)
            b.hardware.put(Slot.LEFT, card)
            most = max(scan(uid) for _ in range(6))
            b.hardware.take(Slot.LEFT, card)
            what = f"SPI transfers, a resting card with a UID of {length} bytes"
            line(what, str(most), f"{with_card} for 4 bytes, it knows no others", "at most 40")


def bench_detection() -> None:
    """Time from a card in the field to its event, with transfers, at all phases of the scans."""
    for asleep, reach in ((False, "at most 120 ms"), (True, "at most 500 ms")):
        slowest = 0
        for phase in range(0, 400 if asleep else 50, 7):
            with bench() as b:
                b.run(300 * MS)
                b.board.rest(asleep)
                b.run((500 + phase) * MS)
                b.put(Slot.RIGHT, UIDS[10])
                slowest = max(slowest, b.run_until_event(600 * MS))
        state = "asleep" if asleep else "awake"
        line(f"a card noticed, {state}, worst case", f"{slowest / MS:.0f} ms", "-", reach)


def bench_idling() -> None:
    """Wake-ups and I²C bytes in a minute without input."""
    for view, limit in (("balance", "printed"), ("asleep", "at most 5")):
        with bench() as b:
            b.board.screen.show(golden.views()[view])
            b.run(300 * MS)
            b.board.rest(view == "asleep")
            b.run(1_000 * MS)
            woken, sent = b.alarm.waits, b.hardware.i2c_bytes
            b.run(60_000 * MS)
            rate = (b.alarm.waits - woken) / 60
            polled = b.hardware.i2c_bytes - sent
        state = "asleep" if view == "asleep" else "awake"
        what = f"wake-ups of the process a second, {state}; lgpio's own thread not counted"
        line(what, f"{rate:.1f}", "-", limit)
        line(f"I²C bytes a minute, {state}, nothing new to show", str(polled), "0", "printed")


def bench_screen() -> None:
    """I²C bytes for a keystroke, and CPU time to pack a frame."""
    entry = golden.views()["entry"]
    with bench() as b:
        from luma.core.interface.serial import i2c
        from luma.oled.device import ssd1306

        from hal.display.pages import packed

        luma = ssd1306(i2c(port=1, address=0x3C))
        picture = draw(entry)
        before = b.hardware.i2c_bytes
        luma.display(picture)
        frame = b.hardware.i2c_bytes - before
        b.board.screen.show(entry._replace(field="99,999M", typed=False))
        for what, field, reach in (
            ("the first digit", "1", "at most 700"),
            ("a further digit", "15", "at most 150"),
        ):
            before = b.hardware.i2c_bytes
            b.board.screen.show(entry._replace(field=field))
            sent = str(b.hardware.i2c_bytes - before)
            line(f"I²C bytes, {what}", sent, str(frame), reach)

        class NullBus:
            """Discards what luma has packed, so that only packing is measured."""

            def command(self, *values: int) -> None:
                """Do nothing."""

            def data(self, values: object) -> None:
                """Do nothing."""

            def cleanup(self) -> None:
                """Do nothing."""

        bare = ssd1306(NullBus())
        ours = statistics.median(_timed(lambda: packed(picture)) for _ in range(PACKS))
        theirs = statistics.median(_timed(lambda: bare.display(picture)) for _ in range(PACKS // 4))
        line(
            "CPU to pack one full frame",
            f"1/{theirs / ours:.0f}",
            f"{theirs * 1e6:.0f} µs beside {ours * 1e6:.0f} µs",
            "at most 1/8",
        )


def _timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def bench_keystroke() -> None:
    """Time from a digit's first contact to the last byte on the screen's bus, at all phases."""
    banking = editions.load("banking")
    slowest = {"the first digit": 0, "a further digit": 0}
    for phase in range(60):
        with bench() as b:
            ledger = Ledger(Store.in_memory(), banking)
            ledger.know(UIDS.values())
            ledger.move(BANK, 3, 84_999_000, Purpose.ENTRY)  # 99,999M: the widest balance
            app = App(b.board, ledger)
            b.put(Slot.LEFT, UIDS[10])
            _run(b, app, 2_000 * MS)
            for what, key in (("the first digit", Key.ONE), ("a further digit", Key.FIVE)):
                # At any phase, also in the middle of a slot's scan.
                contact = Instant(b.now + 1 + phase * MS)
                b.hardware.time.plan(contact * NANOS, partial(_press, b, key))
                shown = app.box.view.field
                while app.box.view.field == shown:
                    b.board.horizon = Instant(b.now + MS)
                    app.turn()
                slowest[what] = max(slowest[what], b.now - contact)
                _run(b, app, 60 * MS)
                b.hardware.let_go(key, 20 * MS * NANOS)
                _run(b, app, 60 * MS)
    for what, reach in (("the first digit", "40 ms"), ("a further digit", "30 ms")):
        line(
            f"{what}, contact to last byte", f"{slowest[what] / MS:.1f} ms", "-", f"at most {reach}"
        )


def bench_waking() -> None:
    """The same for a digit that wakes the box, so that the screen is set up and redrawn in full."""
    slowest = 0
    for phase in range(0, 400, 13):
        with bench() as b:
            ledger = Ledger(Store.in_memory(), editions.load("banking"))
            ledger.know(UIDS.values())
            app = App(b.board, ledger)
            b.put(Slot.LEFT, UIDS[10])
            _run(b, app, 70_000 * MS)
            assert app.box.asleep, "it should sleep by now"
            contact = Instant(b.now + 1 + phase * MS)
            b.hardware.time.plan(contact * NANOS, partial(_press, b, Key.ONE))
            while app.box.asleep:
                b.board.horizon = Instant(b.now + MS)
                app.turn()
            slowest = max(slowest, b.now - contact)
    line("a digit that wakes, contact to last byte", f"{slowest / MS:.1f} ms", "-", "printed")


def _press(b: Bench, key: Key) -> None:
    b.hardware.press(key, 20 * MS * NANOS)


def _run(b: Bench, app: App, duration: int) -> None:
    end = Instant(b.now + duration)
    while b.now < end:
        b.board.horizon = end
        app.turn()


class FieldTime:
    """Measures how long the field of an antenna is on, in nanoseconds."""

    def __init__(self, antenna: Antenna, now: int) -> None:
        self._antenna = antenna
        self._total = 0
        self._since = now
        self._switch = antenna.switch
        # The bench looks at this one antenna; the model has no other use for an observer.
        antenna.switch = self._switched  # type: ignore[method-assign]

    def _switched(self, on: bool, now: int) -> None:
        self.total(now)
        self._switch(on, now)

    def total(self, now: int) -> int:
        self._total += now - self._since if self._antenna.on else 0
        self._since = now
        return self._total


def bench_field() -> None:
    """The share of time that a field is on, which determines most of the readers' current."""
    for asleep in (False, True):
        with bench() as b:
            for slot, length in ((Slot.LEFT, 4), (Slot.RIGHT, 7)):
                b.put(slot, UIDS[length])
            b.run(500 * MS)
            b.board.rest(asleep)
            start = b.hardware.time.now
            fields = [FieldTime(a, start) for a in b.hardware.antennas.values()]
            b.run(20_000 * MS)
            end = b.hardware.time.now
            on = sum(field.total(end) for field in fields)
        state = "asleep" if asleep else "awake"
        line(
            f"time with a field on, {state}, a card in each slot",
            f"{on / (end - start):.0%}",
            "always",
            "printed",
        )


def main() -> None:
    bench_field()
    bench_transfers()
    bench_detection()
    bench_idling()
    bench_screen()
    bench_keystroke()
    bench_waking()
