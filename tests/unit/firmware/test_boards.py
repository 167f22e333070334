"""The registry of boards: names, and modules that exist and have what a command calls."""

import argparse

import pytest

from firmware import boards

FUNCTIONS = {"run": "opened", "selftest": "selftest", "play": "for_script", "sim": "on_page"}


@pytest.mark.parametrize(
    ("board", "command"),
    [(board, command) for board, modules in boards.BOARDS.items() for command in modules],
)
def test_each_module_has_the_function_of_its_command(board: str, command: str) -> None:
    assert callable(getattr(boards.module_of(board, command), FUNCTIONS[command]))


def test_a_command_offers_the_boards_on_which_it_works() -> None:
    assert {command: boards.names(command) for command in FUNCTIONS} == {
        "run": ["pi", "virtual"],
        "selftest": ["pi", "virtual"],
        "play": ["software", "virtual"],
        "sim": ["software", "virtual"],
    }


@pytest.mark.parametrize("words", [[], ["--board", "software"], ["--board", "sim"]])
def test_the_software_board_still_answers_to_its_former_name(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    boards.add_option(parser, "play", "the board")
    assert parser.parse_args(words).board == "software"
