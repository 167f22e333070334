"""Edits the text of the Pi's ``config.txt``: our block enables the buses.

The block holds only settings that the rest of the file lacks. Settings in sections for
single models, such as ``[pi4]``, do not count.
"""

import re
from collections.abc import Iterator

BEGIN = "# Tellerbox: begin; `make uninstall` takes these lines away again"
END = "# Tellerbox: end"
I2C_HERTZ = 400_000
"""At the default of 100 000, drawing the screen delays the keys."""

_BLOCK = re.compile(rf"\n?{re.escape(BEGIN)}\n(.*?){re.escape(END)}\n?", re.DOTALL)
_SECTION = re.compile(r"\s*\[(.*?)\]")
_SPEEDS = ("i2c_baudrate", "i2c_arm_baudrate", "i2c1_baudrate")
_I2C = ("i2c", "i2c_arm", "i2c1")


def with_buses(text: str) -> str:
    """Return the text with every bus enabled that the box needs."""
    own = without_buses(text)
    lines = missing(own)
    if not lines:
        return own
    if _last_section(own) != "all":
        lines.insert(0, "[all]")
    ended = own if own.endswith("\n") or not own else own + "\n"
    return f"{ended}\n{BEGIN}\n" + "".join(f"{line}\n" for line in lines) + f"{END}\n"


def without_buses(text: str) -> str:
    """Return the text without our block.

    If the block ended a section with ``[all]``, that line stays for the lines after it.
    """
    found = _BLOCK.search(text)
    if not found:
        return text
    before, after = text[: found.start()], text[found.end() :]
    if "[all]" in found[1] and after.strip() and not _SECTION.match(after.lstrip()):
        return f"{before}[all]\n{after}"
    return before + after


def missing(text: str) -> list[str]:
    """Return the lines that the text lacks."""
    values = dict(_parameters(text))
    lines = []
    if not _is_on(values.get("spi")):
        lines.append("dtparam=spi=on")
    if not _is_on(values.get("i2c_arm")):
        lines.append("dtparam=i2c_arm=on")
    speed = values.get("i2c_arm_baudrate", "0")
    if not speed.isdigit() or int(speed) < I2C_HERTZ:
        lines.append(f"dtparam=i2c_arm_baudrate={I2C_HERTZ}")
    return lines


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of each parameter that applies to every model, in file order."""
    section = "all"
    for line in text.splitlines():
        setting = line.partition("#")[0].strip()
        if header := _SECTION.match(setting):
            section = header[1].strip().lower()
        elif section == "all" and setting.startswith("dtparam="):
            for part in setting.removeprefix("dtparam=").split(","):
                name, _, value = part.strip().partition("=")
                yield _canonical(name.strip()), value.strip()


def _canonical(name: str) -> str:
    if name in _SPEEDS:
        return "i2c_arm_baudrate"
    return "i2c_arm" if name in _I2C else name


def _is_on(value: str | None) -> bool:
    """A parameter without a value is on."""
    return value is not None and value.lower() in ("", "on", "yes", "true", "1", "okay")


def _last_section(text: str) -> str:
    headers = [_SECTION.match(line) for line in text.splitlines()]
    names = [header[1].strip().lower() for header in headers if header]
    return names[-1] if names else "all"
