"""The self-test names the wire that is broken: every wire of wiring.md, one at a time."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hal.events import Key, Slot
from hal.findings import Access, Finding, Verdict
from hal.wiring import Part, Wire, Wiring
from sim.virtual import NANO, Hardware, drivers
from sim.virtual_site import VirtualPerson, VirtualSite
from tests.drivers.harness import LIBRARY, intercept

WIRES = Wiring().wires()
POWER = {"3.3V", "GND"}
SIGNALS = {"SDA", "SCK", "MOSI", "MISO", "RST"}
READERS = (Part.LEFT_READER, Part.RIGHT_READER)


class PoorSite(VirtualSite):
    """A machine that lacks something."""

    def __init__(self, hardware: Hardware, lacks: dict[str, Access]) -> None:
        super().__init__(hardware)
        self._lacks = lacks

    def access(self, device: str) -> Access:
        return self._lacks.get(device, Access.READY)


class WithoutCards(VirtualPerson):
    """Somebody whose cards are not for this kind of reader."""

    def put_card(self, slot: Slot) -> None:
        """The reader sees nothing of it."""

    def take_card(self, slot: Slot) -> None:
        """Nor of this."""


class SlowPerson(VirtualPerson):
    """Somebody who takes so many seconds over the first key, and over a card."""

    key_delay = card_delay = 0

    def press(self, key: Key) -> None:
        later = self.key_delay if key is Key.ONE else 0
        self._later(later, lambda: super(SlowPerson, self).press(key))

    def put_card(self, slot: Slot) -> None:
        self._later(self.card_delay, lambda: super(SlowPerson, self).put_card(slot))

    def take_card(self, slot: Slot) -> None:
        self._later(self.card_delay, lambda: super(SlowPerson, self).take_card(slot))

    def _later(self, seconds: int, act: Callable[[], None]) -> None:
        world = self._hardware.world
        world.plan(world.now + seconds * NANO, act)


def findings(
    break_it: Callable[[Hardware], None] = lambda _: None,
    *,
    hands: type[VirtualPerson] | None = VirtualPerson,
    soldered: Wiring | None = None,
    believed: Wiring | None = None,
    lacks: dict[str, Access] | None = None,
) -> list[Finding]:
    """What the self-test says of a box with a fault, given the wiring that it believes in."""
    hardware = Hardware(soldered)
    drivers(hardware, LIBRARY)
    from hal.pi.site import findings as test

    break_it(hardware)
    person = hands(hardware) if hands else None
    return list(test(believed or Wiring(), PoorSite(hardware, lacks or {}), person))


def failures(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.verdict is Verdict.BAD]


def blamed(found: list[Finding]) -> set[Wire]:
    return {wire for finding in failures(found) for wire in finding.wires}


def suspects(cut: Wire) -> set[str]:
    """The pads of the same part that the symptoms cannot tell from the one that is cut."""
    if cut.part is Part.SCREEN:
        return {"SDA", "SCL", "VCC", "GND"}
    if cut.part is Part.BUZZER:
        return {"+", "-"}
    if cut.part is Part.KEYPAD or cut.pad == "RST":
        return {cut.pad}
    return POWER if cut.pad in POWER else SIGNALS


def test_a_box_without_faults() -> None:
    found = findings()
    assert failures(found) == []
    assert len(found) == 17


@pytest.mark.parametrize(("seconds", "seen"), [(7, True), (8, False)])
def test_a_key_has_eight_seconds(monkeypatch: pytest.MonkeyPatch, seconds: int, seen: bool) -> None:
    monkeypatch.setattr(SlowPerson, "key_delay", seconds)
    found = failures(findings(hands=SlowPerson))
    assert ("keypad: 1 was not seen" not in [f.what for f in found]) is seen


@pytest.mark.parametrize(("seconds", "seen"), [(19, True), (20, False)])
def test_a_card_has_twenty_seconds(
    monkeypatch: pytest.MonkeyPatch, seconds: int, seen: bool
) -> None:
    monkeypatch.setattr(SlowPerson, "card_delay", seconds)
    found = failures(findings(hands=SlowPerson))
    assert ("left reader: no card was seen" not in [f.what for f in found]) is seen


def test_a_card_that_lies_in_its_slot_already_will_do() -> None:
    class Forgetful(VirtualPerson):
        """Has left a card in the left slot."""

        def press(self, key: Key) -> None:
            if key is Key.ONE:
                super().put_card(Slot.LEFT)
            super().press(key)

        def put_card(self, slot: Slot) -> None:
            assert slot is Slot.RIGHT, "nobody should be asked for it"
            super().put_card(slot)

    assert failures(findings(hands=Forgetful)) == []


def test_every_part_has_wires_to_break() -> None:
    assert len(WIRES) == 28
    assert {wire.part for wire in WIRES} == set(Part)


@pytest.mark.parametrize("cut", WIRES, ids=lambda wire: f"{wire.part.value} {wire.pad}")
def test_the_broken_wire_is_named(cut: Wire) -> None:
    found = findings(lambda hardware: hardware.cut(cut.part, cut.pad))
    assert len(failures(found)) == 1
    expected = {wire for wire in WIRES if wire.part is cut.part and wire.pad in suspects(cut)}
    assert cut in blamed(found)
    assert blamed(found) == expected
    told = "\n".join(line for finding in failures(found) for line in finding.lines())
    assert cut.part.value in told
    assert f"{cut.pad} to pin {cut.pin} (" in told


@pytest.mark.parametrize("part", READERS, ids=lambda part: part.value)
def test_a_reset_pad_that_floats_low_keeps_the_reader_silent(part: Part) -> None:
    found = findings(lambda hardware: hardware.cut(part, "RST", floats=0))
    assert {wire.pad for wire in blamed(found)} == SIGNALS
    assert {wire.part for wire in blamed(found)} == {part}


@pytest.mark.parametrize(
    "cut", [w for w in WIRES if w.part in READERS and w.pad != "RST"], ids=lambda w: str(w)
)
def test_without_a_person_a_silent_reader_has_seven_suspects(cut: Wire) -> None:
    found = findings(lambda hardware: hardware.cut(cut.part, cut.pad), hands=None)
    assert blamed(found) == {wire for wire in WIRES if wire.part is cut.part}


def test_two_silent_readers_point_to_what_they_share() -> None:
    def cut_both(hardware: Hardware) -> None:
        for part in READERS:
            hardware.cut(part, "SCK")

    notes = [note for note in findings(cut_both) if note.verdict is Verdict.NOTE]
    assert [note.what for note in notes] == ["both readers are silent"]
    assert {wire.pin for wire in notes[0].wires} == {17, 19, 21, 23, 25}


def test_a_loose_contact_is_told_from_an_open_one() -> None:
    from hal.pi import diagnosis

    found = diagnosis.reader(Wiring(), Slot.LEFT, [0x92, 0x92, 0x00, 0x12], None)
    assert found.verdict is Verdict.BAD
    assert "answers differently each time (VersionReg 00, 12, 92)" in found.what
    twice = diagnosis.reader(Wiring(), Slot.LEFT, [0x92, 0x00], None)
    assert "answers differently each time (VersionReg 00, 92)" in twice.what


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (0x90, "MFRC522 version 0"),
        (0x91, "MFRC522 version 1"),
        (0x92, "MFRC522 version 2"),
        (0x88, "FM17522, a clone of the MFRC522"),
        (0x89, "FM17522E, a clone of the MFRC522"),
        (0xB2, "FM17522, a clone of the MFRC522"),
        (0x12, "a counterfeit MFRC522"),
        (0x01, "a chip that we do not know"),
        (0xFE, "a chip that we do not know"),
    ],
)
def test_what_the_version_register_says(version: int, name: str) -> None:
    from hal.pi import diagnosis

    found = diagnosis.reader(Wiring(), Slot.RIGHT, [version] * 3, None)
    assert found.verdict is Verdict.GOOD
    assert found.what == f"right reader: {name} (VersionReg {version:02X})"


@pytest.mark.parametrize("version", [0x00, 0xFF])
@pytest.mark.parametrize("lit", [None, False, True])
def test_a_silent_reader(version: int, lit: bool | None) -> None:
    from hal.pi import diagnosis

    found = diagnosis.reader(Wiring(), Slot.RIGHT, [version], lit)
    assert found.what == f"right reader: does not answer (VersionReg {version:02X})"
    pads = [wire.pad for wire in found.wires]
    likely = ["SDA", "SCK", "MOSI", "MISO", "RST"]
    assert pads == {None: ["3.3V", "GND", *likely], False: ["3.3V", "GND"], True: likely}[lit]


def test_swapped_reset_lines() -> None:
    found = failures(findings(soldered=Wiring(left_reset=24, right_reset=25)))
    assert len(found) == 2
    assert {(wire.pad, wire.pin) for wire in found[0].wires} == {("RST", 22), ("RST", 18)}
    assert found[0].advice == "Swap these two wires:"


def test_swapped_readers() -> None:
    def swap(hardware: Hardware) -> None:
        hardware.antennas = dict(zip(Slot, reversed(hardware.antennas.values()), strict=True))

    found = failures(findings(swap))
    assert [f.what for f in found] == [
        "left reader: the card was seen by the right reader",
        "right reader: the card was seen by the left reader",
    ]
    assert {wire.pin for wire in found[0].wires} == {24, 26, 22, 18}


def test_a_reader_that_sees_no_card() -> None:
    assert [f.what for f in failures(findings(hands=WithoutCards))] == [
        "left reader: no card was seen",
        "right reader: no card was seen",
    ]


@pytest.mark.parametrize(("believed", "address"), [(0x3C, 0x3D), (0x3D, 0x3C)])
def test_a_screen_at_another_address(believed: int, address: int) -> None:
    soldered = Wiring(screen_address=address)
    (found,) = failures(findings(soldered=soldered, believed=Wiring(screen_address=believed)))
    assert found.what == f"screen: does not answer at {believed:#x}, but at {address:#x}"
    assert f"address = {address:#x}" in found.advice


def test_a_bus_that_is_stuck() -> None:
    from hal.pi import diagnosis

    found = diagnosis.screen(Wiring(), OSError(errno.ETIMEDOUT, "Connection timed out"), None)
    assert [wire.pad for wire in found.wires] == ["SDA", "SCL"]
    assert "the bus is stuck" in found.what


def test_a_screen_with_the_other_controller_shows_no_clean_pattern() -> None:
    from hal.pi import diagnosis

    assert 'chip = "sh1106"' in diagnosis.pattern(Wiring(), seen=False).advice
    other = Wiring(screen_chip="sh1106")
    assert 'chip = "ssd1306"' in diagnosis.pattern(other, seen=False).advice


def test_swapped_rows_and_columns() -> None:
    rows = failures(findings(soldered=Wiring(rows=(6, 5, 13, 19))))
    assert len(rows) == 8
    assert rows[0].what == "keypad: 1 was pressed, and 4 was seen"
    assert {(wire.pad, wire.pin) for wire in rows[0].wires} == {("R1", 29), ("R2", 31)}
    columns = failures(findings(soldered=Wiring(columns=(12, 16, 21, 20))))
    assert columns[0].what == "keypad: 3 was pressed, and M was seen"
    assert {wire.pad for wire in columns[0].wires} == {"C3", "C4"}


def test_a_row_and_a_column_at_once() -> None:
    def cut_two(hardware: Hardware) -> None:
        hardware.cut(Part.KEYPAD, "R1")
        hardware.cut(Part.KEYPAD, "C4")

    assert [f.what for f in failures(findings(cut_two))] == [
        "keypad: 1 2 3 M were not seen",
        "keypad: M K C F were not seen",
    ]


def test_an_unplugged_keypad() -> None:
    def unplug(hardware: Hardware) -> None:
        for wire in Wiring().wires_of(Part.KEYPAD):
            hardware.cut(wire.part, wire.pad)

    (found,) = failures(findings(unplug))
    assert found.what == "keypad: no key was seen"
    assert len(found.wires) == 8


def test_one_dead_key() -> None:
    from hal.pi import diagnosis

    seen = {key: None if key is Key.FIVE else key for key in Key}
    (found,) = diagnosis.keys(Wiring(), seen)
    assert found.what == "keypad: 5 was not seen"
    assert found.wires == ()


def test_a_key_that_is_down_at_rest() -> None:
    (found,) = failures(findings(lambda hardware: hardware.matrix.stick("8"), hands=None))
    assert found.what == "keypad: 8 is down though nobody should be pressing it"
    assert {wire.pad for wire in found.wires} == {"R3", "C2"}


def test_a_row_that_touches_ground() -> None:
    from hal.pi import diagnosis

    down = {Key.FOUR, Key.FIVE, Key.SIX, Key.THOUSANDS}
    found = diagnosis.keys_at_rest(Wiring(), down)
    assert [wire.pad for wire in found.wires] == ["R2"]


@pytest.mark.parametrize(
    ("device", "access", "advice"),
    [
        ("/dev/spidev0.0", Access.MISSING, "raspi-config nonint do_spi 0"),
        ("/dev/spidev0.1", Access.FORBIDDEN, "usermod -aG spi"),
        ("/dev/i2c-1", Access.MISSING, "raspi-config nonint do_i2c 0"),
        ("/dev/i2c-1", Access.FORBIDDEN, "usermod -aG i2c"),
        ("/dev/gpiochip0", Access.MISSING, "Raspberry Pi"),
        ("/dev/gpiochip0", Access.FORBIDDEN, "usermod -aG gpio"),
    ],
)
def test_a_device_file_that_cannot_be_used(device: str, access: Access, advice: str) -> None:
    (found,) = failures(findings(lacks={device: access}))
    assert found.what == f"{device} {access.value}"
    assert advice in found.advice


def test_other_buses_have_other_files_and_other_remedies() -> None:
    other = Wiring(spi_bus=1, i2c_bus=0, rows=(5, 6, 13, 26), columns=(2, 22, 23, 27), buzzer=14)
    missing = dict.fromkeys(("/dev/spidev1.1", "/dev/i2c-0"), Access.MISSING)
    spi, i2c = failures(findings(soldered=other, believed=other, lacks=missing))
    assert "dtoverlay=spi1-2cs" in spi.advice
    assert "dtoverlay=i2c0" in i2c.advice
    assert failures(findings(soldered=other, believed=other)) == []


def test_the_site_is_read_from_the_system(tmp_path: Path) -> None:
    drivers(Hardware(), LIBRARY)
    from hal.pi.site import I2C_SPEED, MODEL, PiSite

    site = PiSite(tmp_path)
    assert site.i2c_speed(1) is None
    assert site.model is None
    assert site.access("/dev/spidev0.0") is Access.MISSING
    for name, content in (
        (MODEL, b"Raspberry Pi 5 Model B Rev 1.0\0"),
        (I2C_SPEED.format(1), b"\0\x01\x86\xa0"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert site.model == "Raspberry Pi 5 Model B Rev 1.0"
    assert site.i2c_speed(1) == 100_000
    assert site.i2c_speed(0) is None
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "i2c-1").touch(mode=0o600)
    assert site.access("/dev/i2c-1") is Access.READY


def test_a_file_of_somebody_else_may_not_be_used() -> None:
    """Asked as an ordinary user, for root may use everything."""
    drivers(Hardware(), LIBRARY)
    from hal.pi.site import PiSite

    child = os.fork()
    if child == 0:
        if os.getuid() == 0:
            os.setresuid(65534, 65534, 65534)
        os._exit(int(PiSite().access("/etc/passwd") is not Access.FORBIDDEN))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_slow_bus_fails() -> None:
    drivers(Hardware(), LIBRARY)
    from hal.pi.system_check import _i2c_speed

    (note,) = _i2c_speed(100_000)
    assert note.verdict is Verdict.BAD
    assert "i2c_arm_baudrate=400000" in note.advice
    assert list(_i2c_speed(400_000)) == []


@pytest.mark.parametrize("number", [1, 5, 30, 60])
def test_a_transfer_that_fails_is_a_finding(number: int) -> None:
    def break_it(hardware: Hardware) -> None:
        through, transfers = hardware.spi, iter(range(1, 1_000_000))

        def spi(device: int, sent: bytes, speed: int) -> bytes:
            if next(transfers) == number:
                raise OSError(errno.EIO, "Input/output error")
            return through(device, sent, speed)

        intercept(hardware, "spi", spi)

    (finding,) = failures(findings(break_it))
    assert finding.what == "the readers cannot be opened: [Errno 5] Input/output error"
