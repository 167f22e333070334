"""The system packages that the virtual environment and the compiler need."""

import sys

from systemd.installer import commands
from systemd.installer.report import InstallError, changed

NEEDED = (
    "python3-venv",
    # spidev is always compiled.
    *("gcc", "libc6-dev", "python3-dev"),
    # lgpio has no wheels for Python 3.13 and later.
    *(("swig",) if sys.version_info >= (3, 13) else ()),
)


def install() -> None:
    missing = [name for name in NEEDED if not _is_installed(name)]
    if not missing:
        return
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    names = ", ".join(missing)
    # A half-configured package blocks every later installation.
    if commands.output("dpkg", "--audit"):
        commands.run_long("completing an interrupted dpkg run", "dpkg", "--configure", "-a")
    try:
        commands.run_long("updating the package lists", "apt-get", "-q", "update")
        # A new system may still hold the lock for its own updates.
        wait = ("-o", "DPkg::Lock::Timeout=300")
        command = ("apt-get", "-qy", *wait, "--no-install-recommends", "install", *missing)
        commands.run_long(f"installing the system packages {names}", *command, settings=quiet)
    except commands.Failed as failure:
        raise InstallError(f"cannot install the system packages {names}: {failure}") from failure
    changed(f"installed the system packages {names}")


def _is_installed(name: str) -> bool:
    return commands.output("dpkg-query", "-W", "-f", "${db:Status-Status}", name) == "installed"
