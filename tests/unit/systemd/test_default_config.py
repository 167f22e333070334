"""The installed config file lists every setting as a comment, with its default."""

import re
import tomllib
from pathlib import Path

from firmware import config
from firmware.bank.edition import DEFAULT
from firmware.bank.house_rules import HouseRules
from hal.display.messages import Language
from hal.wiring import READER_CHIPS, SCREEN_CHIPS, Wiring

FILE = Path(__file__).parents[3] / "systemd/tellerbox.toml"


def uncommented() -> str:
    """Uncomment the settings: they follow the # at once, remarks after a space."""
    return re.sub(r"^#(?=\S)", "", FILE.read_text(), flags=re.MULTILINE)


def test_the_installed_file_changes_nothing() -> None:
    assert config.load(FILE) == config.Config()


def test_the_commented_values_are_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "tellerbox.toml"
    path.write_text(uncommented())
    assert config.load(path) == config.Config(
        DEFAULT, Path("/var/lib/tellerbox/box.db"), Language.ENGLISH, HouseRules(), Wiring()
    )


def test_every_setting_is_listed() -> None:
    table = tomllib.loads(uncommented())
    outer = {key for key, value in table.items() if not isinstance(value, dict)}
    inner = [key for value in table.values() if isinstance(value, dict) for key in value]
    assert outer == {*config.Config._fields, "pot", "undo"} - {"wiring", "house"}
    assert len(inner) == len(Wiring._fields)


def test_a_comment_above_each_setting_explains_it() -> None:
    lines = FILE.read_text().splitlines()
    settings = [number for number, line in enumerate(lines) if re.match(r"#\S", line)]
    assert len(settings) == 5 + len(Wiring._fields)
    assert all(lines[number - 1].startswith("# ") for number in settings)


def test_it_names_the_languages_the_chips_and_the_writable_folder() -> None:
    text = FILE.read_text()
    assert f"messages: {', or '.join(language.value for language in Language)}." in text
    assert all(chip in text for chip in (*READER_CHIPS, *SCREEN_CHIPS))
    assert "can write only below /var/lib/tellerbox" in text
