"""What a page is told, in the words and bytes that it understands."""

import json
from typing import Any

from firmware.edition import Edition
from hal.pages import PAGES
from hal.pi.debounce import KEYS
from hal.picture import WIDTH
from hal.sounds import MELODIES
from sim import stock
from sim.panel.actions import PACES, Fault

DARK = [bytes(WIDTH)] * PAGES
"""The pages of a glass that shows nothing."""
NO_POWER = {"lit": False, "took": None}
"""The same in words."""


def text(name: str, content: Any) -> str:
    return json.dumps({name: content}, ensure_ascii=False, separators=(",", ":"))


def hello(
    edition: Edition, cards: tuple[int, ...], board: str, faults: tuple[Fault, ...], language: str
) -> str:
    """What stays as it is, for a page that has just come."""
    players = len(stock.players(edition))
    said = {
        "edition": edition.name,
        "board": board,
        "cards": [{"card": number, "stranger": number > players} for number in cards],
        "keys": [[key.value for key in row] for row in KEYS],
        "units": {"M": edition.units.millions, "K": edition.units.thousands},
        "melodies": {sound.value: notes for sound, notes in MELODIES.items()},
        "faults": [fault.value for fault in faults],
        "paces": PACES,
        "language": language,
    }
    return text("hello", said)


def sound(name: str, volume: int) -> str:
    return json.dumps({"sound": name, "volume": volume}, separators=(",", ":"))


def pixels(before: list[bytes], now: list[bytes]) -> bytes:
    """The pages that have changed, and in front of them which."""
    changed = [page for page in range(PAGES) if before[page] != now[page]]
    return bytes([sum(1 << page for page in changed)]) + b"".join(now[page] for page in changed)


def all_pixels(now: list[bytes]) -> bytes:
    return b"\xff" + b"".join(now)


def pages_of(joined: bytes) -> list[bytes]:
    return [joined[at : at + WIDTH] for at in range(0, len(joined), WIDTH)]
