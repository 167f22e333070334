"""The targets: what is given bytes that nobody meant, and where its corpus lies.

A target is a module with ``fuzz_one(data)``, which raises when a promise is broken, and
``LONGEST``, the most bytes that are worth trying on it. It may have ``WORDS``, which are more
likely to lead somewhere than bytes are.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).with_name("corpus")

NAMES = ("script", "edition", "config", "console", "panel", "door", "ledger", "card")


class Target(NamedTuple):
    """One of them, loaded."""

    name: str
    fuzz_one: Callable[[bytes], None]
    longest: int
    words: tuple[bytes, ...]


def load(name: str) -> Target:
    """Import a target, and all that it tries; whoever watches imports begins before."""
    module = import_module(f"tests.fuzz.{name}")
    words: tuple[bytes, ...] = getattr(module, "WORDS", ())
    return Target(name, module.fuzz_one, module.LONGEST, words)


def seeds_of(name: str) -> list[Path]:
    """Its corpus: where to begin, and what has found something before."""
    return sorted((CORPUS / name).iterdir())
