"""One target under atheris: ``python -m tests.fuzz.guided TARGET [options and folders]``.

atheris watches which branches of our own code an input reaches, and goes on from those that
reach new ones. What follows the target's name is libFuzzer's own, and it never returns.
"""

import sys

import atheris

from tests.fuzz import targets


def main() -> None:
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["firmware", "hal", "sim", "tomllib", "aiohttp"]):
        target = targets.load(name)
    atheris.Setup([*sys.argv, f"-max_len={target.longest}"], target.fuzz_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
