"""The options of ``pytest tests/hil``; ``tests/conftest.py`` registers them for every run."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("box", "the box at the other end")
    group.addoption(
        "--box",
        metavar="URL",
        help="where it is: sim:, virtual:, pi:, a device, or a pyserial URL "
        "(default: virtual: with --skip-waits)",
    )
    group.addoption("--baud", metavar="N", type=int, default=115200, help="the line's speed")
    group.addoption("--box-config", metavar="FILE", help="of a box that is started here")
    group.addoption("--by-hand", action="store_true", help="tell a person what to do at the box")
    group.addoption("--report", metavar="FILE", help="write the report of a run by hand there")
    group.addoption("--skip-waits", action="store_true", help="let the bank's time jump in waits")
    group.addoption(
        "--longest-wait",
        metavar="SECONDS",
        type=float,
        help="leave out scripts that wait for longer than this in all",
    )
    group.addoption("--scripts", metavar="GLOB", help="which of tests/scenarios (default: all)")
