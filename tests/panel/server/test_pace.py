"""The box's time over the wall's: held, run faster, put forward; and never back."""

from hypothesis import given
from hypothesis import strategies as st

from hal.events import Instant
from sim.panel.actions import PACES
from sim.panel.pace import Pace

CHANGES = st.lists(
    st.tuples(st.integers(0, 10**7), st.one_of(st.sampled_from(PACES), st.none())), max_size=20
)


@given(CHANGES)
def test_time_never_goes_back(changes: list[tuple[int, int | None]]) -> None:
    wall, pace = Instant(0), Pace(Instant(0))
    for passed, rate in changes:
        before = pace.at(wall)
        wall = Instant(wall + passed)
        assert pace.at(wall) >= before
        reached = pace.at(wall)
        if rate is None:
            pace.skip(60, wall)
        else:
            pace.run(rate, wall)
        assert pace.at(wall) >= reached


@given(st.sampled_from((1, 10, 60)), st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_wall_is_asked_for_the_first_moment_at_which_it_is_so_late(
    rate: int, wall: int, ahead: int
) -> None:
    pace = Pace(Instant(wall))
    pace.run(rate, Instant(wall))
    moment = Instant(pace.at(Instant(wall)) + ahead)
    then = pace.wall_at(moment)
    assert then is not None
    assert pace.at(then) >= moment
    assert ahead == 0 or pace.at(Instant(then - 1)) < moment


def test_a_time_that_stands_still_never_comes_but_what_is_past_has_come() -> None:
    pace = Pace(Instant(0))
    pace.run(0, Instant(500))
    assert pace.at(Instant(10**9)) == 500
    assert pace.wall_at(Instant(501)) is None
    assert pace.wall_at(Instant(500)) == 500
