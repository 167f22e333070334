"""Enables SPI and I²C at boot and, where possible, at once."""

import shutil
import time
from pathlib import Path

from systemd.installer import boot_config, commands, files, places
from systemd.installer.report import InstallError, changed, info

SPI = (Path("/dev/spidev0.0"), Path("/dev/spidev0.1"))
I2C = Path("/dev/i2c-1")
DEVICE_TIMEOUT = 5.0
"""Seconds to wait for the device files."""
DRIVERS = ("i2c-dev", "spidev")
"""Loaded at boot, because the unit can only allow devices whose driver is loaded."""


def enable() -> None:
    if files.write(places.MODULES, "".join(f"{name}\n" for name in DRIVERS).encode()):
        changed(f"{places.MODULES}: the drivers {', '.join(DRIVERS)} are loaded at boot")
    config = _config()
    if config is None:
        info("no config.txt, so not a Raspberry Pi: SPI and I2C stay as they are")
        return
    text = _read(config)
    wanted = boot_config.with_buses(text)
    fast_already = not any("baudrate" in line for line in boot_config.missing(text))
    was_on = I2C.exists()
    if files.write(config, wanted.encode(errors="surrogateescape"), config.stat().st_mode & 0o777):
        added = boot_config.missing(boot_config.without_buses(text))
        changed(f"{config}: added {', '.join(added)}" if added else f"{config}: removed our lines")
    _apply()
    if not _devices_exist() or (was_on and not fast_already):
        info("SPI and I2C are ready after a reboot: sudo reboot")


def remove() -> None:
    """Remove our lines from the boot configuration."""
    config = _config()
    if config is not None:
        text = boot_config.without_buses(_read(config)).encode(errors="surrogateescape")
        if files.write(config, text, config.stat().st_mode & 0o777):
            changed(f"{config}: removed our lines; the buses are off after a reboot")
    if places.MODULES.exists():
        places.MODULES.unlink()
        changed(f"removed {places.MODULES}")


def _config() -> Path | None:
    # One may be a link to the other.
    return next((path.resolve() for path in places.BOOT_CONFIGS if path.is_file()), None)


def _read(config: Path) -> str:
    try:
        return config.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InstallError(f"cannot read {config}: {error.strerror}") from error


def _devices_exist() -> bool:
    return all(path.exists() for path in (*SPI, I2C))


def _apply() -> None:
    """Enable the buses without a reboot, as far as the Pi's ``dtparam`` tool can."""
    if _devices_exist():
        return
    if not all(path.exists() for path in SPI):
        commands.succeeds("dtparam", "spi=on")
    if not I2C.exists():
        commands.succeeds("dtparam", "i2c_arm=on", f"i2c_arm_baudrate={boot_config.I2C_HERTZ}")
    for driver in DRIVERS:
        commands.succeeds("modprobe", driver)
    if shutil.which("dtparam"):
        deadline = time.monotonic() + DEVICE_TIMEOUT
        while not _devices_exist() and time.monotonic() < deadline:
            time.sleep(0.2)
