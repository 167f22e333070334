"""Stand-ins for the modules that access the kernel: lgpio, spidev and smbus2.

Nothing else is replaced on the virtual board. The packages above them (``gpiozero``,
``rpi-lgpio``, ``mfrc522``, ``luma.core``, ``luma.oled``) are the released ones. A stand-in
has only the calls that those packages make, with the original signatures, and forwards them
to the virtual board.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sim.virtual import lgpio
from sim.virtual.plug import board, module, plugged

if TYPE_CHECKING:
    from sim.virtual.hardware import Hardware


def plug_in(hardware: "Hardware") -> None:
    """Use this hardware from now on; the first call installs the stand-ins."""
    plugged[:] = [hardware]
    if "spidev" in sys.modules:
        assert getattr(sys.modules["spidev"], "STAND_IN", False), "the real spidev is loaded"
        return
    sys.modules["spidev"] = module("spidev", SpiDev=SpiDev)
    sys.modules["smbus2"] = module("smbus2", SMBus=SMBus, i2c_msg=I2cMessage)
    if "RPi.GPIO" not in sys.modules:  # tests may have installed another one
        sys.modules["lgpio"] = lgpio


# spidev


class SpiDev:
    """One chip select of the SPI bus."""

    def __init__(self) -> None:
        self.max_speed_hz = 500_000
        self._device: int | None = None

    def open(self, bus: int, device: int) -> None:
        board().open_bus("spi", bus)
        self._device = device

    def xfer2(self, values: Sequence[int]) -> list[int]:
        assert self._device is not None, "the bus is not open"
        return list(board().spi(self._device, bytes(values), self.max_speed_hz))

    def close(self) -> None:
        self._device = None


# smbus2


class I2cMessage:
    """A message of ``i2c_rdwr``."""

    def __init__(self, address: int, payload: Iterable[int]) -> None:
        self.address = address
        self.payload = bytes(payload)

    @classmethod
    def write(cls, address: int, payload: Iterable[int]) -> "I2cMessage":
        return cls(address, payload)


class SMBus:
    """The I²C bus."""

    def __init__(self, port: int) -> None:
        board().open_bus("i2c", port)

    def write_i2c_block_data(self, address: int, register: int, values: Sequence[int]) -> None:
        assert len(values) <= 32, "the kernel accepts at most 32 bytes"
        board().i2c(address, bytes((register, *values)))

    def read_byte_data(self, address: int, register: int) -> int:
        board().i2c(address, bytes((register,)))
        return board().i2c_read(address)

    def i2c_rdwr(self, *messages: I2cMessage) -> None:
        for message in messages:
            board().i2c(message.address, message.payload)

    def close(self) -> None:
        return
