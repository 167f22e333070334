"""The hardware of the virtual board: models of the chips, connected by wires, in virtual time.

The drivers of hal/pi run on it. The stand-ins below ``gpiozero``, ``mfrc522`` and ``luma``
call it, and so do scripts, to press keys and to move cards.
"""

import errno
import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from firmware.user_error import UserError
from hal.events import Instant, Key, Slot
from hal.pi.readers.registry import reader_factory
from hal.pi.screens.registry import screen_driver
from hal.wiring import READERS, Part, Wiring
from sim.chips.air import Air
from sim.chips.buzzer import PassiveBuzzer
from sim.chips.keymatrix import KeyMatrix
from sim.chips.picc import Picc
from sim.chips.virtual_time import TRANSFER_OVERHEAD, VirtualTime
from sim.virtual import stand_ins
from sim.virtual.models import READER_MODELS, SCREEN_MODELS, ReaderModel

REVISION = "a02082"
"""The revision of a Pi 3; on a real Pi, rpi-lgpio and gpiozero get it from the kernel."""

I2C_SPEED = 400_000
PIN_TIME = 30_000
"""Nanoseconds of a kernel call for one pin, on a small Pi."""
EDGE_DELAY = 600_000
"""Nanoseconds until lgpio reports an edge: it waits half a millisecond, and uses a thread."""
NANO = 1_000_000_000
MICRO = 1_000
"""Nanoseconds of the models' time in a microsecond of the box's."""


class Hardware:
    """All parts of a box, as seen from the Pi's pins."""

    def __init__(self, wiring: Wiring | None = None, seed: int = 0) -> None:
        self.wiring = wiring or Wiring()
        self.time = VirtualTime()
        self.air = Air(seed)
        self.antennas = {slot: self.air.antenna() for slot in Slot}
        self.readers = {
            slot: READER_MODELS[self.wiring.reader(slot).chip](antenna)
            for slot, antenna in self.antennas.items()
        }
        self._chip_selects = [(READERS[slot], self.readers[slot]) for slot in Slot]
        self.matrix = KeyMatrix(seed)
        self.oled = SCREEN_MODELS[self.wiring.screen_chip]()
        self.oled_plugged = True
        self.piezo = PassiveBuzzer()
        self.undervoltage = False
        self.i2c_bytes = 0
        self.i2c_reads = 0
        self.i2c_stuck = False
        """Whether the bus is held low: each transfer then times out after a second."""
        self.i2c_breaks_after: int | None = None
        """The number of bytes until a transfer breaks off, once."""
        self.pin_writes = 0
        self._outputs: dict[int, int] = {}
        self._pulled_up: set[int] = set()
        self._watched: dict[int, Callable[[int, int], None]] = {}
        self._row_levels = [1] * 4
        self._cut: set[tuple[Part, str]] = set()

    # The calls of the stand-ins

    def open_bus(self, kind: str, number: int) -> None:
        """Open a bus ("spi", "i2c" or "gpio"). Raises FileNotFoundError if it does not exist."""
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
            received = reader.transfer(sent, self.time.now, byte_time)
        self.time.pass_until(self.time.now + len(sent) * byte_time + TRANSFER_OVERHEAD)
        return received

    def _over_cut_wires(
        self, part: Part, reader: ReaderModel, sent: bytes, byte_time: int
    ) -> bytes:
        zeros = bytes(len(sent))  # the Pi pulls an open MISO down
        if not self.whole(part, "3.3V", "GND", "SCK", "SDA"):
            return zeros
        received = sent if self.whole(part, "MOSI") else zeros
        answer = reader.transfer(received, self.time.now, byte_time)
        return answer if self.whole(part, "MISO") else zeros

    def i2c(self, address: int, payload: bytes) -> None:
        """Write; a screen gets the bytes before the transfer breaks off. Raises OSError."""
        self._address_screen(address)
        arrived = self._clock_i2c(1 + len(payload))
        self.oled.write(payload[: arrived - 1])
        if arrived <= len(payload):
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def i2c_read(self, address: int) -> int:
        """Read one byte. Raises OSError."""
        self.i2c_reads += 1
        self._address_screen(address)
        answer = self.oled.read()
        arrived = self._clock_i2c(1 if answer is None else 2)
        if answer is None or arrived < 2:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        return answer

    def _address_screen(self, address: int) -> None:
        if self.i2c_stuck:
            self.time.pass_until(self.time.now + NANO)
            raise OSError(errno.ETIMEDOUT, "Connection timed out")
        if not self._screen_connected or address != self.wiring.screen_address:
            self.time.pass_until(self.time.now + 9 * NANO // I2C_SPEED)
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def _clock_i2c(self, count: int) -> int:
        """Transfer bytes, nine clocks each; return how many arrive before the transfer breaks off.

        The first one, the address, always arrives.
        """
        arrived = count
        if self.i2c_breaks_after is not None:
            arrived = max(1, min(count, self.i2c_breaks_after))
            self.i2c_breaks_after = None if arrived < count else self.i2c_breaks_after - count
        self.time.pass_until(self.time.now + arrived * 9 * NANO // I2C_SPEED)
        self.i2c_bytes += arrived
        return arrived

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
        self.pin_writes += 1
        self._outputs[pin] = level
        for slot, part in READERS.items():
            if pin == self.wiring.reader(slot).reset_pin and self.whole(part, "RST"):
                self.readers[slot].reset_line(bool(level), self.time.now)
        self._pins_changed()

    write = claim_output

    def read(self, pin: int) -> int:
        self._take_time()
        if pin in self.wiring.rows:
            return self._rows()[self.wiring.rows.index(pin)]
        return self._outputs.get(pin, 1)

    def watch(self, pin: int, notify: Callable[[int, int], None] | None) -> None:
        """Call ``notify`` for each edge, with the level and the time; None ends that."""
        if notify is None:
            self._watched.pop(pin, None)
        else:
            self._watched[pin] = notify

    def pwm(self, pin: int, frequency: float, duty: float) -> None:
        assert pin == self.wiring.buzzer, f"there is no buzzer on GPIO {pin}"
        if self.whole(Part.BUZZER, "+", "-"):
            self.piezo.drive(self.time.now, frequency, duty)

    # The keypad's pins

    def _rows(self) -> list[int]:
        columns = [self._outputs.get(pin) for pin in self.wiring.columns]
        if self._cut:
            for number in range(len(columns)):
                if not self.whole(Part.KEYPAD, f"C{number + 1}"):
                    columns[number] = None
        levels = self.matrix.row_levels(columns, self.time.now)
        if self._cut or not self._pulled_up.issuperset(self.wiring.rows):
            for number, pin in enumerate(self.wiring.rows):
                if pin not in self._pulled_up:
                    levels[number] = 0  # a floating pin may read as anything
                elif not self.whole(Part.KEYPAD, f"R{number + 1}"):
                    levels[number] = 1
        return levels

    def _pins_changed(self) -> None:
        """Report each edge of a watched row, with lgpio's delay."""
        before, self._row_levels = self._row_levels, self._rows()
        for pin, old, new in zip(self.wiring.rows, before, self._row_levels, strict=True):
            if old != new and pin in self._watched:
                notify = partial(self._watched[pin], new, self.time.now)
                self.time.plan(self.time.now + EDGE_DELAY, notify)

    def _take_time(self) -> None:
        """Pass the time of a kernel call for a pin."""
        self.time.pass_until(self.time.now + PIN_TIME)

    def power_cycle(self) -> None:
        """Reset all chips; cards and keys stay as they are."""
        self._outputs.clear()
        self._pulled_up.clear()
        self._watched.clear()
        for reader in self.readers.values():
            self._restart(reader)
        self.oled.power_cycle()
        self.piezo.drive(self.time.now, 0, 0)

    def _restart(self, reader: ReaderModel) -> None:
        reader.reset_line(False, self.time.now)
        reader.reset_line(True, self.time.now)

    # Wires

    def cut(self, part: Part, pad: str, floats: int = 1) -> None:
        """Break a wire; ``floats`` is the level of a reader's reset pad without it."""
        self._cut.add((part, pad))
        if pad == "RST":
            slot = next(slot for slot, reader in READERS.items() if reader is part)
            self.readers[slot].reset_line(bool(floats), self.time.now)

    def mend(self, part: Part, pad: str) -> None:
        """Repair a wire; a reader's chip restarts."""
        self._cut.discard((part, pad))
        for slot, reader in READERS.items():
            if reader is part:
                self._restart(self.readers[slot])

    def plug_screen(self, plugged: bool) -> None:
        """Plug the screen in or out; out, it loses its state."""
        self.oled_plugged = plugged
        if not plugged:
            self.oled.power_cycle()

    def whole(self, part: Part, *pads: str) -> bool:
        """Whether none of these wires is cut."""
        return not self._cut or not any((part, pad) in self._cut for pad in pads)

    # Keys and cards

    def press(self, key: Key, bounce: int = 0) -> None:
        self.matrix.press(key.value, self.time.now, bounce)
        self._let_bounce()

    def let_go(self, key: Key, bounce: int = 0) -> None:
        self.matrix.release(key.value, self.time.now, bounce)
        self._let_bounce()

    def _let_bounce(self) -> None:
        self._pins_changed()
        next_change = self.matrix.next_change(self.time.now)
        if next_change is not None:
            self.time.plan(next_change, self._let_bounce)

    def put(self, slot: Slot, card: Picc) -> None:
        self.air.put(card, self.antennas[slot], self.time.now)

    def take(self, slot: Slot, card: Picc) -> None:
        self.air.take(card, self.antennas[slot], self.time.now)


class VirtualAlarm:
    """The box's clock and alarm, in virtual time; a wait must have an end."""

    def __init__(self, hardware: Hardware) -> None:
        self._time = hardware.time
        self._interrupted = False
        self.waits = 0
        """How often the process was woken up."""

    def now(self) -> Instant:
        return Instant(self._time.now // MICRO)

    def instant_of(self, ticks: float) -> Instant:
        return Instant(round(ticks * 1_000_000))

    def wait(self, until: Instant | None) -> bool:
        self.waits += 1
        assert until is not None, "nothing will ever end this wait"
        end = until * MICRO
        while not self._interrupted and self._time.now < end:
            next_action = self._time.next_action
            self._time.pass_until(end if next_action is None else min(next_action, end))
        self._interrupted = False
        return False

    def interrupt(self) -> None:
        self._interrupted = True

    def listen(self, descriptor: int) -> None:
        raise AssertionError(f"descriptor {descriptor}: virtual time has no descriptors")

    deafen = listen


def drivers(hardware: Hardware, *, at_once: bool = True) -> Any:
    """Connect the Pi's packages to this hardware, and return ``sim.virtual.pi_on_chips``.

    The drivers are imported only now, after the stand-ins are plugged in: all of them at once, or
    those that ``PiBoard.connect`` needs not before it.
    """
    stand_ins.plug_in(hardware)
    os.environ["RPI_LGPIO_REVISION"] = REVISION
    try:
        screen_driver(hardware.wiring.screen_chip)
        if at_once:
            for slot in Slot:
                reader_factory(hardware.wiring, slot)
            import_module("sim.virtual.virtual_pins")
            import_module("hal.pi.gpio_parts")
        return import_module("sim.virtual.pi_on_chips")
    except ImportError as error:
        raise UserError(
            f"the virtual board needs the Pi's package {error.name}; `make pi` installs it"
        ) from None
