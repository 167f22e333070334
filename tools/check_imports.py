"""Checks who imports whom, so that the bank never depends on a board.

The firmware imports protocols from ``hal``, never a driver and never ``sim``.
``hal`` imports nothing from ``firmware`` or ``sim``. ``sim`` may import both. But the model of
the bank in ``sim/storm/model`` imports nothing of any of them: it says what must be true.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FORBIDDEN = {
    "firmware": ("sim", "hal.pi", "hal.console"),
    "hal": ("firmware", "sim"),
}
PI_PACKAGES = ("gpiozero", "RPi", "lgpio", "mfrc522", "luma", "spidev", "smbus2", "serial")
"""Only the drivers, the console, and what runs the drivers on models may import these."""
MAY_USE_PI_PACKAGES = ("hal/pi/", "hal/console", "sim/pi_on_chips.py")
MODEL = "sim.storm.model"
OUR_OWN = ("firmware", "hal", "sim", "tests", "tools")


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, with the line; relative imports are not used here."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def is_ours(module: str) -> bool:
    return any(within(module, package) for package in OUR_OWN)


def offences(root: Path) -> Iterator[str]:
    for package in ("firmware", "hal", "sim"):
        for file in sorted((root / package).rglob("*.py")):
            name = file.relative_to(root).as_posix()
            forbidden = FORBIDDEN.get(package, ())
            if not name.startswith(MAY_USE_PI_PACKAGES):
                forbidden += PI_PACKAGES
            is_model = name.startswith(MODEL.replace(".", "/") + "/")
            for line, module in imports(file):
                if any(within(module, no) for no in forbidden) or module.startswith("."):
                    yield f"{name}:{line}: {package} may not import {module}"
                elif is_model and is_ours(module) and not within(module, MODEL):
                    yield f"{name}:{line}: the model may not import {module}"


def main() -> int:
    found = list(offences(Path(__file__).parent.parent))
    for offence in found:
        print(offence, file=sys.stderr)
    print(f"imports: {len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
