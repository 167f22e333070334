"""Paths in the checkout and on the Pi."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

HOME = Path("/opt/tellerbox")
CONFIG = Path("/etc/tellerbox.toml")
UNIT = Path("/etc/systemd/system/tellerbox.service")
DROP_INS = Path("/etc/systemd/system/tellerbox.service.d")
COMMAND = Path("/usr/local/bin/tellerbox")
MODULES = Path("/etc/modules-load.d/tellerbox.conf")
LEDGERS = Path("/var/lib/tellerbox")
LOCK = Path("/run/tellerbox-installer.lock")
USER = "tellerbox"
GROUPS = ("gpio", "spi", "i2c")
BOOT_CONFIGS = (Path("/boot/firmware/config.txt"), Path("/boot/config.txt"))
