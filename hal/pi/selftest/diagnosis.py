"""From symptoms to wires: what the self-test saw, and which wire explains it.

A bus tells little. A reader that is silent may have lost any of its seven wires; only the
light on its board splits them into power and signals, and only its reset line can be
told from the rest. So what cannot be told apart is named together, the likeliest first.
This file decides; it touches no hardware.
"""

import errno
from collections.abc import Iterable, Mapping

from hal.events import Key, Slot
from hal.findings import Finding, Verdict, bad, good
from hal.pi.debounce import KEYS
from hal.wiring import READERS, Part, Wire, Wiring

POWER = ("3.3V", "GND")
SIGNALS = ("SDA", "SCK", "MOSI", "MISO", "RST")
SILENT = (0x00, 0xFF)
VERSIONS = {
    0x90: "MFRC522 version 0",
    0x91: "MFRC522 version 1",
    0x92: "MFRC522 version 2",
    0x88: "FM17522, a clone of the MFRC522",
    0x89: "FM17522E, a clone of the MFRC522",
    0xB2: "FM17522, a clone of the MFRC522",
    0x12: "a counterfeit MFRC522",
}
NOBODY_ANSWERS = (errno.EREMOTEIO, errno.ENXIO)
PLACES = {key: (row, column) for row, keys in enumerate(KEYS) for column, key in enumerate(keys)}


# Readers


def reader(wiring: Wiring, slot: Slot, versions: Iterable[int], lit: bool | None) -> Finding:
    """What VersionReg read, again and again; and whether the light is lit, if anybody looked."""
    part = READERS[slot]
    seen = sorted(set(versions))
    if len(seen) == 1 and seen[0] not in SILENT:
        name = VERSIONS.get(seen[0], "a chip that we do not know")
        return good(f"{part.value}: {name} (VersionReg {seen[0]:02X})")
    read = ", ".join(f"{value:02X}" for value in seen)
    if len(seen) > 1:
        what = f"{part.value}: answers differently each time (VersionReg {read})"
        return bad(
            what, "A loose contact, most likely in one of these wires:", *_pads(wiring, part)
        )
    what = f"{part.value}: does not answer (VersionReg {read})"
    if lit is None:
        advice = "Measure 3.3 V between its pads 3.3V and GND, then check these wires:"
        return bad(what, advice, *_pads(wiring, part, POWER + SIGNALS))
    if lit:
        return bad(what, "It has power. One of these wires is open:", *_pads(wiring, part, SIGNALS))
    return bad(what, "It has no power. Check these wires:", *_pads(wiring, part, POWER))


def both_silent(wiring: Wiring) -> Finding:
    """Two readers do not fail at once: what they share does."""
    shared = [wiring.wire(Part.LEFT_READER, pad) for pad in ("SCK", "MOSI", "MISO", *POWER)]
    return Finding(
        Verdict.NOTE, "both readers are silent", "Look first at the pins that they share:",
        tuple(shared),
    )  # fmt: skip


def reset_line(wiring: Wiring, slot: Slot, silenced: Mapping[Slot, bool]) -> Finding:
    """Which readers fell silent while this slot's reset line was held low."""
    part = READERS[slot]
    if silenced[slot]:
        return good(f"{part.value}: obeys its reset line")
    own = wiring.wire(part, "RST")
    if silenced[slot.other]:
        other = wiring.wire(READERS[slot.other], "RST")
        return bad(
            f"{part.value}: its reset line resets the {READERS[slot.other].value}",
            "Swap these two wires:", own, other,
        )  # fmt: skip
    return bad(f"{part.value}: ignores its reset line", "This wire is open:", own)


def card(wiring: Wiring, slot: Slot, seen_in: Slot | None) -> Finding:
    """A person put a card into one slot; where it was seen."""
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
    """Whether the screen acknowledged its address."""
    address = wiring.screen_address
    if error is None:
        return good(f"screen: answers at {address:#04x}")
    if other_address is not None:
        return bad(
            f"screen: does not answer at {address:#04x}, but at {other_address:#04x}",
            f"Write address = {other_address:#04x} under [screen] into the config file.",
        )
    wires = _pads(wiring, Part.SCREEN, ("SDA", "SCL", "VCC", "GND"))
    if error.errno in NOBODY_ANSWERS:
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
    chip = next(name for name in ("sh1106", "ssd1306") if name != wiring.screen_chip)
    return bad(
        "screen: answers, but shows no clean pattern",
        f'If it is shifted or speckled, write chip = "{chip}" under [screen] into the config file; '
        "if it is dark, the panel is broken.",
    )


# Keypad


def keys_at_rest(wiring: Wiring, down: Iterable[Key]) -> Finding:
    """Keys that are closed although nobody presses one."""
    closed = sorted(down, key=lambda key: PLACES[key])
    if not closed:
        return good("keypad: no key is down")
    names = " ".join(key.value for key in closed)
    lines = {_row(wiring, key) for key in closed}
    if len(lines) == 1 and len(closed) == len(KEYS[0]):
        return bad(f"keypad: {names} are all down", "This wire touches ground:", *lines)
    joined = [wire for key in closed for wire in (_row(wiring, key), _column(wiring, key))]
    return bad(
        f"keypad: {names} is down though nobody should be pressing it",
        "Let go of the keys; else these wires touch each other:",
        *dict.fromkeys(joined),
    )


def keys(wiring: Wiring, seen: Mapping[Key, Key | None]) -> list[Finding]:
    """Which key was seen when each was pressed; None: nothing."""
    missing = {key for key, got in seen.items() if got is None}
    wrong = {key: got for key, got in seen.items() if got not in (None, key)}
    if not missing and not wrong:
        return [good("keypad: all sixteen keys")]
    if len(missing) == len(seen):
        return [
            bad("keypad: no key was seen", "Is it plugged in? These wires lead to it:",
                *wiring.wires_of(Part.KEYPAD))
        ]  # fmt: skip
    return [*_missing(wiring, missing), *_mixed_up(wiring, wrong)]


def _missing(wiring: Wiring, missing: set[Key]) -> Iterable[Finding]:
    explained: set[Key] = set()
    for group, wire in _lines(wiring):
        if group <= missing:
            names = " ".join(key.value for key in KEYS_IN_ORDER if key in group)
            yield bad(f"keypad: {names} were not seen", "This wire is open:", wire)
            explained |= group
    for key in KEYS_IN_ORDER:
        if key in missing - explained:
            yield bad(
                f"keypad: {key.value} was not seen",
                "Its row and its column work, so its own contact does not: press harder, or "
                "replace the pad.",
            )


def _mixed_up(wiring: Wiring, wrong: Mapping[Key, Key | None]) -> Iterable[Finding]:
    for key, got in wrong.items():
        assert got is not None
        yield bad(
            f"keypad: {key.value} was pressed, and {got.value} was seen",
            "These wires are swapped:",
            *_differing(_row(wiring, key), _row(wiring, got)),
            *_differing(_column(wiring, key), _column(wiring, got)),
        )


def _differing(one: Wire, other: Wire) -> tuple[Wire, ...]:
    return () if one == other else (one, other)


KEYS_IN_ORDER = [key for row in KEYS for key in row]


def _lines(wiring: Wiring) -> list[tuple[set[Key], Wire]]:
    rows = [(set(keys), wiring.wire(Part.KEYPAD, f"R{n}")) for n, keys in enumerate(KEYS, 1)]
    columns = [
        (set(keys), wiring.wire(Part.KEYPAD, f"C{n}"))
        for n, keys in enumerate(zip(*KEYS, strict=True), 1)
    ]
    return rows + columns


def _row(wiring: Wiring, key: Key) -> Wire:
    return wiring.wire(Part.KEYPAD, f"R{PLACES[key][0] + 1}")


def _column(wiring: Wiring, key: Key) -> Wire:
    return wiring.wire(Part.KEYPAD, f"C{PLACES[key][1] + 1}")


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
