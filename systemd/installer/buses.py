"""SPI and I²C of the Pi: switched on for the next start and, where it can be, at once."""

import shutil
import time
from pathlib import Path

from systemd.installer import boot_config, commands, files, places
from systemd.installer.report import Trouble, changed, note

SPI = (Path("/dev/spidev0.0"), Path("/dev/spidev0.1"))
I2C = Path("/dev/i2c-1")
PATIENCE = 5.0
"""Seconds until a device file is there, and its group with it."""
DRIVERS = ("i2c-dev", "spidev")
"""The unit can only allow a device whose driver is there; so they are loaded at every start."""


def switch_on() -> None:
    if files.put(places.MODULES, "".join(f"{name}\n" for name in DRIVERS).encode()):
        changed(f"the drivers {', '.join(DRIVERS)} are loaded at every start: {places.MODULES}")
    config = _config()
    if config is None:
        note("there is no config.txt: this is not a Raspberry Pi; SPI and I2C stay as they are")
        return
    text = _text(config)
    wanted = boot_config.with_buses(text)
    fast_already = not any("baudrate" in line for line in boot_config.missing(text))
    was_on = I2C.exists()
    if files.put(config, wanted.encode(errors="surrogateescape"), config.stat().st_mode & 0o777):
        added = boot_config.missing(boot_config.without_buses(text))
        changed(f"{config}: added {', '.join(added)}" if added else f"{config}: took our lines out")
    _apply()
    if not _all_there() or (was_on and not fast_already):
        note("SPI and I2C are ready after a restart: sudo reboot")


def leave() -> None:
    """Take our lines out of the boot configuration."""
    config = _config()
    if config is not None:
        text = boot_config.without_buses(_text(config)).encode(errors="surrogateescape")
        if files.put(config, text, config.stat().st_mode & 0o777):
            changed(f"{config}: took our lines out; the buses rest from the next start on")
    if places.MODULES.exists():
        places.MODULES.unlink()
        changed(f"removed {places.MODULES}")


def _config() -> Path | None:
    # The real one, where one is a link to the other.
    return next((path.resolve() for path in places.BOOT_CONFIGS if path.is_file()), None)


def _text(config: Path) -> str:
    try:
        return config.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise Trouble(f"{config} cannot be read: {error.strerror}") from error


def _all_there() -> bool:
    return all(path.exists() for path in (*SPI, I2C))


def _apply() -> None:
    """Without a restart, where the Pi's own tool is there; what it cannot do, a restart does."""
    if _all_there():
        return
    if not all(path.exists() for path in SPI):
        commands.succeeds("dtparam", "spi=on")
    if not I2C.exists():
        commands.succeeds("dtparam", "i2c_arm=on", f"i2c_arm_baudrate={boot_config.FAST}")
    for driver in DRIVERS:
        commands.succeeds("modprobe", driver)
    if shutil.which("dtparam"):
        end = time.monotonic() + PATIENCE
        while not _all_there() and time.monotonic() < end:
            time.sleep(0.2)
