"""Former findings stay fixed; and a short deterministic series of mutations of the corpus.

This does not need atheris, which only finds new inputs (``make fuzz``).
"""

from pathlib import Path
from random import Random

import pytest

from tests.campaign.fuzz import __main__ as command
from tests.campaign.fuzz import targets
from tests.campaign.fuzz.finding import minimise, signature_of
from tests.campaign.fuzz.mutation import mutate
from tests.campaign.fuzz.targets import Target

MUTATIONS = {
    "script": 4_000,
    "edition": 250,
    "config": 4_000,
    "console": 200,
    "panel": 25,
    "panel_http": 200,
    "panel_form": 200,
    "ledger": 60,
    "ledger_play": 6,
    "card": 120,
}
"""Mutations per target, about a second each."""
LONG_FACTOR = 20
"""Factor for a long run."""

CORPUS = [(name, file) for name in targets.NAMES for file in targets.seeds_of(name)]


@pytest.mark.parametrize(("name", "file"), CORPUS, ids=[f"{n}-{f.name}" for n, f in CORPUS])
def test_corpus_input(name: str, file: Path) -> None:
    targets.load(name).fuzz_one(file.read_bytes())


@pytest.mark.parametrize(
    "factor",
    [1, pytest.param(LONG_FACTOR, marks=pytest.mark.long)],
)
@pytest.mark.parametrize("name", targets.NAMES)
def test_mutated_corpus(name: str, factor: int) -> None:
    target = targets.load(name)
    seeds = [file.read_bytes() for file in targets.seeds_of(name)]
    rng = Random(name)
    for _ in range(MUTATIONS[name] * factor):
        data = mutate(target, seeds, rng)
        try:
            target.fuzz_one(data)
        except BaseException as error:
            error.add_note(f"the input: {data!r}")
            raise


def _no_b_after_a(data: bytes) -> None:
    assert b"b" not in data.partition(b"a")[2]


def test_finding_is_minimised() -> None:
    target = Target("toy", _no_b_after_a, 100, ())
    assert minimise(target, b"xxxxaxxxxxxbxxxxx") == b"ab"
    assert signature_of(target, b"ba") is None


@pytest.mark.parametrize("minutes", ["0", "-1", "0.01", "inf", "nan", "1e9", "x", ""])
def test_invalid_minutes_are_rejected(
    minutes: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """libFuzzer would take some of them for no limit."""
    monkeypatch.setattr("sys.argv", ["fuzz", f"--minutes={minutes}", "ledger"])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    (message,) = capsys.readouterr().err.splitlines()
    assert "--minutes must be from a second to a week, not " in message
