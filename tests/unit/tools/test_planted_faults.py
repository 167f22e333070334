"""Faults that are planted at random lines."""

from pathlib import Path

import pytest

from tools.mutations import find_mutants
from tools.planted_faults import Fault, draw


def test_the_seed_determines_the_faults_and_they_cover_all_packages() -> None:
    first, again, other = (
        [fault.place for fault, _ in zip(draw(seed), range(300), strict=False)]
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert {place.split("/")[0] for place in first} == {"firmware", "hal", "sim"}
    assert len(set(first)) == 300


def test_a_planted_fault_is_removed_after_an_interrupt(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("A = 0\n")
    fault = Fault(file, find_mutants("A = 0\n")[0])

    def interrupted() -> None:
        with fault.planted():
            assert file.read_text() == "A = 1\n"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text() == "A = 0\n"
