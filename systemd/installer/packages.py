"""The system's packages: what a virtual environment and the compiler need."""

import sys

from systemd.installer import commands
from systemd.installer.report import Trouble, changed

NEEDED = (
    "python3-venv",
    # spidev is compiled everywhere,
    *("gcc", "libc6-dev", "python3-dev"),
    # and lgpio where no wheel of it is: from Python 3.13 on.
    *(("swig",) if sys.version_info >= (3, 13) else ()),
)


def install() -> None:
    missing = [name for name in NEEDED if not _is_installed(name)]
    if not missing:
        return
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    names = ", ".join(missing)
    # A package that was cut off in the middle stops every later one.
    if commands.ask("dpkg", "--audit"):
        commands.run_long("completing what dpkg had begun", "dpkg", "--configure", "-a")
    try:
        commands.run_long("asking for the list of packages", "apt-get", "-q", "update")
        # A new system may still be busy with itself.
        patient = ("-o", "DPkg::Lock::Timeout=300")
        words = ("apt-get", "-qy", *patient, "--no-install-recommends", "install", *missing)
        commands.run_long(f"installing the system packages {names}", *words, settings=quiet)
    except commands.Failed as failure:
        raise Trouble(f"the system packages {names} could not be installed: {failure}") from failure
    changed(f"installed the system packages {names}")


def _is_installed(name: str) -> bool:
    return commands.ask("dpkg-query", "-W", "-f", "${db:Status-Status}", name) == "installed"
