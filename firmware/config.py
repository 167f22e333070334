"""Reads the config file of a box, in TOML.

Every key is optional. Pins have BCM numbers; their defaults are in ``hal/wiring.py``.
"""

from pathlib import Path
from typing import NamedTuple

from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.toml_table import TomlTable, read_text
from hal.display.messages import Language
from hal.wiring import I2C_BUSES, READER_CHIPS, SCREEN_CHIPS, SPI_BUSES, Wiring


class Config(NamedTuple):
    """The settings; without an edition or a ledger, the box chooses one itself."""

    edition: str | None = None
    ledger: Path | None = None
    language: Language = Language.ENGLISH
    house: HouseRules = BY_THE_BOOK
    wiring: Wiring = Wiring()


def load(path: Path) -> Config:
    """Read a config file. Raises UserError."""
    table = TomlTable.parse(str(path), read_text(path))
    edition, ledger = _word(table, "edition"), _word(table, "ledger")
    languages = [known.value for known in Language]
    language = Language(table.take_choice("language", languages, Language.ENGLISH.value))
    strict_undo = table.take_choice("undo", ("any", "rulebook"), "any") == "rulebook"
    house = HouseRules(table.take("pot", bool, False), strict_undo)
    wiring = _wiring(table)
    table.end()
    return Config(edition, _path(path, table, ledger), language, house, wiring)


def _path(file: Path, table: TomlTable, ledger: str | None) -> Path | None:
    """Relative to the config file, because a service has another working directory."""
    try:
        return file.parent / Path(ledger).expanduser() if ledger else None
    except RuntimeError:
        sentence = f"names a home directory that does not exist: {ledger!r}"
        raise table.wrong("ledger", sentence) from None


def _word(table: TomlTable, key: str) -> str | None:
    value = table.take(key, str, "")
    if "\0" in value:
        raise table.wrong(key, "must not contain a NUL character")
    return value or None


def _wiring(table: TomlTable) -> Wiring:
    default = Wiring()
    pins, buses, left_reader, right_reader, screen = inner = [
        table.take_table(key, optional=True)
        for key in ("pins", "buses", "left_reader", "right_reader", "screen")
    ]
    chosen = {*pins.left, *buses.left}
    wiring = Wiring(
        left_reset=pins.take("left_reset", int, default.left_reset),
        right_reset=pins.take("right_reset", int, default.right_reset),
        rows=_four_pins(pins, "rows", default.rows),
        columns=_four_pins(pins, "columns", default.columns),
        buzzer=pins.take("buzzer", int, default.buzzer),
        spi_bus=buses.take_choice("spi", SPI_BUSES, default.spi_bus),
        i2c_bus=buses.take_choice("i2c", I2C_BUSES, default.i2c_bus),
        left_reader_chip=left_reader.take_choice("chip", READER_CHIPS, default.left_reader_chip),
        right_reader_chip=right_reader.take_choice("chip", READER_CHIPS, default.right_reader_chip),
        screen_chip=screen.take_choice("chip", SCREEN_CHIPS, default.screen_chip),
        screen_address=screen.take("address", int, default.screen_address),
    )
    for part in inner:
        part.end()
    if not 0x08 <= wiring.screen_address <= 0x77:
        raise screen.wrong("address", f"must be from 0x08 to 0x77, not {wiring.screen_address:#x}")
    for key, sentence in wiring.faults(chosen):
        raise (buses if key in ("spi", "i2c") else pins).wrong(key, sentence)
    return wiring


def _four_pins(pins: TomlTable, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
    given: list[object] = pins.take(key, list, list(default))
    numbers = tuple(pin for pin in given if type(pin) is int)
    if len(given) != 4 or len(numbers) != 4:
        raise pins.wrong(key, f"must be a list of four pins, not {given!r}")
    return numbers
