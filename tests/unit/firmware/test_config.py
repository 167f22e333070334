"""The config file: its settings, and the errors for invalid ones."""

from pathlib import Path

import pytest

from firmware import config
from firmware.user_error import UserError
from hal.display.messages import Language
from hal.wiring import READER_CHIPS, SCREEN_CHIPS, Wiring


def test_settings(tmp_path: Path) -> None:
    path = tmp_path / "tellerbox.toml"
    path.write_text('edition = "europe"\nledger = "/var/lib/x.db"\n')
    assert config.load(path) == config.Config("europe", Path("/var/lib/x.db"))
    path.write_text('ledger = "kept/here.db"')
    assert config.load(path).ledger == tmp_path / "kept" / "here.db"
    path.write_text('ledger = "~/game.db"')
    assert config.load(path).ledger == Path.home() / "game.db"
    path.write_text('language = "fr"')
    assert config.load(path) == config.Config(language=Language.FRENCH)
    path.write_text("")
    assert config.load(path) == config.Config()
    path.write_text("[pins]\nbuzzer = 17\nrows = [22, 23, 26, 27]\n[screen]\nchip = 'sh1106'\n")
    assert config.load(path).wiring == Wiring(
        buzzer=17, rows=(22, 23, 26, 27), screen_chip="sh1106"
    )
    path.write_text("[left_reader]\nchip = 'mfrc522'\n[right_reader]\n")
    assert config.load(path) == config.Config()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("editon = 'europe'", ":1: editon is not a key that Tellerbox knows"),
        ("\nedition = 3", ":2: edition must be a text in quotes, not 3"),
        ("edition = ", "is not valid TOML"),
        ("\nlanguage = 'de'", ":2: language must be one of en, fr, not 'de'"),
        ("language = 'FR'", ":1: language must be one of en, fr, not 'FR'"),
        ("language = ''", ":1: language must be one of en, fr, not ''"),
        ("language = 2", ":1: language must be a text in quotes, not 2"),
        ("[pins]\nbuzer = 3", ":2: pins.buzer is not a key that Tellerbox knows"),
        ("[pins]\nbuzzer = '3'", ":2: pins.buzzer must be a whole number, not '3'"),
        ("[pins]\nbuzzer = 5", ":2: pins.buzzer puts the buzzer on GPIO 5, where keypad row 1 is"),
        ("[pins]\nleft_reset = 8", "the left reader reset on GPIO 8, where SPI0 CE0 is"),
        ("[pins]\nright_reset = 99", "on GPIO 99, which is not on the header"),
        ("[pins]\nrows = [5, 6, 13]", ":2: pins.rows must be a list of four pins"),
        ("[pins]\nrows = [5, 6, 13, 'x']", ":2: pins.rows must be a list of four pins"),
        ("[pins]\ncolumns = [12, 16, 20, 20]", "keypad column 4 on GPIO 20, where keypad column 3"),
        ("[buses]\nspi = 2", ":2: buses.spi must be one of 0, 1, not 2"),
        ("[buses]\ni2c = '1'", ":2: buses.i2c must be a whole number, not '1'"),
        ("[buses]\ni2s = 1", ":2: buses.i2s is not a key that Tellerbox knows"),
        ("[buses]\nspi = 1", ":2: buses.spi puts the SPI1 MISO on GPIO 19, where keypad row 4 is"),
        ("\n[pins]\nleft_reset = 24", ":3: pins.left_reset puts the left reader reset on GPIO 24"),
        ("[pins]\nrows = [12, 22, 23, 27]", ":2: pins.rows puts the keypad row 1 on GPIO 12"),
        ("[buses]\ni2c = 3", ":2: buses.i2c must be one of 0, 1, not 3"),
        (
            "[screen]\nchip = 'SSD1306'",
            f":2: screen.chip must be one of {', '.join(SCREEN_CHIPS)}, not 'SSD1306'",
        ),
        (
            "[left_reader]\nchip = 'rc522'",
            f":2: left_reader.chip must be one of {', '.join(READER_CHIPS)}, not 'rc522'",
        ),
        ("\n[right_reader]\nchip = 1", ":3: right_reader.chip must be a text in quotes, not 1"),
        ("[left_reader]\nship = 1", ":2: left_reader.ship is not a key that Tellerbox knows"),
        ("[screen]\naddress = 0x80", ":2: screen.address must be from 0x08 to 0x77, not 0x80"),
        ('ledger = "a\\u0000b"', ":1: ledger must not contain a NUL character"),
    ],
)
def test_a_bad_config_names_file_line_and_key(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "tellerbox.toml"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        config.load(path)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)


def test_a_config_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        config.load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"edition = '\xe9'")
    with pytest.raises(UserError, match="not a UTF-8 text"):
        config.load(tmp_path / "latin.toml")
