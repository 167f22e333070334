"""The self-test names the broken wire, for each wire of wiring.md."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hal.events import Key, Slot
from hal.findings import Access, Finding, Verdict
from hal.pi.readers.registry import reader_driver
from hal.wiring import READER_CHIPS, SCREEN_CHIPS, Part, Wire, Wiring
from sim.virtual.hardware import NANO, Hardware, drivers
from sim.virtual.virtual_system import VirtualPerson, VirtualSystem
from tests.drivers.harness import intercept

WIRES = Wiring().wires()
POWER = {"3.3V", "GND"}
SIGNALS = {"SDA", "SCK", "MOSI", "MISO", "RST"}
READERS = (Part.LEFT_READER, Part.RIGHT_READER)


class LimitedSystem(VirtualSystem):
    """A system with device files that cannot be used."""

    def __init__(self, hardware: Hardware, lacks: dict[str, Access]) -> None:
        super().__init__(hardware)
        self._lacks = lacks

    def access(self, device: str) -> Access:
        return self._lacks.get(device, Access.READY)


class WithoutCards(VirtualPerson):
    """A person without suitable cards."""

    def put_card(self, slot: Slot) -> None:
        """Do nothing."""

    def take_card(self, slot: Slot) -> None:
        """Do nothing."""


class SlowPerson(VirtualPerson):
    """A person who is late, by some seconds, with the first key and with cards."""

    key_delay = card_delay = 0

    def press(self, key: Key) -> None:
        later = self.key_delay if key is Key.ONE else 0
        self._later(later, lambda: super(SlowPerson, self).press(key))

    def put_card(self, slot: Slot) -> None:
        self._later(self.card_delay, lambda: super(SlowPerson, self).put_card(slot))

    def take_card(self, slot: Slot) -> None:
        self._later(self.card_delay, lambda: super(SlowPerson, self).take_card(slot))

    def _later(self, seconds: int, act: Callable[[], None]) -> None:
        time = self._hardware.time
        time.plan(time.now + seconds * NANO, act)


def findings(
    cause_fault: Callable[[Hardware], None] = lambda _: None,
    *,
    person: type[VirtualPerson] | None = VirtualPerson,
    soldered: Wiring | None = None,
    configured: Wiring | None = None,
    lacks: dict[str, Access] | None = None,
) -> list[Finding]:
    """Run the self-test on a box with a fault; ``configured`` is the wiring in its config."""
    hardware = Hardware(soldered)
    drivers(hardware)
    from hal.pi.open_board import findings as run_selftest

    cause_fault(hardware)
    helper = person(hardware) if person else None
    return list(run_selftest(configured or Wiring(), LimitedSystem(hardware, lacks or {}), helper))


def failures(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.verdict is Verdict.BAD]


def named_wires(found: list[Finding]) -> set[Wire]:
    return {wire for finding in failures(found) for wire in finding.wires}


def suspects(cut: Wire) -> set[str]:
    """The pads of the same part with the same symptoms."""
    if cut.part is Part.SCREEN:
        return {"SDA", "SCL", "VCC", "GND"}
    if cut.part is Part.BUZZER:
        return {"+", "-"}
    if cut.part is Part.KEYPAD or cut.pad == "RST":
        return {cut.pad}
    return POWER if cut.pad in POWER else SIGNALS


def test_box_without_faults() -> None:
    found = findings()
    assert failures(found) == []
    assert len(found) == 17


@pytest.mark.parametrize(("seconds", "seen"), [(7, True), (8, False)])
def test_key_timeout_is_eight_seconds(
    monkeypatch: pytest.MonkeyPatch, seconds: int, seen: bool
) -> None:
    monkeypatch.setattr(SlowPerson, "key_delay", seconds)
    found = failures(findings(person=SlowPerson))
    assert ("keypad: 1 was not seen" not in [f.what for f in found]) is seen


@pytest.mark.parametrize(("seconds", "seen"), [(19, True), (20, False)])
def test_card_timeout_is_twenty_seconds(
    monkeypatch: pytest.MonkeyPatch, seconds: int, seen: bool
) -> None:
    monkeypatch.setattr(SlowPerson, "card_delay", seconds)
    found = failures(findings(person=SlowPerson))
    assert ("left reader: no card was seen" not in [f.what for f in found]) is seen


def test_card_that_is_in_already_is_accepted() -> None:
    class CardAlreadyIn(VirtualPerson):
        """A person with a card in the left slot."""

        def press(self, key: Key) -> None:
            if key is Key.ONE:
                super().put_card(Slot.LEFT)
            super().press(key)

        def put_card(self, slot: Slot) -> None:
            assert slot is Slot.RIGHT, "the left card must not be asked for"
            super().put_card(slot)

    assert failures(findings(person=CardAlreadyIn)) == []


def test_every_part_has_wires() -> None:
    assert len(WIRES) == 28
    assert {wire.part for wire in WIRES} == set(Part)


@pytest.mark.parametrize("cut", WIRES, ids=lambda wire: f"{wire.part.value} {wire.pad}")
def test_broken_wire_is_named(cut: Wire) -> None:
    found = findings(lambda hardware: hardware.cut(cut.part, cut.pad))
    assert len(failures(found)) == 1
    expected = {wire for wire in WIRES if wire.part is cut.part and wire.pad in suspects(cut)}
    assert cut in named_wires(found)
    assert named_wires(found) == expected
    report = "\n".join(line for finding in failures(found) for line in finding.lines())
    assert cut.part.value in report
    assert f"{cut.pad} to pin {cut.pin} (" in report


@pytest.mark.parametrize("part", READERS, ids=lambda part: part.value)
def test_reset_pad_that_floats_low_silences_the_reader(part: Part) -> None:
    found = findings(lambda hardware: hardware.cut(part, "RST", floats=0))
    assert {wire.pad for wire in named_wires(found)} == SIGNALS
    assert {wire.part for wire in named_wires(found)} == {part}


@pytest.mark.parametrize(
    "cut", [w for w in WIRES if w.part in READERS and w.pad != "RST"], ids=lambda w: str(w)
)
def test_silent_reader_names_all_wires_without_a_person(cut: Wire) -> None:
    found = findings(lambda hardware: hardware.cut(cut.part, cut.pad), person=None)
    assert named_wires(found) == {wire for wire in WIRES if wire.part is cut.part}


def test_two_silent_readers_name_the_shared_pins() -> None:
    def cut_both(hardware: Hardware) -> None:
        for part in READERS:
            hardware.cut(part, "SCK")

    notes = [note for note in findings(cut_both) if note.verdict is Verdict.NOTE]
    assert [note.what for note in notes] == ["both readers are silent"]
    assert {wire.pin for wire in notes[0].wires} == {17, 19, 21, 23, 25}


def test_loose_contact_is_distinguished_from_an_open_wire() -> None:
    from hal.pi.selftest import diagnosis

    found = diagnosis.reader(Wiring(), Slot.LEFT, [0x92, 0x92, 0x00, 0x12], {}, None)
    assert found.verdict is Verdict.BAD
    assert "answers differently each time (version byte 00, 12, 92)" in found.what
    twice = diagnosis.reader(Wiring(), Slot.LEFT, [0x92, 0x00], {}, None)
    assert "answers differently each time (version byte 00, 92)" in twice.what


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
        (0x01, "an unknown chip"),
        (0xFE, "an unknown chip"),
    ],
)
def test_chip_names_by_version(version: int, name: str) -> None:
    drivers(Hardware())
    from hal.pi.selftest import diagnosis

    names = reader_driver(Wiring().right_reader_chip).VERSIONS
    found = diagnosis.reader(Wiring(), Slot.RIGHT, [version] * 3, names, None)
    assert found.verdict is Verdict.GOOD
    assert found.what == f"right reader: {name} (version byte {version:02X})"


@pytest.mark.parametrize("version", [0x00, 0xFF])
@pytest.mark.parametrize("lit", [None, False, True])
def test_silent_reader(version: int, lit: bool | None) -> None:
    from hal.pi.selftest import diagnosis

    found = diagnosis.reader(Wiring(), Slot.RIGHT, [version], {}, lit)
    assert found.what == f"right reader: does not answer (version byte {version:02X})"
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


def test_reader_that_sees_no_card() -> None:
    assert [f.what for f in failures(findings(person=WithoutCards))] == [
        "left reader: no card was seen",
        "right reader: no card was seen",
    ]


@pytest.mark.parametrize(("configured", "address"), [(0x3C, 0x3D), (0x3D, 0x3C)])
def test_screen_at_another_address(configured: int, address: int) -> None:
    soldered = Wiring(screen_address=address)
    (found,) = failures(findings(soldered=soldered, configured=Wiring(screen_address=configured)))
    assert found.what == f"screen: does not answer at {configured:#x}, but at {address:#x}"
    assert f"address = {address:#x}" in found.advice


def test_stuck_bus() -> None:
    from hal.pi.selftest import diagnosis

    found = diagnosis.screen(Wiring(), OSError(errno.ETIMEDOUT, "Connection timed out"), None)
    assert [wire.pad for wire in found.wires] == ["SDA", "SCL"]
    assert "the bus is stuck" in found.what


@pytest.mark.parametrize("chip", SCREEN_CHIPS)
def test_advice_for_a_screen_with_another_chip(chip: str) -> None:
    from hal.pi.selftest import diagnosis

    advice = diagnosis.pattern(Wiring(screen_chip=chip), seen=False).advice
    assert {name for name in SCREEN_CHIPS if f'chip = "{name}"' in advice} == {*SCREEN_CHIPS} - {
        chip
    }


@pytest.mark.parametrize(
    "wiring",
    [
        *(Wiring(left_reader_chip=chip) for chip in READER_CHIPS),
        *(Wiring(screen_chip=chip) for chip in SCREEN_CHIPS),
    ],
    ids=[*READER_CHIPS, *SCREEN_CHIPS],
)
def test_box_without_faults_with_every_chip(wiring: Wiring) -> None:
    assert failures(findings(soldered=wiring, configured=wiring)) == []


def test_swapped_rows_and_columns() -> None:
    rows = failures(findings(soldered=Wiring(rows=(6, 5, 13, 19))))
    assert len(rows) == 8
    assert rows[0].what == "keypad: 1 was pressed, and 4 was seen"
    assert {(wire.pad, wire.pin) for wire in rows[0].wires} == {("R1", 29), ("R2", 31)}
    columns = failures(findings(soldered=Wiring(columns=(12, 16, 21, 20))))
    assert columns[0].what == "keypad: 3 was pressed, and M was seen"
    assert {wire.pad for wire in columns[0].wires} == {"C3", "C4"}


def test_broken_row_and_column() -> None:
    def cut_two(hardware: Hardware) -> None:
        hardware.cut(Part.KEYPAD, "R1")
        hardware.cut(Part.KEYPAD, "C4")

    assert [f.what for f in failures(findings(cut_two))] == [
        "keypad: 1 2 3 M were not seen",
        "keypad: M K C F were not seen",
    ]


def test_unplugged_keypad() -> None:
    def unplug(hardware: Hardware) -> None:
        for wire in Wiring().wires_of(Part.KEYPAD):
            hardware.cut(wire.part, wire.pad)

    (found,) = failures(findings(unplug))
    assert found.what == "keypad: no key was seen"
    assert len(found.wires) == 8


def test_one_dead_key() -> None:
    from hal.pi.selftest import diagnosis

    seen = {key: None if key is Key.FIVE else key for key in Key}
    (found,) = diagnosis.keys(Wiring(), seen)
    assert found.what == "keypad: 5 was not seen"
    assert found.wires == ()


def test_key_that_is_down_at_rest() -> None:
    (found,) = failures(findings(lambda hardware: hardware.press(Key.EIGHT), person=None))
    assert found.what == "keypad: 8 is down although no key should be pressed"
    assert {wire.pad for wire in found.wires} == {"R3", "C2"}


def test_row_that_touches_ground() -> None:
    from hal.pi.selftest import diagnosis

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
def test_device_file_that_cannot_be_used(device: str, access: Access, advice: str) -> None:
    (found,) = failures(findings(lacks={device: access}))
    assert found.what == f"{device} {access.value}"
    assert advice in found.advice


def test_device_files_and_advice_for_other_buses() -> None:
    other = Wiring(spi_bus=1, i2c_bus=0, rows=(5, 6, 13, 26), columns=(2, 22, 23, 27), buzzer=14)
    missing = dict.fromkeys(("/dev/spidev1.1", "/dev/i2c-0"), Access.MISSING)
    spi, i2c = failures(findings(soldered=other, configured=other, lacks=missing))
    assert "dtoverlay=spi1-2cs" in spi.advice
    assert "dtoverlay=i2c0" in i2c.advice
    assert failures(findings(soldered=other, configured=other)) == []


def test_system_information(tmp_path: Path) -> None:
    drivers(Hardware())
    from hal.pi.open_board import I2C_SPEED, MODEL, PiSystem

    system = PiSystem(tmp_path)
    assert system.i2c_speed(1) is None
    assert system.model is None
    assert system.access("/dev/spidev0.0") is Access.MISSING
    for name, content in (
        (MODEL, b"Raspberry Pi 5 Model B Rev 1.0\0"),
        (I2C_SPEED.format(1), b"\0\x01\x86\xa0"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert system.model == "Raspberry Pi 5 Model B Rev 1.0"
    assert system.i2c_speed(1) == 100_000
    assert system.i2c_speed(0) is None
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "i2c-1").touch(mode=0o600)
    assert system.access("/dev/i2c-1") is Access.READY


def test_file_without_permission_is_forbidden() -> None:
    """As an ordinary user, because root may use every file."""
    drivers(Hardware())
    from hal.pi.open_board import PiSystem

    child = os.fork()
    if child == 0:
        if os.getuid() == 0:
            os.setresuid(65534, 65534, 65534)
        os._exit(int(PiSystem().access("/etc/passwd") is not Access.FORBIDDEN))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_slow_i2c_bus_fails() -> None:
    drivers(Hardware())
    from hal.pi.selftest.system_check import _i2c_speed

    (note,) = _i2c_speed(100_000)
    assert note.verdict is Verdict.BAD
    assert "i2c_arm_baudrate=400000" in note.advice
    assert list(_i2c_speed(400_000)) == []


@pytest.mark.parametrize("number", [1, 5, 30, 60])
def test_failed_transfer_is_a_finding(number: int) -> None:
    def cause_fault(hardware: Hardware) -> None:
        original, transfers = hardware.spi, iter(range(1, 1_000_000))

        def spi(device: int, sent: bytes, speed: int) -> bytes:
            if next(transfers) == number:
                raise OSError(errno.EIO, "Input/output error")
            return original(device, sent, speed)

        intercept(hardware, "spi", spi)

    (finding,) = failures(findings(cause_fault))
    assert finding.what == "the readers cannot be opened: [Errno 5] Input/output error"
