"""The five editions have the figures of the rules, and invalid files are reported."""

import re
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.money import Units
from firmware.user_error import UserError

LETTERED = Units(1_000_000, 1_000)
PLAIN = Units(1, 1_000)

# Section 7 of the rules, one column each: cards, opening, salary, limits, step, units, fine,
# then utility rents, dice sides, rounding, the bankruptcy that ends a fast game.
FIGURES = {
    "banking": (6, 15_000_000, 2_000_000, 10_000, 20_000_000, 1_000, LETTERED, 500_000),
    "europe": (8, 1_500, 200, 1, 2_000, 1, PLAIN, 50),
    "duel-masters": (6, 1_500, 200, 1, 2_000, 1, PLAIN, 50),
    "disney": (6, 1_500, 200, 1, 2_000, 1, PLAIN, 50),
    "france98": (8, 150_000, 20_000, 100, 200_000, 100, LETTERED, 5_000),
}
LATER = {
    "banking": ((40_000, 100_000), 6, 10_000, 2),
    "europe": ((4, 10), 6, 1, 2),
    "duel-masters": ((4, 10), 6, 1, 2),
    "disney": ((4, 10), 6, 1, 1),
    "france98": ((400, 1_000), 12, 100, 2),
}


def test_the_rulebooks_editions_are_there_and_keep_their_digits() -> None:
    assert editions.names()[:5] == ("banking", "disney", "duel-masters", "europe", "france98")


@pytest.mark.parametrize("name", editions.names())
def test_every_edition_is_named_after_its_file(name: str) -> None:
    assert editions.load(name).name == name


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
    rents, sides, rounding, bankruptcies = LATER[name]
    assert (found.utility_rent_one, found.utility_rent_both) == rents
    assert (found.dice_count, found.dice_sides) == (2, sides)
    assert (found.interest_percent, found.mortgage_rounding) == (10, rounding)
    assert found.fast_game_bankruptcies == bankruptcies


def test_own_rules() -> None:
    assert editions.load("duel-masters").fight_lost_factor == 10
    assert editions.load("banking").fight_lost_factor is None


@pytest.mark.parametrize("name", FIGURES)
def test_retired_keys_may_be_left_out(name: str) -> None:
    retired = r"currency|buyer_|deeds|houses_|in_rulebook|ends_at =|\[timed_game]|station_rents"
    whole = editions.load(name)
    kept = [line for line in whole.source.split("\n") if not re.match(retired, line)]
    assert len(kept) < whole.source.count("\n")
    assert editions.parse("mine", "\n".join(kept))._replace(source="") == whole._replace(source="")


def test_the_fullest_card() -> None:
    assert editions.load("banking").fullest == 99_999_000_000
    assert editions.load("europe").fullest == 99_999_000


def test_a_user_defined_edition(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(editions.load("banking").source.replace('"banking"', '"mine"'))
    assert editions.load(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("figure", "most"),
    [
        ("opening_balance = 15_000_000", 99_999_000_000),
        ("salary = 2_000_000", 99_999_000_000),
        ("entry_minimum = 10_000", 99_999_000_000),
        ("entry_maximum = 20_000_000", 99_999_000_000),
        ("step = 1_000", 99_999_000_000),
        ("jail_fine = 500_000", 99_999_000_000),
        ("one = 40_000", 99_999_000_000),
        ("both = 100_000", 99_999_000_000),
        ("count = 2", 100),
        ("sides = 6", 1_000),
        ("interest_percent = 10", 1_000),
        ("round_up_to = 10_000", 99_999_000_000),
        ("ends_at_bankruptcy = 2", 1_000),
    ],
)
def test_every_figure_has_a_limit(figure: str, most: int) -> None:
    """A ledger contains the text of its edition; the box must be able to compute with it."""
    source, key = editions.load("banking").source, figure.partition(" ")[0]
    for value in (most + 1, 2**63 - 1):
        with pytest.raises(UserError, match=rf"{key} must be at most {most}, not {value}"):
            editions.parse("mine", source.replace(figure, f"{key} = {value}", 1))
    factor = "[own_rule]\nfight_lost_factor = 1001"
    with pytest.raises(UserError, match="fight_lost_factor must be at most 1000, not 1001"):
        editions.parse("mine", f"{source}\n{factor}")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("cards = 6", "cards = 6\nluck = 7", ":7: luck is not a key that Tellerbox knows"),
        ("cards = 6", "cards = 6\ndeeds = 7", ":7: deeds is not a key that Tellerbox knows"),
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
        ('name = "banking"', 'name = "two words"', ":4: name must be at most 12 plain letters"),
        ('name = "banking"', 'name = "banking', "is not valid TOML"),
        ("[units]", "units = 3\n[other]", "units must be a table, not 3"),
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
    with pytest.raises(UserError) as caught:
        editions.load(str(path))
    assert str(caught.value).startswith(f"{path}")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing\.toml: cannot be read: No such file"):
        editions.load(str(tmp_path / "missing.toml"))
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(UserError, match="not a UTF-8 text"):
        editions.load(str(tmp_path / "latin.toml"))
    with pytest.raises(UserError, match="there is no edition 'monaco'; there are banking, disney"):
        editions.load("monaco")
    with pytest.raises(UserError, match="there is no edition"):
        editions.load("../config")
    with pytest.raises(UserError, match="there is no edition"):
        editions.load("a\0b")
