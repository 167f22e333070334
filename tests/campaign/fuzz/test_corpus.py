"""What fuzzing has found stays found; and a short walk around it, the same every time.

No atheris is needed here: it only finds new inputs (``make fuzz``).
"""

from pathlib import Path
from random import Random

import pytest

from tests.fuzz import __main__ as command
from tests.fuzz import targets
from tests.fuzz.finding import broken_by, minimised
from tests.fuzz.mutation import mutated
from tests.fuzz.targets import Target

MUTATIONS = {
    "script": 4_000,
    "edition": 250,
    "config": 4_000,
    "console": 200,
    "panel": 25,
    "door": 200,
    "ledger": 60,
    "card": 120,
}
"""About two seconds of each."""

CORPUS = [(name, file) for name in targets.NAMES for file in targets.seeds_of(name)]


@pytest.mark.parametrize(("name", "file"), CORPUS, ids=[f"{n}-{f.name}" for n, f in CORPUS])
def test_the_corpus(name: str, file: Path) -> None:
    targets.load(name).fuzz_one(file.read_bytes())


@pytest.mark.parametrize("name", targets.NAMES)
def test_a_walk_around_the_corpus(name: str) -> None:
    target = targets.load(name)
    seeds = [file.read_bytes() for file in targets.seeds_of(name)]
    dice = Random(name)
    for _ in range(MUTATIONS[name]):
        data = mutated(target, seeds, dice)
        try:
            target.fuzz_one(data)
        except BaseException as broken:
            broken.add_note(f"the input: {data!r}")
            raise


def _no_b_after_a(data: bytes) -> None:
    assert b"b" not in data.partition(b"a")[2]


def test_a_find_is_made_as_short_as_it_can_be() -> None:
    target = Target("toy", _no_b_after_a, 100, ())
    assert minimised(target, b"xxxxaxxxxxxbxxxxx") == b"ab"
    assert broken_by(target, b"ba") is None


@pytest.mark.parametrize("minutes", ["0", "-1", "0.01", "inf", "nan", "1e9", "x", ""])
def test_senseless_minutes_are_refused_in_one_sentence(
    minutes: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """To libFuzzer none of them means for ever."""
    monkeypatch.setattr("sys.argv", ["fuzz", f"--minutes={minutes}", "ledger"])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    (said,) = capsys.readouterr().err.splitlines()
    assert "a target takes from a second to a week, not " in said
