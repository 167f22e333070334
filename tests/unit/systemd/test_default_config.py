"""The config file that is installed: every setting as a comment, and what it says is so."""

import re
import tomllib
from pathlib import Path

from firmware import config
from firmware.edition import DEFAULT
from firmware.house import House
from hal.language import Language
from hal.wiring import SCREEN_CHIPS, Wiring

FILE = Path(__file__).parents[2] / "systemd/tellerbox.toml"


def uncommented() -> str:
    """A setting has its # right before it; a remark has a space in between."""
    return re.sub(r"^#(?=\S)", "", FILE.read_text(), flags=re.MULTILINE)


def test_as_it_is_installed_it_changes_nothing() -> None:
    assert config.load(FILE) == config.Config()


def test_with_every_setting_it_says_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "tellerbox.toml"
    path.write_text(uncommented())
    assert config.load(path) == config.Config(
        DEFAULT, Path("/var/lib/tellerbox/box.db"), Language.ENGLISH, House(), Wiring()
    )


def test_every_setting_is_in_it() -> None:
    table = tomllib.loads(uncommented())
    said = {key for key, value in table.items() if not isinstance(value, dict)}
    inner = [key for value in table.values() if isinstance(value, dict) for key in value]
    assert said == {*config.Config._fields, "pot", "undo"} - {"wiring", "house"}
    assert len(inner) == len(set(inner)) == len(Wiring._fields)


def test_each_setting_is_explained_right_above_it() -> None:
    lines = FILE.read_text().splitlines()
    settings = [number for number, line in enumerate(lines) if re.match(r"#\S", line)]
    assert len(settings) == 5 + len(Wiring._fields)
    assert all(lines[number - 1].startswith("# ") for number in settings)


def test_it_names_the_screens_and_where_the_service_may_write() -> None:
    text = FILE.read_text()
    assert f"messages: {', or '.join(language.value for language in Language)}." in text
    assert all(chip in text for chip in SCREEN_CHIPS)
    assert "can write below /var/lib/tellerbox, and nowhere else" in text
