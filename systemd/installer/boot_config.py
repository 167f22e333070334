"""The Pi's ``config.txt`` as a text: which buses it switches on, and our block in it.

What somebody else has switched on already stays theirs; the block holds only the rest.
A line counts only outside the sections for single models, such as ``[pi4]``.
"""

import re
from collections.abc import Iterator

BEGIN = "# Tellerbox: begin; `make uninstall` takes these lines away again"
END = "# Tellerbox: end"
FAST = 400_000
"""Hertz of the I²C bus: at the default of 100 000, keys wait while the screen is drawn."""

_BLOCK = re.compile(rf"\n?{re.escape(BEGIN)}\n(.*?){re.escape(END)}\n?", re.DOTALL)
_SECTION = re.compile(r"\s*\[(.*?)\]")
_SPEEDS = ("i2c_baudrate", "i2c_arm_baudrate", "i2c1_baudrate")
_I2C = ("i2c", "i2c_arm", "i2c1")


def with_buses(text: str) -> str:
    """The text with all that the box needs switched on."""
    own = without_buses(text)
    lines = missing(own)
    if not lines:
        return own
    if _last_section(own) != "all":
        lines.insert(0, "[all]")
    ended = own if own.endswith("\n") or not own else own + "\n"
    return f"{ended}\n{BEGIN}\n" + "".join(f"{line}\n" for line in lines) + f"{END}\n"


def without_buses(text: str) -> str:
    """The text without our block.

    What somebody has written behind it must not fall into a section that ended there.
    """
    found = _BLOCK.search(text)
    if not found:
        return text
    before, behind = text[: found.start()], text[found.end() :]
    if "[all]" in found[1] and behind.strip() and not _SECTION.match(behind.lstrip()):
        return f"{before}[all]\n{behind}"
    return before + behind


def missing(text: str) -> list[str]:
    """The lines that are not there yet."""
    values = dict(_parameters(text))
    lines = []
    if not _is_on(values.get("spi")):
        lines.append("dtparam=spi=on")
    if not _is_on(values.get("i2c_arm")):
        lines.append("dtparam=i2c_arm=on")
    speed = values.get("i2c_arm_baudrate", "0")
    if not speed.isdigit() or int(speed) < FAST:
        lines.append(f"dtparam=i2c_arm_baudrate={FAST}")
    return lines


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    """Name and value of each parameter that holds for every Pi; the last one counts."""
    section = "all"
    for line in text.splitlines():
        stated = line.partition("#")[0].strip()
        if header := _SECTION.match(stated):
            section = header[1].strip().lower()
        elif section == "all" and stated.startswith("dtparam="):
            for part in stated.removeprefix("dtparam=").split(","):
                name, _, value = part.strip().partition("=")
                yield _usual(name.strip()), value.strip()


def _usual(name: str) -> str:
    if name in _SPEEDS:
        return "i2c_arm_baudrate"
    return "i2c_arm" if name in _I2C else name


def _is_on(value: str | None) -> bool:
    """A parameter without a value is on, too."""
    return value is not None and value.lower() in ("", "on", "yes", "true", "1", "okay")


def _last_section(text: str) -> str:
    headers = [_SECTION.match(line) for line in text.splitlines()]
    names = [header[1].strip().lower() for header in headers if header]
    return names[-1] if names else "all"
