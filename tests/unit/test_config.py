from pathlib import Path

import pytest

from firmware import config
from firmware.mistake import Mistake


def test_settings(tmp_path: Path) -> None:
    path = tmp_path / "tellerbox.toml"
    path.write_text('edition = "europe"\nledger = "/var/lib/x.db"\n')
    assert config.load(path) == config.Config("europe", Path("/var/lib/x.db"))
    path.write_text("")
    assert config.load(path) == config.Config()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("editon = 'europe'", ":1: editon is not a key that Tellerbox knows"),
        ("\nedition = 3", ":2: edition must be a text in quotes, not 3"),
        ("edition = ", "is not valid TOML"),
        ('ledger = "a\\u0000b"', ":1: ledger must not hold a NUL character"),
    ],
)
def test_a_bad_config_names_file_line_and_key(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "tellerbox.toml"
    path.write_text(text)
    with pytest.raises(Mistake) as caught:
        config.load(path)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)


def test_a_config_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read: No such file"):
        config.load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"edition = '\xe9'")
    with pytest.raises(Mistake, match="not a UTF-8 text"):
        config.load(tmp_path / "latin.toml")
