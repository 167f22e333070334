"""The pins of a wiring, and invalid wirings."""

import pytest

from hal.events import Slot
from hal.wiring import I2C_BUSES, PHYSICAL, READERS, SPI_BUSES, Part, Wiring


def test_the_default_wiring_has_no_faults() -> None:
    assert Wiring().faults(()) == []


def test_every_signal_is_on_the_pin_of_its_gpio_and_no_gpio_has_two_uses() -> None:
    wires = [wire for wire in Wiring().wires() if wire.gpio is not None]
    assert all(PHYSICAL[wire.gpio] == wire.pin for wire in wires if wire.gpio is not None)
    pins = [pin for _setting, _use, pin in Wiring().uses()]
    assert len(set(pins)) == len(pins)
    assert {wire.gpio for wire in wires} <= set(pins)


def test_the_pins_of_the_header() -> None:
    assert len(set(PHYSICAL.values())) == len(PHYSICAL) == 28
    buses = [*SPI_BUSES.values(), *I2C_BUSES.values()]
    assert {pin for bus in buses for pin in bus.values()} <= set(PHYSICAL)


@pytest.mark.parametrize("chosen", ["buzzer", "rows"])
def test_a_conflict_names_the_setting_that_was_changed(chosen: str) -> None:
    [(blamed, sentence)] = Wiring(buzzer=5).faults({chosen})
    assert blamed == chosen
    assert "on GPIO 5, where " in sentence


def test_a_pin_that_the_header_does_not_have() -> None:
    assert Wiring(buzzer=99).faults({"buzzer"}) == [
        ("buzzer", "puts the buzzer on GPIO 99, which is not on the header")
    ]


def test_readers_share_a_bus_and_differ_in_two_wires() -> None:
    left, right = (
        {(wire.pad, wire.pin) for wire in Wiring().wires_of(READERS[slot])} for slot in Slot
    )
    assert {pad for pad, _pin in left - right} == {"SDA", "RST"}
    assert Wiring().reader(Slot.LEFT).chip_select != Wiring().reader(Slot.RIGHT).chip_select


def test_a_wire_as_text() -> None:
    assert str(Wiring().wire(Part.BUZZER, "-")) == "- to pin 14 (ground)"
    assert str(Wiring().wire(Part.LEFT_READER, "RST")) == "RST to pin 22 (GPIO 25, reset)"
