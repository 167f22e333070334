"""Fixtures with the arm64 tree; where it is not available tests are skipped, but not in CI."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.pi import tree
from tests.pi.rights import Unavailable

TIMEOUT = 1200
"""Seconds: some tests build, install or boot for the others, and everything is emulated."""

WORKERS = 2
"""Each installs the box once and runs half of the tests on it."""


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    worker = 0
    for item in (item for item in items if here in item.path.parents):
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TIMEOUT))
        fixtures = getattr(item, "fixturenames", ())
        if "box" in fixtures:
            item.add_marker(pytest.mark.xdist_group("boot"))  # they share one machine
        elif "installed" in fixtures:
            worker = worker % WORKERS + 1
            item.add_marker(pytest.mark.xdist_group(f"installer-{worker}"))


def _copy_or_skip(stack: ExitStack) -> tree.Tree:
    try:
        return stack.enter_context(tree.fresh_copy())
    except Unavailable as reason:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(reason))


@pytest.fixture
def pi() -> Iterator[tree.Tree]:
    """A new Pi: a fresh copy of the arm64 tree for one test."""
    with ExitStack() as stack:
        yield _copy_or_skip(stack)


@pytest.fixture(scope="module")
def shared_pi() -> Iterator[tree.Tree]:
    """A copy that the tests of a module share; they only read or copy it."""
    with ExitStack() as stack:
        yield _copy_or_skip(stack)
