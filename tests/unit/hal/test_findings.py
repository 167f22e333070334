"""A finding as lines for a terminal."""

from hal.findings import bad, good
from hal.wiring import Part, Wiring


def test_a_good_finding_is_one_line() -> None:
    assert good("the screen answers").lines() == ["ok    the screen answers"]


def test_a_bad_finding_has_its_advice_and_its_wires() -> None:
    ground = Wiring().wire(Part.BUZZER, "-")
    assert bad("no tone", "Check the wires.", ground).lines() == [
        "FAIL  no tone",
        "      Check the wires.",
        "      - - to pin 14 (ground)",
    ]
