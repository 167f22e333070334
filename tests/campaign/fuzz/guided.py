"""Fuzz one target with atheris: ``python -m tests.campaign.fuzz.guided TARGET [OPTION|FOLDER
...]``.

atheris tracks the branches of our code that an input reaches, and continues from inputs that
reach new ones. The arguments after the target are libFuzzer's. It never returns.
"""

import sys

import atheris

from tests.campaign.fuzz import targets


def main() -> None:
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["firmware", "hal", "sim", "tomllib", "aiohttp"]):
        target = targets.load(name)
    atheris.Setup([*sys.argv, f"-max_len={target.longest}"], target.fuzz_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
