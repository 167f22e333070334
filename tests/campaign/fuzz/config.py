"""The config file: any bytes are settings, or one sentence that names the file."""

from firmware import config
from firmware.config import Config
from firmware.mistake import Mistake
from hal.wiring import I2C_BUSES, SCREEN_CHIPS, SPI_BUSES
from tests.fuzz.contract import folder, names_its_place

LONGEST = 4_000
WORDS = (
    b"edition = ", b"ledger = ", b"language = ", b"pot = ", b"undo = ", b"[pins]\n", b"[buses]\n",
    b"[screen]\n", b"rows = ", b"columns = ", b"buzzer = ", b"spi = ", b"i2c = ", b"chip = ",
    b"address = ", b"left_reset = ", b"right_reset = ", b'"fr"', b'"rulebook"', b"true",
    b"[5, 6, 7, 8]", b"0x7f", b"1979-05-27", b"{ a = 1 }", b'"""', b"inf", b"\\u001b", b"\\u0000",
    b"~", b".", b"\n",
)  # fmt: skip


def fuzz_one(data: bytes) -> None:
    path = folder() / "config.toml"
    path.write_bytes(data)
    try:
        settings = config.load(path)
    except Mistake as mistake:
        # As Python reads a text: whatever ends a line, one character does after this.
        text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        names_its_place(mistake, str(path), text, line_needed=False)
    else:
        _can_be_used(settings)
    assert path.read_bytes() == data


def _can_be_used(settings: Config) -> None:
    """What nobody asks again after this: pins that are there, each for one part."""
    wiring = settings.wiring
    pins = [
        wiring.left_reset,
        wiring.right_reset,
        *wiring.rows,
        *wiring.columns,
        wiring.buzzer,
    ]
    assert len(set(pins)) == len(pins), pins
    assert all(0 <= pin <= 27 for pin in pins), pins
    assert wiring.spi_bus in SPI_BUSES
    assert wiring.i2c_bus in I2C_BUSES
    assert wiring.screen_chip in SCREEN_CHIPS
    assert settings.edition != ""
    if settings.ledger:
        assert "\0" not in str(settings.ledger)
