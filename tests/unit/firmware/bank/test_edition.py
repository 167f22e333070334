"""The five editions against the spec's table, and what a bad file is told."""

from pathlib import Path

import pytest

from firmware import edition as editions
from firmware.edition import BuyerPays, ClockGame, Dice, FastGame, Mortgage, TimedGame
from firmware.mistake import Mistake
from firmware.money import Units

LETTERED = Units(1_000_000, 1_000)
PLAIN = Units(1, 1_000)

# The spec's table, a column each: cards, opening, salary, limits, step, units, fine,
# utility rents, dice sides, rounding, the buyer who lifts, the buyer who keeps.
FIGURES = {
    "banking": (6, 15_000_000, 2_000_000, 10_000, 20_000_000, 1_000, LETTERED, 500_000),
    "europe": (8, 1_500, 200, 1, 2_000, 1, PLAIN, 50),
    "duel-masters": (6, 1_500, 200, 1, 2_000, 1, PLAIN, 50),
    "disney": (6, 1_500, 200, 1, 2_000, 1, PLAIN, 50),
    "france98": (8, 150_000, 20_000, 100, 200_000, 100, LETTERED, 5_000),
}
LATER = {
    "banking": ((40_000, 100_000), 6, 10_000, BuyerPays.VALUE, True),
    "europe": ((4, 10), 6, 1, BuyerPays.VALUE_AND_INTEREST, False),
    "duel-masters": ((4, 10), 6, 1, BuyerPays.VALUE_AND_INTEREST, False),
    "disney": ((4, 10), 6, 1, BuyerPays.VALUE, True),
    "france98": ((400, 1_000), 12, 100, BuyerPays.VALUE_AND_INTEREST, False),
}
FORMS = {
    "banking": (FastGame(2, True, 2, 3), TimedGame(ClockGame.DURATION, 0, True)),
    "europe": (FastGame(2, True, 2, 3), TimedGame(ClockGame.HOUR, 2, True)),
    "duel-masters": (FastGame(2, True, 2, 3), TimedGame(ClockGame.DURATION, 0, True)),
    "disney": (FastGame(3, False, 1, 3), TimedGame(ClockGame.DURATION, 0, False)),
    "france98": (FastGame(2, True, 2, 3), TimedGame(ClockGame.HOUR, 2, True)),
}


def test_there_are_five() -> None:
    assert editions.names() == tuple(sorted(FIGURES))


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_of_the_table(name: str) -> None:
    found = editions.load(name)
    assert found.name == name
    assert FIGURES[name] == (
        found.cards,
        found.opening_balance,
        found.salary,
        found.entry_minimum,
        found.entry_maximum,
        found.step,
        found.units,
        found.jail_fine,
    )
    rents, sides, rounding, lifting, keeping = LATER[name]
    assert (found.utility_rent_one, found.utility_rent_both) == rents
    assert found.dice == Dice(2, sides)
    assert found.mortgage == Mortgage(10, rounding, lifting, keeping)
    assert (found.fast_game, found.timed_game) == FORMS[name]


def test_own_rules_and_currencies() -> None:
    assert editions.load("duel-masters").fight_lost_factor == 10
    assert editions.load("disney").station_rents == (25, 50, 100, 200)
    assert editions.load("banking").fight_lost_factor is None
    assert editions.load("banking").station_rents == ()
    assert editions.load("france98").currency == "franc"
    assert editions.load("europe").currency == "euro"


def test_the_fullest_card() -> None:
    assert editions.load("banking").fullest == 99_999_000_000
    assert editions.load("europe").fullest == 99_999_000


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(editions.load("banking").source.replace('"banking"', '"mine"'))
    assert editions.load(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("cards = 6", "cards = 6\nluck = 7", ":7: luck is not a key that Tellerbox knows"),
        ("cards = 6", 'cards = "six"', ":6: cards must be a whole number, not 'six'"),
        ("cards = 6", "cards = 6.0", ":6: cards must be a whole number, not 6.0"),
        ("cards = 6", "cards = true", ":6: cards must be a whole number, not true"),
        ("cards = 6", "cards = 0", ":6: cards must be at least 1, not 0"),
        ("cards = 6", "cards = 9", ":6: cards must be at most 8, not 9"),
        ("cards = 6\n", "", ": the key cards is missing"),
        ("salary = 2_000_000", "salary = -1", ":8: salary must be at least 1, not -1"),
        (
            "entry_minimum = 10_000\n",
            "entry_minimum = 30_000_000\n",
            ":9: entry_minimum must not be larger than entry_maximum",
        ),
        (
            "entry_minimum = 10_000\n",
            "entry_minimum = 10_001\n",
            ":9: entry_minimum must be a multiple of step, which is 1000",
        ),
        ("K = 1_000", "K = 1_234", ":16: units.K must be a power of ten, not 1234"),
        ("M = 1_000_000", "M = 10", ":15: units.M must be 1 or larger than K"),
        ("M = 1_000_000", f"M = 1{'0' * 13}", ":15: units.M must be at most 1000000000000"),
        ("jail_fine = 500_000", f"jail_fine = {'9' * 5000}", "is not valid TOML"),
        ("jail_fine = 500_000", f"jail_fine = {'[' * 5000}", "nested too deeply"),
        ('name = "banking"', 'name = "../x"', ":4: name must be at most 12 plain letters"),
        ("[units]", "[unit]", ": the key units is missing"),
        ("sides = 6", 'sides = 6\ncolour = "red"', ":25: dice.colour is not a key"),
        (
            '"value"',
            '"nothing"',
            ":29: mortgage.buyer_lifting_pays must be one of value, value-and-interest,",
        ),
        ("deeds_are_paid = true", "deeds_are_paid = 1", "must be true or false, not 1"),
        ('name = "banking"', 'name = "two words"', ":4: name must be at most 12 plain letters"),
        ('name = "banking"', 'name = "banking', "is not valid TOML"),
        ("[units]", "units = 3\n[other]", "units must be a table, not 3"),
        (
            "in_rulebook = true",
            "in_rulebook = true\n[own_rule]\nstation_rents = [1, -2]",
            "station_rents",
        ),
        (
            "in_rulebook = true",
            "in_rulebook = true\n[own_rule]\nfight_lost_factor = 0",
            "at least 1",
        ),
        ("in_rulebook = true", "in_rulebook = true\n[own_rule]\nluck = 0", "own_rule.luck is not"),
        ("one = 40_000", "one = 40_000\nthree = 1", "utility_rent.three is not a key"),
    ],
)
def test_a_bad_edition_names_file_line_and_key(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    path = tmp_path / "bad.toml"
    source = editions.load("banking").source
    assert old in source
    path.write_text(source.replace(old, new, 1))
    with pytest.raises(Mistake) as caught:
        editions.load(str(path))
    assert str(caught.value).startswith(f"{path}")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"missing\.toml: cannot be read: No such file"):
        editions.load(str(tmp_path / "missing.toml"))
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(Mistake, match="not a UTF-8 text"):
        editions.load(str(tmp_path / "latin.toml"))
    with pytest.raises(Mistake, match="there is no edition 'monaco'; there are banking, disney"):
        editions.load("monaco")
    with pytest.raises(Mistake, match="there is no edition"):
        editions.load("../config")
    with pytest.raises(Mistake, match="there is no edition"):
        editions.load("a\0b")
