"""The bank's clock with a console: it advances exactly as far as each line says."""

from hal.events import SECOND, Instant
from sim.board.clocks import VirtualClock
from sim.console.script_clock import ScriptClock


def at(seconds: float) -> Instant:
    return Instant(round(seconds * SECOND))


def test_clock_follows_the_wall_until_it_is_held() -> None:
    wall = VirtualClock()
    clock = ScriptClock(wall)
    wall.pass_until(at(3))
    assert clock.now() == at(3)
    clock.hold()
    wall.pass_until(at(10))
    assert clock.now() == at(3)


def test_clock_runs_to_its_limit_and_stops_there() -> None:
    wall = VirtualClock()
    clock = ScriptClock(wall)
    clock.hold()
    wall.pass_until(at(10))
    clock.run(at(2))
    assert clock.now() == at(0)
    assert clock.on_the_wall(at(2)) == at(12)
    wall.pass_until(at(11))
    assert clock.now() == at(1)
    wall.pass_until(at(12.3))  # the loop is late
    assert clock.now() == at(2)
    clock.run(None)
    wall.pass_until(at(13.3))
    assert clock.now() == at(3)


def test_event_keeps_its_time_but_is_never_in_the_future() -> None:
    wall = VirtualClock()
    clock = ScriptClock(wall)
    clock.hold()
    wall.pass_until(at(10))
    clock.run(at(2))
    wall.pass_until(at(11))
    assert clock.of_the_wall(at(10.5)) == at(0.5)
    wall.pass_until(at(15))
    assert clock.of_the_wall(at(14)) == at(2)


def test_clock_can_jump_and_never_goes_back() -> None:
    wall = VirtualClock()
    clock = ScriptClock(wall)
    clock.hold()
    clock.run(at(3600))
    clock.jump(at(60))
    assert clock.now() == at(60)
    clock.jump(at(30))
    assert clock.now() == at(60)
    clock.jump(at(3600))
    assert clock.now() == at(3600)
    wall.pass_until(at(1))
    assert clock.now() == at(3600)
    clock.run(None)
    wall.pass_until(at(2))
    assert clock.now() == at(3601)
