"""Undervoltage, from the kernel's file to the message."""

from pathlib import Path

from hal.events import SECOND, Event, Instant, PowerGood, PowerLow
from hal.pi.supply import Supply, gauge
from sim.clocks import VirtualClock
from tests.drivers.harness import bench


def sensor(root: Path, number: int, name: str, alarm: str | None) -> Path:
    folder = root / f"sys/class/hwmon/hwmon{number}"
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{name}\n")
    if alarm is not None:
        (folder / "in0_lcrit_alarm").write_text(f"{alarm}\n")
    return folder


def test_the_gauge_is_the_pi_s_own_among_others(tmp_path: Path) -> None:
    sensor(tmp_path, 0, "cpu_thermal", None)
    sensor(tmp_path, 1, "other", "1")
    ours = sensor(tmp_path, 2, "rpi_volt", "0")
    is_low = gauge(tmp_path)
    assert is_low is not None
    assert not is_low()
    (ours / "in0_lcrit_alarm").write_text("1\n")
    assert is_low()
    (ours / "in0_lcrit_alarm").unlink()  # a driver that was unloaded
    assert not is_low()


def test_a_machine_without_one_tells_nothing(tmp_path: Path) -> None:
    sensor(tmp_path, 0, "cpu_thermal", None)
    assert gauge(tmp_path) is None
    assert gauge(tmp_path / "nowhere") is None
    assert Supply(None, VirtualClock()).poll() == ()


def test_it_is_told_once_and_over_when_it_was_good_for_ten_seconds() -> None:
    clock, dips, told = VirtualClock(), {4, 6, 12, 40}, list[tuple[int, Event]]()
    supply = Supply(lambda: clock.now() // SECOND in dips, clock)
    for second in range(60):
        clock.pass_until(Instant(second * SECOND))
        told += [(second, event) for event in supply.poll()]
    assert [(second, type(event)) for second, event in told] == [
        (4, PowerLow),
        (22, PowerGood),
        (40, PowerLow),
        (50, PowerGood),
    ]


def test_the_file_is_read_every_two_seconds_and_not_at_every_visit() -> None:
    clock, read = VirtualClock(), list[Instant]()

    def is_low() -> bool:
        read.append(clock.now())
        return False

    supply = Supply(is_low, clock)
    for step in range(200):
        clock.pass_until(Instant(step * SECOND // 20))
        supply.poll()
    assert read == [0, 2 * SECOND, 4 * SECOND, 6 * SECOND, 8 * SECOND]


def test_the_board_tells_it_awake_and_asleep_without_waking_up_for_it() -> None:
    with bench() as b:
        b.run(3 * SECOND)
        b.board.rest(True)
        b.run(SECOND)
        before = b.alarm.waits
        b.hardware.undervoltage = True
        assert [type(event) for event in b.run(10 * SECOND)] == [PowerLow]
        assert b.alarm.waits - before <= 27  # two and a half a second, as without
