"""Fuzzes the config file: any bytes are settings, or an error that names the file."""

from firmware import config
from firmware.config import Config
from firmware.user_error import UserError
from hal.wiring import I2C_BUSES, READER_CHIPS, SCREEN_CHIPS, SPI_BUSES
from tests.campaign.fuzz.contract import check_location, folder

LONGEST = 4_000
WORDS = (
    b"edition = ", b"ledger = ", b"language = ", b"pot = ", b"undo = ", b"[pins]\n", b"[buses]\n",
    b"[left_reader]\n", b"[right_reader]\n", b"[screen]\n", b"rows = ", b"columns = ", b"buzzer = ",
    b"spi = ", b"i2c = ", b"chip = ", b"address = ", b"left_reset = ", b"right_reset = ", b'"fr"',
    b'"rulebook"', b"true", b"[5, 6, 7, 8]", b"0x7f", b"1979-05-27", b"{ a = 1 }", b'"""', b"inf",
    b"\\u001b", b"\\u0000", b"~", b".", b"\n",
)  # fmt: skip


def fuzz_one(data: bytes) -> None:
    path = folder() / "config.toml"
    path.write_bytes(data)
    try:
        settings = config.load(path)
    except UserError as error:
        # Like Python's universal newlines.
        text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        check_location(error, str(path), text, line_needed=False)
    else:
        _check_usable(settings)
    assert path.read_bytes() == data


def _check_usable(settings: Config) -> None:
    """Check what is not validated again later: valid pins, each for one part."""
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
    assert {wiring.left_reader_chip, wiring.right_reader_chip} <= set(READER_CHIPS)
    assert wiring.screen_chip in SCREEN_CHIPS
    assert settings.edition != ""
    if settings.ledger:
        assert "\0" not in str(settings.ledger)
