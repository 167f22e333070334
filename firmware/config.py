"""The config file: what a box is told once, in TOML."""

from pathlib import Path
from typing import NamedTuple

from firmware.mistake import Mistake
from firmware.toml_table import Table


class Config(NamedTuple):
    """The settings; None where the file does not say."""

    edition: str | None = None
    ledger: Path | None = None


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
    table.end()
    return Config(edition, Path(ledger) if ledger else None)


def _word(table: Table, key: str) -> str | None:
    value = table.take(key, str, "")
    if "\0" in value:
        raise table.wrong(key, "must not hold a NUL character")
    return value or None
