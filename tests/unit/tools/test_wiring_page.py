"""wiring.md, its drawing and the drivers' own words say what the firmware uses."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from hal.wiring import PHYSICAL, Part, Wiring
from tools import wiring_page


def test_the_page_is_made_from_the_table() -> None:
    page = wiring_page.PAGE.read_text(encoding="utf-8")
    made = wiring_page.with_sections(page, wiring_page.sections(Wiring()))
    assert made == page, "run make wiring"


def test_the_drawing_is_made_from_the_table() -> None:
    drawn = wiring_page.DRAWING.read_text(encoding="utf-8")
    assert drawn == wiring_page.drawing(Wiring()), "run make wiring"
    assert drawn.count("<path") == len(Wiring().wires())


def test_every_wire_is_on_the_page() -> None:
    page = wiring_page.PAGE.read_text(encoding="utf-8")
    for wire in Wiring().wires():
        gpio = "" if wire.gpio is None else wire.gpio
        assert f"| {wire.pad} | {wire.pin} | {gpio} | {wire.signal} |" in page


def test_a_lost_mark_is_an_error() -> None:
    with pytest.raises(SystemExit, match="<!-- buzzer --> is there 0 times"):
        wiring_page.with_sections("no marks here", {"buzzer": "x"})


def test_no_wire_goes_to_5_volts_and_power_goes_where_there_is_some() -> None:
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
        ("reader", (Part.LEFT_READER, Part.RIGHT_READER)),
        ("screen", (Part.SCREEN,)),
        ("keypad", (Part.KEYPAD,)),
        ("buzzer", (Part.BUZZER,)),
    ],
)
def test_the_drivers_name_the_same_pins(module: str, parts: tuple[Part, ...]) -> None:
    """Read as text, for the drivers' packages may not be there."""
    spec = find_spec("hal")
    assert spec is not None
    assert spec.origin is not None
    text = (Path(spec.origin).parent / "pi" / f"{module}.py").read_text(encoding="utf-8")
    opening = text.split('"""')[1]
    named = {int(number) for number in re.findall(r"\d+", opening[opening.index("Wiring") :])}
    assert {wire.pin for part in parts for wire in Wiring().wires_of(part)} <= named
