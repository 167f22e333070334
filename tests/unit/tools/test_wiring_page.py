"""wiring.md, its drawing and the drivers' docstrings match hal/wiring.py."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from hal.wiring import PHYSICAL, Part, Wiring
from tools import wiring_page


def test_the_page_is_up_to_date() -> None:
    page = wiring_page.PAGE.read_text(encoding="utf-8")
    generated = wiring_page.with_sections(page, wiring_page.sections(Wiring()))
    assert generated == page, "run make wiring"


def test_the_drawing_is_up_to_date() -> None:
    drawing = wiring_page.DRAWING.read_text(encoding="utf-8")
    assert drawing == wiring_page.drawing(Wiring()), "run make wiring"
    assert drawing.count("<path") == len(Wiring().wires())


def test_every_wire_is_on_the_page() -> None:
    page = wiring_page.PAGE.read_text(encoding="utf-8")
    for wire in Wiring().wires():
        gpio = "" if wire.gpio is None else wire.gpio
        assert f"| {wire.pad} | {wire.pin} | {gpio} | {wire.signal} |" in page


def test_a_missing_marker_is_an_error() -> None:
    with pytest.raises(SystemExit, match="<!-- buzzer --> must occur once, found 0 times"):
        wiring_page.with_sections("no markers here", {"buzzer": "x"})


def test_no_wire_is_on_5_volts_and_supply_wires_are_on_supply_pins() -> None:
    for wire in Wiring().wires():
        assert wire.pin not in (2, 4)
        if wire.gpio is None:
            grounds = wire.pin in wiring_page.GROUND_AT
            assert wire.signal == ("ground" if grounds else wiring_page.POWER_AT[wire.pin])
        else:
            assert PHYSICAL[wire.gpio] == wire.pin


@pytest.mark.parametrize(
    ("module", "parts"),
    [
        ("readers/mfrc522", (Part.LEFT_READER, Part.RIGHT_READER)),
        ("screens/oled", (Part.SCREEN,)),
        ("keypad", (Part.KEYPAD,)),
        ("buzzer", (Part.BUZZER,)),
    ],
)
def test_the_drivers_name_the_same_pins(module: str, parts: tuple[Part, ...]) -> None:
    """The drivers are read as text, because their packages may not be installed."""
    spec = find_spec("hal")
    assert spec is not None
    assert spec.origin is not None
    text = (Path(spec.origin).parent / "pi" / f"{module}.py").read_text(encoding="utf-8")
    opening = text.split('"""')[1]
    named = {int(number) for number in re.findall(r"\d+", opening[opening.index("Wiring") :])}
    assert {wire.pin for part in parts for wire in Wiring().wires_of(part)} <= named
