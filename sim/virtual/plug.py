"""The hardware that the stand-ins use."""

from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.virtual.hardware import Hardware


plugged: list["Hardware"] = []
"""The current hardware, if any. The stand-in modules outlive it."""


def board() -> "Hardware":
    if not plugged:
        raise OSError(19, "no virtual board is plugged in")
    return plugged[0]


def module(name: str, **contents: Any) -> ModuleType:
    """Create a module, marked with ``STAND_IN``."""
    created = ModuleType(name)
    created.__dict__.update(contents, STAND_IN=True)
    return created
