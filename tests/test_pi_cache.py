"""What the emulated Pi needs is built once, however many workers ask for it at the same time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.pi import tree

WORKERS = 4


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tellerbox"


def test_workers_that_ask_at_once_share_one_build(cache: Path) -> None:
    builds: list[Path] = []
    start = Barrier(WORKERS)

    def build(folder: Path) -> None:
        builds.append(folder)
        folder.mkdir()
        (folder / "vmlinuz").write_text("built")

    def ask(_: int) -> str:
        start.wait()
        return (tree.cached("kernel-2", "kernel-*", build) / "vmlinuz").read_text()

    with ThreadPoolExecutor(WORKERS) as workers:
        assert list(workers.map(ask, range(WORKERS))) == ["built"] * WORKERS
    assert builds == [cache / "kernel-2.partial"]


def test_a_build_removes_its_predecessors_and_what_a_killed_one_left(cache: Path) -> None:
    (cache / "kernel-1").mkdir(parents=True)
    (cache / "kernel-2.partial").mkdir()
    (cache / "disk-1").write_text("another kind")
    tree.cached("kernel-2", "kernel-*", Path.mkdir)
    tree.cached("disk-1", "disk-*", Path.touch)
    assert sorted(path.name for path in cache.glob("*-[0-9]*")) == ["disk-1", "kernel-2"]
    assert (cache / "disk-1").read_text() == "another kind"


def test_a_failed_build_leaves_nothing_that_looks_complete(cache: Path) -> None:
    def fail(folder: Path) -> None:
        folder.mkdir()
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        tree.cached("kernel-2", "kernel-*", fail)
    assert not (cache / "kernel-2").exists()
    assert tree.cached("kernel-2", "kernel-*", Path.mkdir).is_dir()
