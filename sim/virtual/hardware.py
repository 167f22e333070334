"""The virtual board: the real drivers of hal/pi, on models of the chips, in virtual time.

The stand-ins below ``gpiozero``, ``mfrc522`` and ``luma`` lead here. What a script's hands
do is done to the models: a key's contact closes and bounces, a card enters a field.
"""

import errno
import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from firmware.mistake import Mistake
from hal.events import Instant, Key, Slot
from hal.wiring import READERS, Part, Wiring
from sim.chips import stand_ins
from sim.chips.air import Air
from sim.chips.buzzer import PassiveBuzzer
from sim.chips.keymatrix import KeyMatrix
from sim.chips.machine import BIT_OVERHEAD, World
from sim.chips.mfrc522 import Mfrc522
from sim.chips.picc import Picc
from sim.chips.sh1106 import Sh1106
from sim.chips.ssd1306 import Ssd1306
from sim.chips.stand_ins import GpioLibrary

REVISION = "a02082"
"""A Pi 3: what rpi-lgpio and gpiozero ask the kernel for on a real one."""

I2C_SPEED = 400_000
PIN_TIME = 30_000
"""Nanoseconds that a call for one pin takes, on a small Pi."""
EDGE_DELAY = 600_000
"""Nanoseconds: lgpio holds an edge back for half a millisecond, then tells it from a thread."""
NANO = 1_000_000_000
MICRO = 1_000


class Hardware:
    """Everything that is soldered together, seen from the Pi's pins."""

    def __init__(self, wiring: Wiring | None = None, seed: int = 0) -> None:
        self.wiring = wiring or Wiring()
        self.world = World()
        self.air = Air(seed)
        self.antennas = {slot: self.air.antenna() for slot in Slot}
        self.readers = {slot: Mfrc522(antenna) for slot, antenna in self.antennas.items()}
        self._chip_selects = [(READERS[slot], self.readers[slot]) for slot in Slot]
        self.matrix = KeyMatrix(seed)
        self.oled: Ssd1306 | Sh1106 = (
            Ssd1306() if self.wiring.screen_chip == "ssd1306" else Sh1106()
        )
        self.oled_plugged = True
        self.piezo = PassiveBuzzer()
        self.undervoltage = False
        self.i2c_bytes = 0
        self.i2c_reads = 0
        self.i2c_stuck = False
        """Whether something holds the bus down: the kernel then waits a second for it."""
        self.i2c_breaks_after: int | None = None
        """Bytes until a transfer breaks off, once."""
        self.pin_writes = 0
        self._outputs: dict[int, int] = {}
        self._pulled_up: set[int] = set()
        self._watched: dict[int, tuple[int, Callable[[int, int], None]]] = {}
        self._row_levels = [1] * 4
        self._cut: set[tuple[Part, str]] = set()

    # What the stand-ins ask for

    def open_bus(self, kind: str, number: int) -> None:
        if number != {"spi": self.wiring.spi_bus, "i2c": self.wiring.i2c_bus, "gpio": 0}[kind]:
            raise FileNotFoundError(errno.ENOENT, f"No such file or directory: {kind} {number}")

    def spi(self, device: int, sent: bytes, speed: int) -> bytes:
        byte_time = 8 * NANO // speed
        part, reader = self._chip_selects[device]
        if not sent:
            received = b""
        elif self._cut:
            received = self._over_cut_wires(part, reader, sent, byte_time)
        else:
            received = reader.transfer(sent, self.world.now, byte_time)
        self.world.pass_until(self.world.now + len(sent) * byte_time + BIT_OVERHEAD)
        return received

    def _over_cut_wires(self, part: Part, reader: Mfrc522, sent: bytes, byte_time: int) -> bytes:
        nothing = bytes(len(sent))  # the Pi pulls a MISO down that nobody drives
        if not self.whole(part, "3.3V", "GND", "SCK", "SDA"):
            return nothing
        heard = sent if self.whole(part, "MOSI") else nothing
        said = reader.transfer(heard, self.world.now, byte_time)
        return said if self.whole(part, "MISO") else nothing

    def i2c(self, address: int, payload: bytes) -> None:
        """Nine clocks a byte, the address included; nobody there means no acknowledge."""
        self._address_screen(address)
        sent = 1 + len(payload)
        broken = self.i2c_breaks_after is not None and self.i2c_breaks_after < sent
        heard = payload[: max(0, (self.i2c_breaks_after or 0) - 1)] if broken else payload
        self._clock_i2c(1 + len(heard))
        self.oled.write(heard)
        self._break_i2c(broken, sent)

    def i2c_read(self, address: int) -> int:
        """One byte, after the address; a read that breaks off leaves the chip as it was."""
        self.i2c_reads += 1
        self._address_screen(address)
        said = self.oled.read()
        if said is None:
            self._clock_i2c(1)
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        broken = self.i2c_breaks_after is not None and self.i2c_breaks_after < 2
        self._clock_i2c(1 if broken else 2)
        self._break_i2c(broken, 2)
        return said

    def _address_screen(self, address: int) -> None:
        if self.i2c_stuck:
            self.world.pass_until(self.world.now + NANO)
            raise OSError(errno.ETIMEDOUT, "Connection timed out")
        if not self._screen_connected or address != self.wiring.screen_address:
            self.world.pass_until(self.world.now + 9 * NANO // I2C_SPEED)
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def _clock_i2c(self, count: int) -> None:
        self.world.pass_until(self.world.now + count * 9 * NANO // I2C_SPEED)
        self.i2c_bytes += count

    def _break_i2c(self, broken: bool, sent: int) -> None:
        """The end of a transfer that was to break off here, or in a later one, or not at all."""
        if broken:
            self.i2c_breaks_after = None
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        if self.i2c_breaks_after is not None:
            self.i2c_breaks_after -= sent

    @property
    def _screen_connected(self) -> bool:
        return self.oled_plugged and self.whole(Part.SCREEN, "VCC", "GND", "SDA", "SCL")

    def claim_input(self, pin: int, pull: str) -> None:
        self._take_time()
        (self._pulled_up.add if pull == "up" else self._pulled_up.discard)(pin)
        self._outputs.pop(pin, None)
        self._pins_changed()

    def claim_output(self, pin: int, level: int) -> None:
        self._take_time()
        self._outputs[pin] = level
        self._driven(pin, level)

    def write(self, pin: int, level: int) -> None:
        self._take_time()
        self._outputs[pin] = level
        self._driven(pin, level)

    def read(self, pin: int) -> int:
        self._take_time()
        if pin in self.wiring.rows:
            return self._rows()[self.wiring.rows.index(pin)]
        return self._outputs.get(pin, 1)

    def watch(self, pin: int, edges: int, tell: Callable[[int, int], None] | None) -> None:
        if tell is None:
            self._watched.pop(pin, None)
        else:
            self._watched[pin] = (edges, tell)

    def pwm(self, pin: int, frequency: float, duty: float) -> None:
        assert pin == self.wiring.buzzer, f"there is no buzzer on GPIO {pin}"
        if self.whole(Part.BUZZER, "+", "-"):
            self.piezo.drive(self.world.now, frequency, duty)

    # How the pins hang together

    def _driven(self, pin: int, level: int) -> None:
        self.pin_writes += 1
        for slot, reset in (
            (Slot.LEFT, self.wiring.left_reset),
            (Slot.RIGHT, self.wiring.right_reset),
        ):
            if pin == reset and self.whole(READERS[slot], "RST"):
                self.readers[slot].reset_line(bool(level), self.world.now)
        self._pins_changed()

    def _rows(self) -> list[int]:
        columns = [
            self._outputs.get(pin) if self.whole(Part.KEYPAD, f"C{number}") else None
            for number, pin in enumerate(self.wiring.columns, 1)
        ]
        levels = self.matrix.row_levels(columns, self.world.now)
        for number, pin in enumerate(self.wiring.rows):
            if pin not in self._pulled_up:
                levels[number] = 0  # it floats, and could read as anything
            elif not self.whole(Part.KEYPAD, f"R{number + 1}"):
                levels[number] = 1
        return levels

    def _pins_changed(self) -> None:
        """Tell of every edge that this makes on a row that is watched, as late as lgpio does."""
        before, self._row_levels = self._row_levels, self._rows()
        for pin, old, new in zip(self.wiring.rows, before, self._row_levels, strict=True):
            if old != new and pin in self._watched:
                _edges, tell = self._watched[pin]
                self.world.plan(self.world.now + EDGE_DELAY, partial(tell, new, self.world.now))

    def _take_time(self) -> None:
        """A call into the kernel for a pin."""
        self.world.pass_until(self.world.now + PIN_TIME)

    def power_cycle(self) -> None:
        """All chips lose what they know; cards and keys stay where they are."""
        self._outputs.clear()
        self._pulled_up.clear()
        self._watched.clear()
        for reader in self.readers.values():
            reader.reset_line(False, self.world.now)
            reader.reset_line(True, self.world.now)
        self.oled.power_cycle()
        self.piezo.drive(self.world.now, 0, 0)

    # Wires

    def cut(self, part: Part, pad: str, floats: int = 1) -> None:
        """Break a wire; a reader's reset pad is then high or low, whichever its board does."""
        self._cut.add((part, pad))
        if pad == "RST":
            slot = next(slot for slot, reader in READERS.items() if reader is part)
            self.readers[slot].reset_line(bool(floats), self.world.now)

    def mend(self, part: Part, pad: str) -> None:
        """Solder a wire again; a reader's chip starts anew when it gets its power."""
        self._cut.discard((part, pad))
        for slot, reader in READERS.items():
            if reader is part:
                self.readers[slot].reset_line(False, self.world.now)
                self.readers[slot].reset_line(True, self.world.now)

    def plug_screen(self, plugged: bool) -> None:
        """A screen that was unplugged knows nothing when it comes back."""
        self.oled_plugged = plugged
        if not plugged:
            self.oled.power_cycle()

    def whole(self, part: Part, *pads: str) -> bool:
        """Whether all of these wires are in order."""
        return not self._cut or not any((part, pad) in self._cut for pad in pads)

    # Hands

    def press(self, key: Key, bounce: int = 0) -> None:
        self.matrix.press(key.value, self.world.now, bounce)
        self._let_bounce()

    def let_go(self, key: Key, bounce: int = 0) -> None:
        self.matrix.release(key.value, self.world.now, bounce)
        self._let_bounce()

    def _let_bounce(self) -> None:
        self._pins_changed()
        coming = self.matrix.next_change(self.world.now)
        if coming is not None:
            self.world.plan(coming, self._let_bounce)

    def put(self, slot: Slot, card: Picc) -> None:
        self.air.put(card, self.antennas[slot], self.world.now)

    def take(self, slot: Slot, card: Picc) -> None:
        self.air.take(card, self.antennas[slot], self.world.now)


class VirtualAlarm:
    """The box's clock and alarm, in virtual time; it runs no further than the horizon."""

    def __init__(self, hardware: Hardware) -> None:
        self._world = hardware.world
        self._interrupted = False
        self.horizon: Instant | None = None
        self.waits = 0
        """How often the process was woken."""

    def now(self) -> Instant:
        return Instant(self._world.now // MICRO)

    def instant_of(self, ticks: float) -> Instant:
        return Instant(round(ticks * 1_000_000))

    def wait(self, until: Instant | None) -> bool:
        self.waits += 1
        moment = self.horizon if until is None else until
        assert moment is not None, "nothing will ever end this wait"
        while not self._interrupted and self._world.now < moment * MICRO:
            coming = self._world.next_happening
            end = moment * MICRO if coming is None else min(coming, moment * MICRO)
            self._world.pass_until(end)
        self._interrupted = False
        return False

    def interrupt(self) -> None:
        self._interrupted = True

    def listen(self, descriptor: int) -> None:
        raise AssertionError(f"no line is connected in virtual time, so not {descriptor} either")

    deafen = listen


def drivers(hardware: Hardware, library: GpioLibrary = GpioLibrary.LGPIO) -> Any:
    """The module ``sim.pi_on_chips``, whose packages talk to this hardware from here on.

    It is imported only now: those packages must meet the stand-ins.
    """
    stand_ins.plug_in(hardware, library)
    os.environ["RPI_LGPIO_REVISION"] = REVISION
    try:
        return import_module("sim.pi_on_chips")
    except ImportError as error:
        raise Mistake(
            f"the virtual board needs the Pi's package {error.name}; `make pi` installs it"
        ) from None
