"""Derives findings from symptoms: which wires explain what the self-test saw.

A silent reader may have lost any of its seven wires. The light on its board separates
power from signals, and the reset line has its own test; the others cannot be distinguished.
So a finding names all wires that explain it, the likeliest first. This module has no I/O.

Tests: tests/drivers/test_selftest.py.
"""

import errno
from collections.abc import Iterable, Mapping
from itertools import chain

from hal.events import Key, Slot
from hal.findings import Finding, Verdict, bad, good
from hal.pi.debounce import KEYS
from hal.wiring import READERS, SCREEN_CHIPS, Part, Wire, Wiring

POWER = ("3.3V", "GND")
SIGNALS = ("SDA", "SCK", "MOSI", "MISO", "RST")
SILENT = (0x00, 0xFF)
NO_ACKNOWLEDGE = (errno.EREMOTEIO, errno.ENXIO)
PLACES = {key: (row, column) for row, keys in enumerate(KEYS) for column, key in enumerate(keys)}
"""The row and the column of each key, in the order of the pad."""


# Readers


def reader(
    wiring: Wiring,
    slot: Slot,
    versions: Iterable[int],
    names: Mapping[int, str],
    lit: bool | None,
) -> Finding:
    """Judge repeated readings of the version; ``lit`` is None if the light was not looked at."""
    part = READERS[slot]
    seen = sorted(set(versions))
    if len(seen) == 1 and seen[0] not in SILENT:
        name = names.get(seen[0], "an unknown chip")
        return good(f"{part.value}: {name} (version byte {seen[0]:02X})")
    read = ", ".join(f"{value:02X}" for value in seen)
    if len(seen) > 1:
        what = f"{part.value}: answers differently each time (version byte {read})"
        return bad(
            what, "A loose contact, most likely in one of these wires:", *_pads(wiring, part)
        )
    what = f"{part.value}: does not answer (version byte {read})"
    if lit is None:
        advice = "Measure 3.3 V between its pads 3.3V and GND, then check these wires:"
        return bad(what, advice, *_pads(wiring, part, POWER + SIGNALS))
    if lit:
        return bad(what, "It has power. One of these wires is open:", *_pads(wiring, part, SIGNALS))
    return bad(what, "It has no power. Check these wires:", *_pads(wiring, part, POWER))


def both_silent(wiring: Wiring) -> Finding:
    """Both readers are silent: the cause is probably a wire that they share."""
    shared = [wiring.wire(Part.LEFT_READER, pad) for pad in ("SCK", "MOSI", "MISO", *POWER)]
    return Finding(
        Verdict.NOTE, "both readers are silent", "Look first at the pins that they share:",
        tuple(shared),
    )  # fmt: skip


def reset_line(wiring: Wiring, slot: Slot, silenced: Mapping[Slot, bool]) -> Finding:
    """Judge which readers fell silent while this slot's reset line was held low."""
    part = READERS[slot]
    if silenced[slot]:
        return good(f"{part.value}: its reset line works")
    own = wiring.wire(part, "RST")
    if silenced[slot.other]:
        other = wiring.wire(READERS[slot.other], "RST")
        return bad(
            f"{part.value}: its reset line resets the {READERS[slot.other].value}",
            "Swap these two wires:", own, other,
        )  # fmt: skip
    return bad(f"{part.value}: ignores its reset line", "This wire is open:", own)


def card(wiring: Wiring, slot: Slot, seen_in: Slot | None) -> Finding:
    """Judge where a card was seen that is in this slot."""
    part = READERS[slot]
    if seen_in is slot:
        return good(f"{part.value}: reads the card")
    if seen_in is slot.other:
        return bad(
            f"{part.value}: the card was seen by the {READERS[seen_in].value}",
            "Swap the two readers, or both of these pairs of wires:",
            *(wiring.wire(READERS[s], pad) for pad in ("SDA", "RST") for s in Slot),
        )
    return bad(
        f"{part.value}: no card was seen",
        "Hold an ISO 14443-A card (13.56 MHz) flat on the antenna; if that does not help, the "
        "antenna or the 3.3 V supply is weak.",
    )


# Screen


def screen(wiring: Wiring, error: OSError | None, other_address: int | None) -> Finding:
    """Judge whether the screen acknowledged its address, or another one."""
    address = wiring.screen_address
    if error is None:
        return good(f"screen: answers at {address:#04x}")
    if other_address is not None:
        return bad(
            f"screen: does not answer at {address:#04x}, but at {other_address:#04x}",
            f"Write address = {other_address:#04x} under [screen] into the config file.",
        )
    wires = _pads(wiring, Part.SCREEN, ("SDA", "SCL", "VCC", "GND"))
    if error.errno in NO_ACKNOWLEDGE:
        what = f"screen: nothing answers at {address:#04x}"
        return bad(what, "One of these wires is open:", *wires)
    return bad(
        f"screen: the bus is stuck ({error.strerror or error})",
        "One of these two wires touches ground or another wire:",
        *wires[:2],
    )


def pattern(wiring: Wiring, seen: bool) -> Finding:
    if seen:
        return good("screen: shows the pattern")
    others = " or ".join(f'chip = "{chip}"' for chip in SCREEN_CHIPS if chip != wiring.screen_chip)
    return bad(
        "screen: answers, but shows no clean pattern",
        f"It may have another chip: write {others} under [screen] into the config file. If it "
        "stays dark with each, the panel is broken.",
    )


# Keypad


def keys_at_rest(wiring: Wiring, down: Iterable[Key]) -> Finding:
    """Judge which keys are down while none is pressed."""
    closed = sorted(down, key=lambda key: PLACES[key])
    if not closed:
        return good("keypad: no key is down")
    names = " ".join(key.value for key in closed)
    wires = [_wires(wiring, key) for key in closed]
    rows = {row for row, _column in wires}
    if len(rows) == 1 and len(closed) == len(KEYS[0]):
        return bad(f"keypad: {names} are all down", "This wire touches ground:", *rows)
    return bad(
        f"keypad: {names} is down although no key should be pressed",
        "Release the keys; otherwise these wires touch each other:",
        *dict.fromkeys(chain(*wires)),
    )


def keys(wiring: Wiring, seen: Mapping[Key, Key | None]) -> list[Finding]:
    """Judge which key was seen for each one that was pressed; None: no key."""
    missing = {key for key, got in seen.items() if got is None}
    wrong = {key: got for key, got in seen.items() if got not in (None, key)}
    if not missing and not wrong:
        return [good("keypad: all sixteen keys")]
    if len(missing) == len(seen):
        return [
            bad("keypad: no key was seen", "Is it plugged in? These wires lead to it:",
                *wiring.wires_of(Part.KEYPAD))
        ]  # fmt: skip
    return [*_missing(wiring, missing), *_swapped(wiring, wrong)]


def _missing(wiring: Wiring, missing: set[Key]) -> Iterable[Finding]:
    explained: set[Key] = set()
    for wire in wiring.wires_of(Part.KEYPAD):
        group = [key for key in PLACES if wire in _wires(wiring, key)]
        if missing.issuperset(group):
            names = " ".join(key.value for key in group)
            yield bad(f"keypad: {names} were not seen", "This wire is open:", wire)
            explained.update(group)
    for key in PLACES:
        if key in missing - explained:
            yield bad(
                f"keypad: {key.value} was not seen",
                "Its row and its column work, so its own contact does not: press harder, or "
                "replace the pad.",
            )


def _swapped(wiring: Wiring, wrong: Mapping[Key, Key | None]) -> Iterable[Finding]:
    for key, got in wrong.items():
        assert got is not None
        pairs = zip(_wires(wiring, key), _wires(wiring, got), strict=True)
        yield bad(
            f"keypad: {key.value} was pressed, and {got.value} was seen",
            "These wires are swapped:",
            *chain(*(pair for pair in pairs if pair[0] != pair[1])),
        )


def _wires(wiring: Wiring, key: Key) -> tuple[Wire, Wire]:
    """Return the wires of a key's row and column."""
    row, column = PLACES[key]
    return wiring.wire(Part.KEYPAD, f"R{row + 1}"), wiring.wire(Part.KEYPAD, f"C{column + 1}")


# Buzzer


def tone(wiring: Wiring, heard: bool) -> Finding:
    if heard:
        return good("buzzer: was heard")
    return bad(
        "buzzer: was not heard",
        "It must be a passive one. One of these wires is open:",
        *wiring.wires_of(Part.BUZZER),
    )


def _pads(wiring: Wiring, part: Part, pads: Iterable[str] = SIGNALS + POWER) -> tuple[Wire, ...]:
    return tuple(wiring.wire(part, pad) for pad in pads)
