"""Encodes the messages to the pages."""

import json
from typing import Any

from firmware.bank.edition import Edition
from firmware.bank.names import LONGEST_NAME
from firmware.bank.purposes import INTO_THE_POT_SENTENCES, Purpose
from hal.display.pages import PAGES
from hal.display.renderer import WIDTH
from hal.display.sounds import MELODIES
from hal.pi.debounce import KEYS
from sim.board import stock
from sim.panel.actions import FAULTS, PACES

DARK = [bytes(WIDTH)] * PAGES
"""The pixels of a dark screen."""
NO_POWER = {"lit": False, "took": None}
"""The text of a dark screen."""
SCRIPT_LINES = 500
"""The newest lines of a recording, for a page that joins. The whole script can be saved."""


def text(name: str, content: Any) -> str:
    return json.dumps({name: content}, ensure_ascii=False, separators=(",", ":"))


def hello(edition: Edition, cards: tuple[int, ...], board: str, language: str) -> str:
    """The first message to a page: everything that rarely changes."""
    players = len(stock.players(edition))
    content = {
        "edition": edition.name,
        "board": board,
        "cards": [{"card": number, "stranger": number > players} for number in cards],
        "keys": [[key.value for key in row] for row in KEYS],
        "units": {"M": edition.units.millions, "K": edition.units.thousands},
        "melodies": {sound.value: notes for sound, notes in MELODIES.items()},
        "faults": [fault.value for fault in FAULTS[board]],
        "paces": PACES,
        "language": language,
        "longest_name": LONGEST_NAME,
        "purposes": {
            **{purpose.value: purpose.sentences for purpose in Purpose},
            "into-the-pot": INTO_THE_POT_SENTENCES,
        },
    }
    return text("hello", content)


def script(lines: list[str]) -> str:
    """The end of a recording; the page gets the changes from then on."""
    start = max(0, len(lines) - SCRIPT_LINES)
    return text("script", {"from": start, "lines": lines[start:]})


def sound(name: str, volume: int) -> str:
    return json.dumps({"sound": name, "volume": volume}, separators=(",", ":"))


def pixels(before: list[bytes], now: list[bytes]) -> bytes:
    """A bit mask of the changed display pages, then their bytes."""
    changed = [page for page in range(PAGES) if before[page] != now[page]]
    return bytes([sum(1 << page for page in changed)]) + b"".join(now[page] for page in changed)


def all_pixels(now: list[bytes]) -> bytes:
    return b"\xff" + b"".join(now)


def pages_of(joined: bytes) -> list[bytes]:
    return [joined[at : at + WIDTH] for at in range(0, len(joined), WIDTH)]
