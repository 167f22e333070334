"""Adding and removing our lines in the Pi's config.txt."""

import pytest

from systemd.installer.boot_config import BEGIN, END, missing, with_buses, without_buses

SPI = "dtparam=spi=on"
I2C = "dtparam=i2c_arm=on"
SPEED = "dtparam=i2c_arm_baudrate=400000"
ALL = [SPI, I2C, SPEED]

DEFAULT = """\
# For more options and information see
# http://rptl.io/configtxt
#dtparam=i2c_arm=on
#dtparam=spi=on

dtparam=audio=on
dtoverlay=vc4-kms-v3d

[cm5]
dtoverlay=dwc2,dr_mode=host

[all]
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ALL),
        (DEFAULT, ALL),
        ("dtparam=spi=on\n", [I2C, SPEED]),
        ("dtparam=spi=on,i2c_arm=on,i2c_arm_baudrate=400000\n", []),
        ("dtparam=spi\ndtparam=i2c\ndtparam=i2c_baudrate=1000000\n", []),
        ("dtparam=spi=on\ndtparam=spi=off\n", ALL),
        ("dtparam=i2c_arm=on # the screen\n", [SPI, SPEED]),
        ("dtparam=i2c1=on\ndtparam=i2c1_baudrate=100000\n", [SPI, SPEED]),
        ("dtparam=i2c_arm_baudrate=fast\n", ALL),
        ("[pi4]\ndtparam=spi=on\n[all]\ndtparam=i2c_arm=on\n", [SPI, SPEED]),
        (" [ALL] \n dtparam=spi=on\n", [I2C, SPEED]),
    ],
)
def test_missing_lines(text: str, lines: list[str]) -> None:
    assert missing(text) == lines


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dtparam=audio=on",
        DEFAULT,
        "[pi4]\narm_boost=1\n",
        "dtparam=spi=on\n",
        "dtparam=spi=on,i2c_arm=on,i2c_arm_baudrate=400000\n",
        "# caf\udce9\r\ndtparam=spi=on\r\n",
    ],
)
def test_adding_is_complete_idempotent_and_reversible(text: str) -> None:
    once = with_buses(text)
    assert missing(once) == []
    assert with_buses(once) == once
    assert without_buses(once) in (text, text + "\n")
    assert once.startswith(text)


def test_a_section_for_one_model_ends_before_our_lines() -> None:
    assert with_buses("[pi4]\narm_boost=1\n") == "\n".join(
        ["[pi4]", "arm_boost=1", "", BEGIN, "[all]", *ALL, END, ""]
    )
    assert "[all]" not in with_buses("arm_boost=1\n")


def test_lines_after_ours_still_apply_to_all_models() -> None:
    text = with_buses("[pi4]\narm_boost=1\n") + "gpu_mem=16\n"
    assert without_buses(text) == "[pi4]\narm_boost=1\n[all]\ngpu_mem=16\n"
    text = with_buses("[pi4]\narm_boost=1\n") + "[pi5]\ngpu_mem=16\n"
    assert without_buses(text) == "[pi4]\narm_boost=1\n[pi5]\ngpu_mem=16\n"


def test_our_lines_yield_to_the_same_lines_outside_the_block() -> None:
    text = with_buses("") + "dtparam=spi=on\n"
    assert SPI not in with_buses(text).partition(BEGIN)[2]
    assert missing(with_buses(text)) == []


def test_our_lines_are_repaired_when_they_were_changed() -> None:
    text = with_buses("").replace(SPI, "dtparam=spi=off")
    assert with_buses(text) == with_buses("")
