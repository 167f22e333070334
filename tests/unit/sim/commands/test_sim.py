"""The options of ``tellerbox sim``, and the ledger that it opens."""

from pathlib import Path

import pytest

from tests.unit.command_line import type_into_sim

pytestmark = pytest.mark.usefixtures("home")


def test_each_edition_has_its_own_ledger(home: Path) -> None:
    type_into_sim("insert left 1", "press 2M")
    output = type_into_sim(
        "insert left 8", "wait 1s", "expect screen 1500", options=("--edition", "europe")
    )
    assert output.status == 0, output.err
    assert sorted(path.name for path in (home / ".local/state/tellerbox").glob("*.db")) == [
        "ledger-europe.db",
        "ledger.db",
    ]


def test_another_edition_waits_for_the_next_new_game(tmp_path: Path) -> None:
    ledger = tmp_path / "l.db"
    type_into_sim("insert left 1", "press 2M", options=("--ledger", ledger))
    output = type_into_sim(
        "insert left 1",
        "expect balance 1 17M",
        "hold C 3s",
        "expect balance 1 1500M",
        options=("--ledger", ledger, "--edition", "europe"),
    )
    assert "a game of edition banking is going on; the next new game will be europe" in output.err
    assert "screen 1500" in output.out


def test_untouched_game_is_replaced_by_another_edition(tmp_path: Path) -> None:
    ledger = tmp_path / "l.db"
    type_into_sim(options=("--ledger", ledger))
    output = type_into_sim(
        "expect balance 1 1500", options=("--ledger", ledger, "--edition", "europe")
    )
    assert output.status == 0, output.err
    type_into_sim("insert left 1", "press 10M", options=("--ledger", ledger))
    output = type_into_sim("expect balance 1 1500", options=("--ledger", ledger, "--new-game"))
    assert output.status == 0, output.err


def test_sim_without_known_cards(tmp_path: Path) -> None:
    output = type_into_sim(
        "insert left 4",
        "expect card 1",
        "expect message NEW CARD",
        options=("--ledger", tmp_path / "l.db", "--cards", "none"),
    )
    assert output.status == 0, output.err


def test_command_line_overrides_the_config_file(tmp_path: Path) -> None:
    config = tmp_path / "box.toml"
    config.write_text(f'edition = "disney"\nledger = "{tmp_path}/d.db"\n')
    assert (
        f"edition disney, ledger {tmp_path}/d.db" in type_into_sim(options=("--config", config)).out
    )
    output = type_into_sim(
        options=("--config", config, "--edition", "france98", "--ledger", tmp_path / "f")
    )
    assert "edition france98" in output.out
    config.write_text("edition = 7\n")
    output = type_into_sim(options=("--config", config))
    assert output.status == 1
    assert output.err == f"tellerbox: {config}:1: edition must be a text in quotes, not 7\n"


def test_refused_ledger_shows_on_the_screen(tmp_path: Path) -> None:
    bad = tmp_path / "bad.db"
    bad.write_text("not a ledger at all, just some words in a file")
    output = type_into_sim(options=("--ledger", bad))
    assert output.status == 1
    assert output.err == f"tellerbox: {bad}: this is not a ledger; it was left untouched\n"
    assert "█" in output.out
    assert "Traceback" not in output.err
