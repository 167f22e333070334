"""The fuzz targets, and where their corpora are.

A target is a module with ``fuzz_one(data)``, which raises if the input breaks something, and
``LONGEST``, the longest useful input in bytes. It may have ``WORDS``, a dictionary for mutations.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).with_name("corpus")

NAMES = (
    *("script", "edition", "config", "console"),
    *("panel", "panel_http", "panel_form", "ledger", "ledger_play", "card"),
)


class Target(NamedTuple):
    """A loaded target."""

    name: str
    fuzz_one: Callable[[bytes], None]
    longest: int
    words: tuple[bytes, ...]


def load(name: str) -> Target:
    """Import a target and the code it tests; atheris must instrument imports before that."""
    module = import_module(f"tests.campaign.fuzz.{name}")
    words: tuple[bytes, ...] = getattr(module, "WORDS", ())
    return Target(name, module.fuzz_one, module.LONGEST, words)


def seeds_of(name: str) -> list[Path]:
    """The files of its corpus: seeds and former findings."""
    return sorted((CORPUS / name).iterdir())
