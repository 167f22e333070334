"""The box's time as a function of wall time: stopped, faster, skipped; never backwards."""

from hypothesis import given
from hypothesis import strategies as st

from hal.events import Instant
from sim.panel.actions import PACES
from sim.panel.box.pace import Pace

CHANGES = st.lists(
    st.tuples(st.integers(0, 10**7), st.one_of(st.sampled_from(PACES), st.none())), max_size=20
)


class Wall:
    """A wall clock that the test sets."""

    def __init__(self, time: int = 0) -> None:
        self.time = time

    def now(self) -> Instant:
        return Instant(self.time)


@given(CHANGES)
def test_time_never_goes_backwards(changes: list[tuple[int, int | None]]) -> None:
    wall = Wall()
    pace = Pace(wall.now)
    for passed, rate in changes:
        before = pace.now()
        wall.time += passed
        assert pace.now() >= before
        reached = pace.now()
        if rate is None:
            pace.skip_minute()
        else:
            pace.set_rate(rate)
        assert pace.now() >= reached


@given(st.sampled_from((1, 10, 60)), st.integers(0, 10**9), st.integers(0, 10**9))
def test_wall_at_is_the_first_wall_time_of_a_moment(rate: int, time: int, ahead: int) -> None:
    wall = Wall(time)
    pace = Pace(wall.now)
    pace.set_rate(rate)
    moment = Instant(pace.now() + ahead)
    then = pace.wall_at(moment)
    assert then is not None
    wall.time = then
    assert pace.now() >= moment
    wall.time = then - 1
    assert ahead == 0 or pace.now() < moment


def test_stopped_time_reaches_no_later_moment() -> None:
    wall = Wall()
    pace = Pace(wall.now)
    wall.time = 500
    pace.set_rate(0)
    wall.time = 10**9
    assert pace.now() == 500
    assert pace.wall_at(Instant(501)) is None
    assert pace.wall_at(Instant(500)) == 500
