"""Keys of a TOML file, and the line that an error names."""

import pytest

from firmware.toml_table import TomlTable
from firmware.user_error import UserError

TEXT = """\
name = "mine"
[units]
M = 1
"odd key" = 2
[fights.lost]
factor = 7
"""


def table() -> TomlTable:
    return TomlTable.parse("mine.toml", TEXT)


def test_every_key_is_read_once() -> None:
    top = table()
    assert top.take("name", str) == "mine"
    assert top.take_table("units").take_number("M", 1) == 1
    with pytest.raises(UserError, match=r"the key name is missing"):
        top.take("name", str)
    assert top.take("name", str, "another") == "another"


def test_an_error_names_the_line_of_its_key_and_its_tables() -> None:
    units = table().take_table("units")
    assert str(units.wrong("M", "is odd")) == "mine.toml:3: units.M is odd"
    lost = table().take_table("fights").take_table("lost")
    assert str(lost.wrong("factor", "is odd")) == "mine.toml:6: fights.lost.factor is odd"


def test_a_missing_key_is_reported_at_the_header_of_its_table() -> None:
    with pytest.raises(UserError, match=r"mine\.toml:2: the key units\.K is missing"):
        table().take_table("units").take("K", int)
    with pytest.raises(UserError, match=r"mine\.toml: the key cards is missing"):
        table().take("cards", int)


def test_a_key_that_was_not_read_is_unknown() -> None:
    units = table().take_table("units")
    units.take("M", int)
    with pytest.raises(UserError, match=r"mine\.toml:4: units\.'odd key' is not a key that"):
        units.end()
    units.end(retired=("units.'odd key'", "units.never_there"))


def test_true_is_not_a_number_and_a_table_is_not_a_text() -> None:
    top = TomlTable.parse("a.toml", "yes = true\n[inner]\n")
    with pytest.raises(UserError, match=r"a\.toml:1: yes must be a whole number, not true"):
        top.take("yes", int)
    with pytest.raises(UserError, match=r"a\.toml:2: inner must be a text in quotes, not a table"):
        top.take("inner", str)


@pytest.mark.parametrize("value", [f"{2**63}", f"[[1, {-(2**64)}]]", f"[{{ a = {2**100} }}]"])
def test_numbers_of_more_than_64_bits_are_refused_wherever_they_are(value: str) -> None:
    top = TomlTable.parse("a.toml", f"x = {value}")
    with pytest.raises(UserError, match=r"x contains a number longer than 64 bits"):
        top.take("x", list)


def test_the_largest_number_is_accepted() -> None:
    assert TomlTable.parse("a.toml", f"x = {2**63 - 1}").take("x", int) == 2**63 - 1


def test_nesting_that_is_too_deep_is_one_sentence() -> None:
    with pytest.raises(UserError, match="not valid TOML: it is nested too deeply"):
        TomlTable.parse("a.toml", "x = " + "[" * 100_000)
