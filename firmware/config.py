"""The config file: what a box is told once, in TOML.

Every key may be left out. Pins are counted as the Broadcom chip counts them; the
defaults are those of ``hal/wiring.py``.
"""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from firmware.house import BY_THE_BOOK, House
from firmware.mistake import Mistake
from firmware.toml_table import Table
from hal.language import Language
from hal.wiring import I2C_BUSES, SCREEN_CHIPS, SPI_BUSES, Wiring


class Config(NamedTuple):
    """The settings; None where the file does not say."""

    edition: str | None = None
    ledger: Path | None = None
    language: Language | None = None
    house: House = BY_THE_BOOK
    wiring: Wiring = Wiring()


def load(path: Path) -> Config:
    """Read a config file, or say in one sentence what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Mistake(f"{path}: this is not a UTF-8 text") from None
    except OSError as error:
        raise Mistake(f"{path}: cannot be read: {error.strerror}") from None
    table = Table.parse(str(path), text)
    edition, ledger = _word(table, "edition"), _word(table, "ledger")
    language = _language(table)
    house = House(pot=table.take("pot", bool, False), strict_undo=_strict_undo(table))
    wiring = _wiring(table)
    table.end()
    kept = _path(path, table, ledger) if ledger else None
    return Config(edition, kept, language, house, wiring)


def _path(file: Path, table: Table, ledger: str) -> Path:
    """From where the file is: a service starts in another directory than a person."""
    try:
        return file.parent / Path(ledger).expanduser()
    except RuntimeError:
        raise table.wrong("ledger", f"is in the home of nobody: {ledger!r}") from None


def _word(table: Table, key: str) -> str | None:
    value = table.take(key, str, "")
    if "\0" in value:
        raise table.wrong(key, "must not hold a NUL character")
    return value or None


def _language(table: Table) -> Language | None:
    known = {language.value: language for language in Language}
    return table.take_choice("language", known) if "language" in table.left else None


def _strict_undo(table: Table) -> bool:
    """How far back moves can be taken back: any of the game, or what the rulebook says."""
    known = {"any": False, "rulebook": True}
    return table.take_choice("undo", known) if "undo" in table.left else False


def _wiring(table: Table) -> Wiring:
    default = Wiring()
    pins = table.take_table("pins", optional=True)
    buses = table.take_table("buses", optional=True)
    screen = table.take_table("screen", optional=True)
    chosen = {*pins.left, *buses.left}
    wiring = Wiring(
        left_reset=pins.take("left_reset", int, default.left_reset),
        right_reset=pins.take("right_reset", int, default.right_reset),
        rows=_four_pins(pins, "rows", default.rows),
        columns=_four_pins(pins, "columns", default.columns),
        buzzer=pins.take("buzzer", int, default.buzzer),
        spi_bus=_bus(buses, "spi", default.spi_bus, SPI_BUSES),
        i2c_bus=_bus(buses, "i2c", default.i2c_bus, I2C_BUSES),
        screen_chip=screen.take("chip", str, default.screen_chip),
        screen_address=screen.take("address", int, default.screen_address),
    )
    pins.end()
    buses.end()
    screen.end()
    if wiring.screen_chip not in SCREEN_CHIPS:
        known = ", ".join(SCREEN_CHIPS)
        raise screen.wrong("chip", f"must be one of {known}, not {wiring.screen_chip!r}")
    if not 0x08 <= wiring.screen_address <= 0x77:
        raise screen.wrong("address", f"must be from 0x08 to 0x77, not {wiring.screen_address:#x}")
    for key, sentence in wiring.faults(chosen):
        raise (buses if key in ("spi", "i2c") else pins).wrong(key, sentence)
    return wiring


def _bus(buses: Table, key: str, default: int, known: Collection[int]) -> int:
    number = buses.take(key, int, default)
    if number not in known:
        raise buses.wrong(key, f"must be one of {', '.join(map(str, known))}, not {number}")
    return number


def _four_pins(pins: Table, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
    given: list[object] = pins.take(key, list, list(default))
    numbers = tuple(pin for pin in given if type(pin) is int)
    if len(given) != 4 or len(numbers) != 4:
        raise pins.wrong(key, f"must be a list of four pins, not {given!r}")
    return numbers
