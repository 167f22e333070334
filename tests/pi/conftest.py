"""The tree as fixtures; where it cannot be had the tests are skipped, but never in CI."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.pi import tree
from tests.pi.rights import Unavailable


def _or_skip(stack: ExitStack) -> tree.Tree:
    try:
        return stack.enter_context(tree.fresh_copy())
    except Unavailable as reason:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(reason))


@pytest.fixture
def pi() -> Iterator[tree.Tree]:
    """A Pi as it comes: a fresh copy of the arm64 tree, for one test."""
    with ExitStack() as stack:
        yield _or_skip(stack)


@pytest.fixture(scope="module")
def shared_pi() -> Iterator[tree.Tree]:
    """The same for all tests of a file: they look at it, or copy it."""
    with ExitStack() as stack:
        yield _or_skip(stack)
