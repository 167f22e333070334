"""Measures every collection that can be reached from a box, by name."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

PACKAGES = ("firmware", "hal", "sim", "tests", "gpiozero", "luma", "mfrc522", "RPi")
"""The packages whose objects are searched."""

COLLECTIONS = (list, tuple, set, frozenset, dict, deque, bytearray)


def collections_in(root: object, name: str) -> Counter[str]:
    """The sizes of all collections, added up by name."""
    found: Counter[str] = Counter()
    seen: set[int] = set()
    waiting: deque[tuple[str, object]] = deque([(name, root)])
    while waiting:
        path, thing = waiting.popleft()
        if id(thing) in seen or isinstance(thing, type | ModuleType):
            continue
        seen.add(id(thing))
        if isinstance(thing, COLLECTIONS):
            found[path] += len(thing)
        waiting.extend((path + ending, part) for ending, part in _parts(thing))
    return found


def _parts(thing: object) -> Iterator[tuple[str, object]]:
    """The objects that an object refers to, with their names."""
    match thing:
        case dict():
            yield from (("[]", part) for pair in thing.items() for part in pair)
        case list() | tuple() | set() | frozenset() | deque():
            yield from (("[]", part) for part in thing)
        case MethodType():
            yield "()", thing.__self__
        case FunctionType():
            yield from (("()", cell.cell_contents) for cell in thing.__closure__ or ())
        case partial():
            yield from (("()", part) for part in (thing.func, *thing.args))
        case _:
            if type(thing).__module__.partition(".")[0] in PACKAGES:
                yield from ((f".{name}", part) for name, part in _attributes(thing))


def _attributes(thing: object) -> Iterable[tuple[str, Any]]:
    yield from getattr(thing, "__dict__", {}).items()
    for kind in type(thing).__mro__:
        for name in getattr(kind, "__slots__", ()):
            if hasattr(thing, name):
                yield name, getattr(thing, name)
