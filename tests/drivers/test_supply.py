"""Undervoltage: from the kernel's file to the event."""

from pathlib import Path

from hal.events import SECOND, Event, Instant, PowerGood, PowerLow
from hal.pi.supply import Supply, gauge
from sim.board.clocks import VirtualClock
from tests.drivers.harness import bench


def sensor(root: Path, number: int, name: str, alarm: str | None) -> Path:
    folder = root / f"sys/class/hwmon/hwmon{number}"
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{name}\n")
    if alarm is not None:
        (folder / "in0_lcrit_alarm").write_text(f"{alarm}\n")
    return folder


def test_gauge_is_found_among_other_sensors(tmp_path: Path) -> None:
    sensor(tmp_path, 0, "cpu_thermal", None)
    sensor(tmp_path, 1, "other", "1")
    ours = sensor(tmp_path, 2, "rpi_volt", "0")
    is_low = gauge(tmp_path)
    assert is_low is not None
    assert not is_low()
    (ours / "in0_lcrit_alarm").write_text("1\n")
    assert is_low()
    (ours / "in0_lcrit_alarm").unlink()  # the driver was unloaded
    assert not is_low()


def test_machine_without_a_gauge_reports_nothing(tmp_path: Path) -> None:
    sensor(tmp_path, 0, "cpu_thermal", None)
    assert gauge(tmp_path) is None
    assert gauge(tmp_path / "nowhere") is None
    assert Supply(None, VirtualClock()).poll() == ()


def test_low_is_reported_once_and_good_after_ten_seconds() -> None:
    clock, dips, reported = VirtualClock(), {4, 6, 12, 40}, list[tuple[int, Event]]()
    supply = Supply(lambda: clock.now() // SECOND in dips, clock)
    for second in range(60):
        clock.pass_until(Instant(second * SECOND))
        reported += [(second, event) for event in supply.poll()]
    assert [(second, type(event)) for second, event in reported] == [
        (4, PowerLow),
        (22, PowerGood),
        (40, PowerLow),
        (50, PowerGood),
    ]


def test_file_is_read_every_two_seconds_only() -> None:
    clock, read = VirtualClock(), list[Instant]()

    def is_low() -> bool:
        read.append(clock.now())
        return False

    supply = Supply(is_low, clock)
    for step in range(200):
        clock.pass_until(Instant(step * SECOND // 20))
        supply.poll()
    assert read == [0, 2 * SECOND, 4 * SECOND, 6 * SECOND, 8 * SECOND]


def test_undervoltage_is_reported_asleep_without_extra_wake_ups() -> None:
    with bench() as b:
        b.run(3 * SECOND)
        b.board.rest(True)
        b.run(SECOND)
        before = b.alarm.waits
        b.hardware.undervoltage = True
        assert [type(event) for event in b.run(10 * SECOND)] == [PowerLow]
        assert b.alarm.waits - before <= 27  # 2.5 a second, as without
