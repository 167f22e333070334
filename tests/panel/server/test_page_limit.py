"""Which page makes room when too many are open."""

from typing import NamedTuple

import pytest

from sim.panel.guests.page_limit import RECENTLY, page_to_replace

NOW = 1_000.0


class Open(NamedTuple):
    guest: str
    used_at: float = NOW
    unanswered: int = 0


def test_a_guest_replaces_its_own_page_that_was_used_least_recently() -> None:
    idle = Open("banker", NOW - 5)
    pages = [Open("banker"), idle, Open("banker", NOW - 1), Open("other", 0)]
    assert page_to_replace(pages, "banker", NOW) is idle


@pytest.mark.parametrize("hoard", [2, 19])
def test_who_has_the_most_gives_up_one(hoard: int) -> None:
    """Even if all of them are used all the time, by somebody who wants to keep others out."""
    oldest = Open("hoarder", NOW - 0.5)
    pages = [Open("banker", 0), oldest, *[Open("hoarder", NOW)] * (hoard - 1)]
    assert page_to_replace(pages, "new", NOW) is oldest
    assert page_to_replace(pages, "hoarder", NOW) is oldest


def test_a_banker_who_reloads_replaces_the_old_page() -> None:
    old = Open("banker")
    strangers = [Open(f"guest {number}", 0) for number in range(19)]
    assert page_to_replace([*strangers, old], "banker", NOW) is old


def test_a_page_that_answers_no_heartbeat_goes_first() -> None:
    gone = Open("guest", NOW, unanswered=2)
    answers_late = Open("guest", NOW - 3, unanswered=1)
    assert page_to_replace([answers_late, gone, Open("guest", 0)], "guest", NOW) is gone
    assert page_to_replace([Open("banker", 0), gone], "new", NOW) is gone


def test_a_single_page_that_is_used_is_nobody_elses() -> None:
    used = [Open(f"guest {number}", NOW - RECENTLY + 1) for number in range(20)]
    assert page_to_replace(used, "new", NOW) is None
    unused = Open("absent", NOW - RECENTLY - 1)
    assert page_to_replace([*used, unused], "new", NOW) is unused
