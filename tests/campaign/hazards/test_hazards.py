"""The search on the box as it is, and what the oracle reads from the screen."""

import pytest

from hal.events import Key
from tests.campaign.hazards.announcement import (
    Announcement,
    Nothing,
    OtherGame,
    Pays,
    PaysShown,
    TakesBack,
    announced,
)
from tests.campaign.hazards.command import main
from tests.campaign.hazards.judgement import Hazard
from tests.campaign.hazards.search import Found, evenings
from tests.campaign.hazards.shrink import as_script, shrink
from tests.campaign.hazards.sight import Way
from tests.campaign.hazards.watch import Watch

SHORT = range(1, 9)
LONG = tuple(range(1_000 * part, 1_000 * part + 60) for part in range(1, 5))


def search(seeds: range) -> tuple[Found | None, int]:
    """The first find, and the number of states until then."""
    states = 0
    for evening in evenings(seeds.start):
        if evening.seed not in seeds:
            break
        found = evening.play()
        states += evening.states
        if found:
            return found, states
    return None, states


def no_hazard(seeds: range) -> None:
    found, states = search(seeds)
    if found:
        shortest = shrink(found)
        raise AssertionError(as_script(shortest.lines, shortest.find))
    assert states > 100 * len(seeds)


def test_no_key_surprises_in_random_play() -> None:
    no_hazard(SHORT)


@pytest.mark.long
@pytest.mark.parametrize("seeds", LONG, ids=lambda seeds: str(seeds.start))
def test_no_key_surprises_in_long_random_play(seeds: range) -> None:
    no_hazard(seeds)


def played(script: str) -> Watch:
    watch = Watch(())
    for line in script.split("; "):
        find = watch.play(line)
        assert find is None, find
    return watch


PAID_2M = TakesBack((Pays(Way("1", "B"), 2_000_000),))
CASES: tuple[tuple[str, str, int, Announcement], ...] = (
    ("insert left 1", "5", 0, Nothing()),
    ("insert left 1", "G", 0, Pays(Way("B", "1"), 2_000_000)),
    ("insert right 1", "G", 0, Nothing()),
    ("insert left 1; press 5", "G", 0, Nothing()),
    ("insert left 1; press 1; press ,; press 4", "M", 0, Pays(Way("B", "1"), 1_400_000)),
    ("insert left 1; press 1; press ,; press 4", "K", 0, Pays(Way("B", "1"), 1_400)),
    ("insert left 1; insert right 2; press 3", "M", 0, Pays(Way("2", "1"), 3_000_000)),
    ("insert left 1; insert right 2; press 3", "C", 0, Nothing()),
    ("insert left 1; press G", "C", 0, PAID_2M),
    ("insert left 1; press G; press M", "C", 0, Nothing()),
    ("insert left 1; press G; wait 60s", "C", 0, Nothing()),
    ("insert left 1; press G; remove left; insert left 1", "C", 0, Nothing()),
    ("insert right 1; press F; press 5", "M", 0, PaysShown(Way("1", "B"), "500K", "banking")),
    ("insert right 1; press F; press 2; press 3", "M", 0, Nothing()),
    ("insert right 1; press F; press 1", "M", 0, Nothing()),
    (
        "insert right 1; press F; press 1",
        "M",
        1_000_000,
        PaysShown(Way("1", "B"), "15M", "banking"),
    ),
    ("insert left 1; press G; press F; press 8", "M", 0, Nothing()),
    (
        "insert left 1; press G; press F; press 8; press M",
        "M",
        0,
        PaysShown(Way("1", "B"), "2M", "banking"),
    ),
    (
        "press F; press 0; press 5; press 3; press M",
        "M",
        0,
        PaysShown(Way("3", "B"), "15M", "banking"),
    ),
    (
        "insert left 1; press G; hold C 3s; press F; press 0; press 6",
        "M",
        0,
        OtherGame("1"),
    ),
    ("insert left 1; press F; press 9; press M; press 5", "M", 0, Nothing()),
    ("insert left 1; press 5; remove left; insert left 1", "G", 0, Nothing()),
)


@pytest.mark.parametrize(("script", "key", "held", "expected"), CASES)
def test_screen_announces(script: str, key: str, held: int, expected: Announcement) -> None:
    watch = played(script)
    assert announced(watch.table.view, watch.memory, Key(key), held) == expected


def test_time_may_be_up_while_a_question_refuses() -> None:
    played(
        "press F; press 0; press 3; press 1; press M; hold C 3s; insert right 1; wait 59999ms; "
        "press F; press 3; press 5; press 0; hold M 1s; press M; press 9; press M; press M"
    )


def test_trying_a_key_changes_nothing() -> None:
    watch = played("insert left 1; press G")
    before = watch.table.view
    assert [find for _, find in watch.try_keys()] == []
    assert watch.table.view == before
    assert watch.table.harness.balance(1) == 17_000_000


@pytest.mark.parametrize(
    ("script", "hazard"),
    [
        ("press F; wait 20s; insert left 1; press 5", Hazard.TYPED),
        ("wait 60s; press 1; insert left 1; press 5", Hazard.TYPED),
        (
            "insert left 2; press G; press C; remove left; press F; press 8; press M; press M; "
            "press F; press 5; wait 1s; press C",
            Hazard.MONEY,
        ),
    ],
)
def test_strict_memory_keeps_what_empty_slots_acknowledge(script: str, hazard: Hazard) -> None:
    played(script)
    strict = Watch((), strict=True)
    finds = [strict.play(line) for line in script.split("; ")]
    assert finds[-1]
    assert finds[-1].hazard is hazard


def test_command_prints_what_it_finds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "1", "--seeds", "2"]) == 0
    assert ", 0 found; " in capsys.readouterr().out
    assert main(["--seed", "1", "--seeds", "5", "--old-rule", "9"]) == 1
    output = capsys.readouterr().out
    assert "FOUND: money moved that was not announced, by seed" in output
    assert "# moved: B>" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--seed -1", "--seed must be 0 or more, not -1"),
        ("--seeds 0", "--seeds must be at least 1, not 0"),
        ("--minutes 0", "--minutes must be more than 0 and finite, not 0"),
        ("--minutes nan", "--minutes must be more than 0 and finite, not nan"),
        ("--old-rule 99", "--old-rule must be 1 to 13, not 99"),
    ],
)
def test_invalid_arguments_are_rejected(
    arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err == f"hazards: {message}\n"
