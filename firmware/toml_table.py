"""Reads a TOML file, and reports errors with file, line and key.

``tomllib`` knows the line of a syntax error but not of a key, so the line of a key is looked up
in the text. A parser that keeps lines (``tomlkit``) would more than double the start-up time.
"""

import tomllib
from collections.abc import Collection
from os import PathLike
from typing import Any, TypeVar

from firmware.user_error import UserError

T = TypeVar("T")

LONGEST_NUMBER = 63
"""Bits, without the sign."""

_NAMES = {
    bool: "true or false",
    int: "a whole number",
    str: "a text in quotes",
    list: "a list",
    dict: "a table",
}


def read_text(path: str | PathLike[str]) -> str:
    """The text of a file. Raises UserError."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError:
        raise UserError(f"{path}: this is not a UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path}: cannot be read: {reason}") from None


class TomlTable:
    """One table of a TOML file. Keys are removed as they are read; the rest is unknown."""

    def __init__(self, file: str, text: str, path: tuple[str, ...], left: dict[str, Any]) -> None:
        self.file = file
        self.text = text
        self.path = path
        self.left = left

    @classmethod
    def parse(cls, file: str, text: str) -> "TomlTable":
        try:
            return cls(file, text, (), tomllib.loads(text))
        except RecursionError:
            raise UserError(f"{file}: this is not valid TOML: it is nested too deeply") from None
        except ValueError as error:
            raise UserError(f"{file}: this is not valid TOML: {error}") from None

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        """Remove and return a value of this type; without a default the key is required."""
        if key not in self.left:
            if default is not None:
                return default
            raise UserError(f"{self._place()}: the key {self._dotted(key)} is missing")
        value = self.left.pop(key)
        if not isinstance(value, dict) and _is_too_long(value):
            raise self.wrong(key, "contains a number longer than 64 bits")
        if type(value) is not kind:
            raise self.wrong(key, f"must be {_NAMES[kind]}, not {_as_toml(value)}")
        return value

    def take_number(self, key: str, least: int, most: int | None = None) -> int:
        value = self.take(key, int)
        if value < least:
            raise self.wrong(key, f"must be at least {least}, not {value}")
        if most is not None and value > most:
            raise self.wrong(key, f"must be at most {most}, not {value}")
        return value

    def take_choice(self, key: str, choices: Collection[T], default: T | None = None) -> T:
        """Remove and return one of several values of the same type."""
        value = self.take(key, type(next(iter(choices))), default)
        if value not in choices:
            raise self.wrong(key, f"must be one of {', '.join(map(str, choices))}, not {value!r}")
        return value

    def take_table(self, key: str, optional: bool = False) -> "TomlTable":
        inner: dict[str, Any] = self.take(key, dict, {} if optional else None)
        return TomlTable(self.file, self.text, (*self.path, key), inner)

    def end(self, retired: Collection[str] = ()) -> None:
        """Refuse the keys that were not read, apart from retired ones, such as "table.key"."""
        for key in self.left:
            if self._dotted(key) not in retired:
                raise self.wrong(key, "is not a key that Tellerbox knows")

    def wrong(self, key: str, sentence: str) -> UserError:
        """An error at a key, for the caller to raise."""
        return UserError(f"{self._place(key)}: {self._dotted(key)} {sentence}")

    def _dotted(self, key: str) -> str:
        """The key with its tables; a quoted key may contain anything, even line breaks."""
        plain = key.isascii() and key.replace("-", "_").isidentifier()
        return ".".join((*self.path, key if plain else repr(key)))

    def _place(self, key: str | None = None) -> str:
        line = _line_of(self.text, self.path, key)
        return f"{self.file}:{line}" if line else self.file


def _is_too_long(value: object) -> bool:
    """TOML numbers have 64 bits; Python fails to print numbers of thousands of digits."""
    if isinstance(value, list | dict):
        return any(map(_is_too_long, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and value.bit_length() > LONGEST_NUMBER


def _as_toml(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip(" \"'") for part in dotted.split("."))


def _line_of(text: str, path: tuple[str, ...], key: str | None) -> int | None:
    """The line of a key, or of its table's header; None if neither is found."""
    wanted = path if key is None else (*path, key)
    table: tuple[str, ...] = ()
    header = None
    # Not splitlines: in TOML, as in an editor, only a line feed ends a line.
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if line.startswith("["):
            table = _split(line.strip("[ ").partition("]")[0])
            if table == wanted:
                return number
            if table == path:
                header = number
            continue
        name, equals, _ = line.partition("=")
        if equals and (*table, *_split(name)) in (wanted, path):
            return number
    return header
