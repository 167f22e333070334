"""Reads a TOML file that a person wrote, and names file, line and key when it is wrong.

``tomllib`` knows the line of a syntax error but not of a key, so the line of a
key is looked up in the text. A full line-keeping parser (``tomlkit``) would cost
more start-up time than the rest of the bank together.
"""

import tomllib
from collections.abc import Mapping
from typing import Any, TypeVar

from firmware.mistake import Mistake

T = TypeVar("T")

LONGEST_NUMBER = 63
"""Bits, beside its sign."""

_NAMES = {
    bool: "true or false",
    int: "a whole number",
    str: "a text in quotes",
    list: "a list",
    dict: "a table",
}


class Table:
    """One table of a TOML file; keys are taken out of it until none is left."""

    def __init__(self, file: str, text: str, path: tuple[str, ...], left: dict[str, Any]) -> None:
        self.file = file
        self.text = text
        self.path = path
        self.left = left

    @classmethod
    def parse(cls, file: str, text: str) -> "Table":
        try:
            return cls(file, text, (), tomllib.loads(text))
        except RecursionError:
            raise Mistake(f"{file}: this is not valid TOML: it is nested too deeply") from None
        except ValueError as error:
            raise Mistake(f"{file}: this is not valid TOML: {error}") from None

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        """Take a value of a kind; without a default the key must be there."""
        if key not in self.left:
            if default is not None:
                return default
            raise Mistake(f"{self._place()}: the key {self._dotted(key)} is missing")
        value = self.left.pop(key)
        if not isinstance(value, dict) and _is_endless(value):
            raise self.wrong(key, "has a number in it that is longer than 64 bits")
        if type(value) is not kind:
            raise self.wrong(key, f"must be {_NAMES[kind]}, not {_as_toml(value)}")
        return value

    def take_number(self, key: str, least: int) -> int:
        value = self.take(key, int)
        if value < least:
            raise self.wrong(key, f"must be at least {least}, not {value}")
        return value

    def take_choice(self, key: str, choices: Mapping[str, T]) -> T:
        value = self.take(key, str)
        if value not in choices:
            raise self.wrong(key, f"must be one of {', '.join(choices)}, not {value!r}")
        return choices[value]

    def take_table(self, key: str, optional: bool = False) -> "Table":
        inner: dict[str, Any] = self.take(key, dict, {} if optional else None)
        return Table(self.file, self.text, (*self.path, key), inner)

    def end(self) -> None:
        """Every key has been taken that we know; what is left is a mistake."""
        for key in self.left:
            raise self.wrong(key, "is not a key that Tellerbox knows")

    def wrong(self, key: str, sentence: str) -> Mistake:
        """A mistake at a key; whoever finds it raises it."""
        return Mistake(f"{self._place(key)}: {self._dotted(key)} {sentence}")

    def _dotted(self, key: str) -> str:
        """As the file has it; a key in quotes may hold anything, a line break included."""
        plain = key.isascii() and key.replace("-", "_").isidentifier()
        return ".".join((*self.path, key if plain else repr(key)))

    def _place(self, key: str | None = None) -> str:
        line = _line_of(self.text, self.path, key)
        return f"{self.file}:{line}" if line else self.file


def _is_endless(value: object) -> bool:
    """TOML has no larger numbers, and Python writes no number of some thousand digits."""
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        return any(map(_is_endless, inner))
    return isinstance(value, int) and value.bit_length() > LONGEST_NUMBER


def _as_toml(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _line_of(text: str, path: tuple[str, ...], key: str | None) -> int | None:
    """The line on which a key stands, or its table begins; None if it is not found."""
    wanted = path if key is None else (*path, key)
    table: tuple[str, ...] = ()
    header = None
    # Not splitlines: to TOML, and to whoever looks for the line, only a line feed ends one.
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if line.startswith("["):
            table = tuple(
                part.strip(" \"'") for part in line.strip("[ ").partition("]")[0].split(".")
            )
            if table == wanted:
                return number
            if table == path:
                header = number
            continue
        name = line.partition("=")[0]
        full = (*table, *(part.strip(" \"'") for part in name.split(".")))
        if "=" in line and full in (wanted, path):
            return number
    return header
