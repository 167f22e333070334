"""An update that fails after it has brought the ledger to a newer format.

The installer is real, and so are the releases' folders and links; systemd is not, and a
release is what it does to the ledger when it is started. ``tests/pi/test_installer.py``
has it all on the Pi's own architecture.
"""

import os
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware import ledger_file, schema
from firmware.ledger import Ledger
from firmware.records import BANK, Purpose
from systemd.installer import __main__ as installer
from systemd.installer import ledgers, places, release, report, service, switch
from systemd.installer.release import Release

OLD, NEW, NEWER = Release("1-old"), Release("2-new"), Release("3-newer")
FORMAT_1 = Path(__file__).with_name("ledgers") / "format-1.db"
CUT = 42
"""The status of a process that the power was taken from."""


class Box:
    """What systemd would run: whichever release is in use, on the ledger that it finds."""

    def __init__(self, ledger: Path, shown: Path) -> None:
        self.ledger = ledger
        self.migrates = True
        self.then: Callable[[], object] = lambda: None
        """What happens to the installer while a newcomer starts."""
        self._shown = shown

    @property
    def shown(self) -> list[int]:
        """The amounts that newcomers have moved and shown."""
        return [int(line) for line in self._shown.read_text().split()]

    def restart(self) -> str | None:
        in_use = switch.look().current
        if in_use == OLD:
            return None if format_of(self.ledger) == 1 else "LEDGER ERROR"
        if self.migrates:
            in_child(self.play_new)
        self.then()
        return "it did not start"

    def play_new(self) -> None:
        """Migrate, make a move, and be killed: all that is new is still in the log."""
        amount = (len(self.shown) + 1) * 100_000
        held = ledger_file.held_by_box(self.ledger)
        store = held.__enter__()
        Ledger(store, editions.load("banking")).move(BANK, 1, amount, Purpose.ENTRY)
        with self._shown.open("a") as file:
            file.write(f"{amount}\n")
        os._exit(0)


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    """A box on which OLD runs, in the middle of a game."""
    home, kept = tmp_path / "opt", tmp_path / "lib"
    kept.mkdir()
    monkeypatch.setattr(places, "HOME", home)
    monkeypatch.setattr(places, "LEDGERS", kept)
    monkeypatch.setattr(places, "CONFIG", tmp_path / "etc" / "tellerbox.toml")
    monkeypatch.setattr(places, "UNIT", tmp_path / "etc" / "tellerbox.service")
    monkeypatch.setattr(release, "RELEASES", home / "releases")
    for name in ("CURRENT", "PREVIOUS", "TRIAL", "FORMATS"):
        monkeypatch.setattr(switch, name, home / getattr(switch, name).name)
    monkeypatch.setattr(report, "changes", [])
    shutil.copyfile(FORMAT_1, kept / "box.db")
    (kept / "box.db").chmod(0o640)
    shown = tmp_path / "shown"
    shown.touch()
    box = Box(kept / "box.db", shown)
    monkeypatch.setattr(service, "can_be_started", lambda: True)
    monkeypatch.setattr(service, "restart", lambda: box.restart())
    for name in ("enable", "reload", "stop"):
        monkeypatch.setattr(service, name, lambda: None)
    make_releases()
    switch.begin_trial(OLD, None)
    switch.end_trial(None)
    handlers = {number: signal.getsignal(number) for number in (1, 2, 15)}
    yield box
    for number, handler in handlers.items():
        signal.signal(number, handler)


def make_releases() -> None:
    """As `make update` does, before it puts one in use."""
    for each in (OLD, NEW, NEWER):
        each.folder.mkdir(parents=True, exist_ok=True)
        each.unit.write_text(f"# {each.name}\n")
        each.mark.touch()


def in_child(act: Callable[[], object]) -> int:
    """Its exit status; what it has not closed stays as after a kill."""
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def cut_off() -> None:
    os._exit(CUT)


def looked_into(path: Path) -> closing[sqlite3.Connection]:
    """So that a log stays where it is."""
    return closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True))


def format_of(path: Path) -> int:
    with looked_into(path) as connection:
        return schema.version_of(connection)


def postings(path: Path) -> list[tuple[int, ...]]:
    with looked_into(path) as connection:
        return connection.execute("SELECT * FROM posting ORDER BY id").fetchall()


BEFORE = postings(FORMAT_1)


def moved_since(*paths: Path) -> list[int]:
    """The amounts of the moves that are in these ledgers behind all that were there before."""
    for path in paths:
        assert postings(path)[: len(BEFORE)] == BEFORE, path
    return sorted(row[4] for path in paths for row in postings(path)[len(BEFORE) :])


def set_aside(box: Box) -> list[Path]:
    return sorted(box.ledger.parent.glob("*.aside-*.db"))


def is_back(box: Box) -> bool:
    """Whether the old release runs again, on the ledger as it was, and the trial is over."""
    return (
        switch.look() == (OLD, OLD, False)
        and not switch.FORMATS.exists()
        and places.UNIT.read_text() == "# 1-old\n"
        and format_of(box.ledger) == 1
        and postings(box.ledger) == BEFORE
    )


def test_the_old_release_finds_its_ledger_again(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    assert installer._put_in_use(NEW) == "it did not start"
    assert is_back(box)
    [aside] = set_aside(box)
    assert sorted(os.listdir(box.ledger.parent)) == [
        "box.db",
        f"box.format-{schema.VERSION}.aside-1.db",
    ]
    assert moved_since(aside) == box.shown == [100_000]
    said = capsys.readouterr().err
    assert f"{box.ledger} is again what it was before the update; moves made since" in said
    assert f"are in {aside}" in said
    assert "went back to the release 1-old, which runs again" in said


def test_whose_it_is_and_who_may_read_it_stays(box: Box) -> None:
    if os.getuid() == 0:
        os.chown(box.ledger, 1234, 1234)
    before = box.ledger.stat()
    # As when somebody else had it brought up to date, by the command line.
    box.then = lambda: box.ledger.with_name("box.format-1.db").chmod(0o600)
    installer._put_in_use(NEW)
    after = box.ledger.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (
        before.st_uid,
        before.st_gid,
        0o640,
    )
    assert after.st_ino != before.st_ino


def test_a_second_failure_leaves_what_the_first_has_put_aside(box: Box) -> None:
    installer._put_in_use(NEW)
    [first] = set_aside(box)
    before = first.read_bytes()
    make_releases()
    installer._put_in_use(NEW)
    assert is_back(box)
    assert len(set_aside(box)) == 2
    assert first.read_bytes() == before


def test_an_update_that_works_keeps_both(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "restart", lambda: box.restart() and None)
    assert installer._put_in_use(NEW) is None
    assert switch.look() == (NEW, NEW, False)
    assert not switch.FORMATS.exists()
    assert format_of(box.ledger) == schema.VERSION
    assert postings(box.ledger.with_name("box.format-1.db")) == BEFORE


def test_a_copy_from_before_the_trial_stays_where_it_is(box: Box) -> None:
    """The ledger was of the newer format all the time, and was played on since."""
    in_child(box.play_new)
    played = postings(box.ledger)
    box.migrates = False
    installer._put_in_use(NEW)
    assert switch.look().current == OLD
    assert (format_of(box.ledger), postings(box.ledger)) == (schema.VERSION, played)
    assert postings(box.ledger.with_name("box.format-1.db")) == BEFORE
    assert set_aside(box) == []


def test_a_ledger_of_which_only_a_copy_was_made_stays_where_it_is(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    """The newcomer was gone before the migration, or had no room for it."""
    shutil.copyfile(FORMAT_1, box.ledger.with_name("box.format-1.db"))
    before = box.ledger.stat().st_ino
    box.migrates = False
    installer._put_in_use(NEW)
    assert is_back(box)
    assert box.ledger.stat().st_ino == before
    assert set_aside(box) == []
    assert str(box.ledger) not in capsys.readouterr().err


@pytest.mark.parametrize("named", ["../elsewhere/games", "/elsewhere/games"])
def test_a_ledger_that_the_config_names(box: Box, tmp_path: Path, named: str) -> None:
    box.ledger = tmp_path / "elsewhere" / "games"
    box.ledger.parent.mkdir()
    shutil.copyfile(FORMAT_1, box.ledger)
    places.CONFIG.parent.mkdir(exist_ok=True)
    named = named.replace("/elsewhere", f"{tmp_path}/elsewhere") if named[0] == "/" else named
    places.CONFIG.write_text(f'ledger = "{named}"\n')
    installer._put_in_use(NEW)
    assert is_back(box)


@pytest.mark.parametrize("text", ["ledger = ", "ledger = 3", ""])
def test_a_config_that_names_none(box: Box, text: str) -> None:
    places.CONFIG.parent.mkdir(exist_ok=True)
    places.CONFIG.write_text(text)
    installer._put_in_use(NEW)
    assert is_back(box)


def test_what_is_no_ledger_is_left_alone(box: Box) -> None:
    (box.ledger.parent / "notes.db").write_text("not one of ours")
    assert list(ledgers.formats()) == [str(box.ledger)]


# The power goes


def test_power_that_goes_on_trial(box: Box) -> None:
    box.then = cut_off
    assert in_child(lambda: installer._put_in_use(NEW)) == CUT
    assert switch.look() == (NEW, OLD, True)
    assert format_of(box.ledger) == schema.VERSION
    box.then = lambda: None
    installer._put_in_use(NEW)
    assert is_back(box)
    [aside] = set_aside(box)
    assert moved_since(aside) == box.shown == [100_000, 200_000]


def test_power_that_goes_on_trial_and_then_another_newcomer(box: Box) -> None:
    """What counts is how the ledger was before the first of them."""
    box.then = cut_off
    assert in_child(lambda: installer._put_in_use(NEW)) == CUT
    box.then = lambda: None
    installer._put_in_use(NEWER)
    assert is_back(box)


def test_power_that_goes_on_trial_and_then_the_old_release(box: Box) -> None:
    box.then = cut_off
    assert in_child(lambda: installer._put_in_use(NEW)) == CUT
    assert installer._put_in_use(OLD) is None
    assert is_back(box)


CHANGES = ("fsync", "link", "replace", "symlink", "unlink", "fchown")
"""All calls by which the installer changes something on the disk, or makes it last."""


def cut_at(monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """From now on the power goes before one of those calls."""
    left = iter(range(moment - 1, -1, -1))

    def counted(act: Callable[..., object]) -> Callable[..., object]:
        return lambda *given, **more: act(*given, **more) if next(left) else cut_off()

    for name in CHANGES:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))


def test_power_that_goes_at_any_moment_of_going_back(
    box: Box, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = tmp_path.with_name(f"{tmp_path.name}-whole")
    shutil.copytree(tmp_path, whole, symlinks=True)
    for moment in count(1):
        box.then = partial(cut_at, monkeypatch, moment)
        if in_child(lambda: installer._put_in_use(NEW)) != CUT:
            break
        box.then = lambda: None
        # The machine starts again, with the release that is in use.
        assert moved_since(box.ledger) in (box.shown, []), moment
        if switch.look().current == OLD:
            assert format_of(box.ledger) == 1, moment
        else:
            assert switch.look() == (NEW, OLD, True), moment
            assert in_child(box.play_new) == 0, moment
        assert set(moved_since(box.ledger, *set_aside(box))) == set(box.shown), moment
        # And then somebody updates it again.
        make_releases()
        installer._put_in_use(NEW)
        assert is_back(box), moment
        assert moved_since(*set_aside(box)) == box.shown, moment
        shutil.rmtree(tmp_path)
        shutil.copytree(whole, tmp_path, symlinks=True)
    assert is_back(box)
    assert moment > 10


def test_what_is_put_aside_has_a_name_for_good_before_the_copy_takes_its_place(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_child(box.play_new)
    done: list[str] = []

    def noted(name: str, act: Callable[..., object]) -> Callable[..., object]:
        def call(*given: int | Path, **more: object) -> object:
            paths = [os.readlink(f"/proc/self/fd/{x}") if isinstance(x, int) else x for x in given]
            done.append(" ".join([name, *(Path(path).name for path in paths)]))
            return act(*given, **more)

        return call

    for name in ("fsync", "link", "replace"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    ledgers.put_back({str(box.ledger): 1})
    assert done == [
        "fsync box.format-1.db",
        f"link box.db box.format-{schema.VERSION}.aside-1.db",
        "fsync lib",
        "replace box.format-1.db box.db",
        "fsync lib",
    ]


# When it cannot be


def stays_migrated(box: Box) -> bool:
    """Whether the release went back, at least, and the ledger is whole where it was."""
    return (
        switch.look() == (OLD, OLD, False)
        and format_of(box.ledger) == schema.VERSION
        and moved_since(box.ledger) == box.shown == [100_000]
        and set_aside(box) == []
    )


def test_a_copy_that_is_missing(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    kept = box.ledger.with_name("box.format-1.db")
    box.then = kept.unlink
    installer._put_in_use(NEW)
    assert stays_migrated(box)
    said = capsys.readouterr().err
    assert f"{box.ledger} has a newer format now, and could not be put back: there is no" in said
    assert "docs/installing.md says how" in said


def test_a_box_that_does_not_stop(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    held = ledger_file.locked(box.ledger)
    box.then = held.__enter__
    installer._put_in_use(NEW)
    held.__exit__(None, None, None)
    assert stays_migrated(box)
    assert "could not be put back: a box is still using it" in capsys.readouterr().err


def test_somebody_who_is_looking_into_it(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    look = ledger_file.reading(box.ledger)
    box.then = lambda: look.__enter__().executescript("BEGIN; SELECT * FROM posting;")
    installer._put_in_use(NEW)
    look.__exit__(None, None, None)
    assert stays_migrated(box)
    assert "could not be put back: database is locked" in capsys.readouterr().err
