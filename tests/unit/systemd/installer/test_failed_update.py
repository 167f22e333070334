"""Rollback of an update that has migrated the ledger.

The installer, the release folders and the links are real. systemd is faked, and starting a
release only changes the ledger. ``tests/pi/test_installer.py`` tests the rest on arm64.
"""

import mmap
import os
import pwd
import shutil
import signal
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.storage import ledger_file, schema
from systemd.installer import __main__ as installer
from systemd.installer import ledgers, places, release, report, service, switch
from systemd.installer.release import Release

OLD, NEW, NEWER = Release("1-old"), Release("2-new"), Release("3-newer")
FORMAT_1 = Path(__file__).parents[2] / "ledgers" / "format-1.db"
CUT = -signal.SIGKILL
"""The exit status of a process that has lost its power."""


class Box:
    """The service: runs the active release on the ledger."""

    def __init__(self, ledger: Path, shown: Path) -> None:
        self.ledger = ledger
        self.migrates = True
        self.while_starting: Callable[[], object] = lambda: None
        """Runs in the installer while the candidate starts."""
        self._shown = shown

    @property
    def shown(self) -> list[int]:
        """The amounts that candidates have moved and shown."""
        return [int(line) for line in self._shown.read_text().split()]

    def restart(self) -> str | None:
        if switch.read_state().current == OLD:
            return None if format_of(self.ledger) == 1 else "LEDGER ERROR"
        if self.migrates:
            run_in_child(self.play_new)
        self.while_starting()
        return "it did not start"

    def play_new(self) -> None:
        """Migrate, make a move, and exit without closing: the changes are still in the WAL."""
        amount = (len(self.shown) + 1) * 100_000
        held = ledger_file.opened_by_box(self.ledger)
        store = held.__enter__()
        Ledger(store, editions.load("banking")).move(BANK, 1, amount, Purpose.ENTRY)
        with self._shown.open("a") as file:
            file.write(f"{amount}\n")
        os._exit(0)


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    """A box that runs OLD, in the middle of a game."""
    home, kept = tmp_path / "opt", tmp_path / "lib"
    kept.mkdir()
    monkeypatch.setattr(places, "HOME", home)
    monkeypatch.setattr(places, "LEDGERS", kept)
    monkeypatch.setattr(places, "USER", pwd.getpwuid(os.geteuid()).pw_name)
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
    """Create the releases as `make update` does before it activates one."""
    for each in (OLD, NEW, NEWER):
        each.folder.mkdir(parents=True, exist_ok=True)
        each.unit.write_text(f"# {each.name}\n")
        each.marker.touch()


def run_in_child(action: Callable[[], object]) -> int:
    """Return the exit status; files stay as after a kill."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        try:
            action()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    with suppress(ChildProcessError):
        # Its own children, which this process has adopted, may still hold the ledger's lock.
        while os.waitpid(-child, 0):
            pass
    return os.waitstatus_to_exitcode(status)


def lose_power() -> None:
    """End this process and its children, in a child of the test."""
    os.killpg(0, signal.SIGKILL)


def open_read_only(path: Path) -> closing[sqlite3.Connection]:
    """Read-only, so that SQLite keeps the WAL."""
    return closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True))


def format_of(path: Path) -> int:
    with open_read_only(path) as connection:
        return schema.version_of(connection)


def postings(path: Path) -> list[tuple[int, ...]]:
    with open_read_only(path) as connection:
        return connection.execute("SELECT * FROM posting ORDER BY id").fetchall()


BEFORE = postings(FORMAT_1)


def amounts_moved(*paths: Path) -> list[int]:
    """The amounts of the moves in these ledgers after BEFORE."""
    for path in paths:
        assert postings(path)[: len(BEFORE)] == BEFORE, path
    return sorted(row[4] for path in paths for row in postings(path)[len(BEFORE) :])


def ledgers_aside(box: Box) -> list[Path]:
    return sorted(box.ledger.parent.glob("*.aside-*.db"))


def was_rolled_back(box: Box) -> bool:
    """Return True if OLD is active, with the original ledger, and the trial has ended."""
    return (
        switch.read_state() == (OLD, OLD, False)
        and not switch.FORMATS.exists()
        and places.UNIT.read_text() == "# 1-old\n"
        and format_of(box.ledger) == 1
        and postings(box.ledger) == BEFORE
    )


def test_a_rollback_restores_the_ledger(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    assert installer._activate(NEW) == "it did not start"
    assert was_rolled_back(box)
    [aside] = ledgers_aside(box)
    assert sorted(os.listdir(box.ledger.parent)) == [
        "box.db",
        f"box.format-{schema.VERSION}.aside-1.db",
    ]
    assert amounts_moved(aside) == box.shown == [100_000]
    printed = capsys.readouterr().err
    assert f"restored {box.ledger} as it was before the update; moves made since" in printed
    assert f"are in {aside}" in printed
    assert "rolled back to the release 1-old, which is running again" in printed


def test_a_rollback_keeps_owner_and_mode(box: Box) -> None:
    if os.getuid() == 0:
        os.chown(box.ledger, 1234, 1234)
    before = box.ledger.stat()
    # As when another user has migrated it from the command line.
    box.while_starting = lambda: box.ledger.with_name("box.format-1.db").chmod(0o600)
    installer._activate(NEW)
    after = box.ledger.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (
        before.st_uid,
        before.st_gid,
        0o640,
    )
    assert after.st_ino != before.st_ino


def test_a_second_rollback_keeps_the_ledger_of_the_first(box: Box) -> None:
    installer._activate(NEW)
    [first] = ledgers_aside(box)
    before = first.read_bytes()
    make_releases()
    installer._activate(NEW)
    assert was_rolled_back(box)
    assert len(ledgers_aside(box)) == 2
    assert first.read_bytes() == before


def test_an_update_that_works_keeps_the_old_ledger(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "restart", lambda: box.restart() and None)
    assert installer._activate(NEW) is None
    assert switch.read_state() == (NEW, NEW, False)
    assert not switch.FORMATS.exists()
    assert format_of(box.ledger) == schema.VERSION
    assert postings(box.ledger.with_name("box.format-1.db")) == BEFORE


def test_a_copy_from_before_the_trial_is_not_restored(box: Box) -> None:
    """The ledger already had the newer format before the trial."""
    run_in_child(box.play_new)
    played = postings(box.ledger)
    box.migrates = False
    installer._activate(NEW)
    assert switch.read_state().current == OLD
    assert (format_of(box.ledger), postings(box.ledger)) == (schema.VERSION, played)
    assert postings(box.ledger.with_name("box.format-1.db")) == BEFORE
    assert ledgers_aside(box) == []


def test_a_ledger_that_was_copied_but_not_migrated_is_not_replaced(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    """The candidate ended before the migration, or the disk was full."""
    shutil.copyfile(FORMAT_1, box.ledger.with_name("box.format-1.db"))
    before = box.ledger.stat().st_ino
    box.migrates = False
    installer._activate(NEW)
    assert was_rolled_back(box)
    assert box.ledger.stat().st_ino == before
    assert ledgers_aside(box) == []
    assert str(box.ledger) not in capsys.readouterr().err


@pytest.mark.parametrize("named", ["../elsewhere/games", "/elsewhere/games"])
def test_a_ledger_named_in_the_config_is_restored(box: Box, tmp_path: Path, named: str) -> None:
    box.ledger = tmp_path / "elsewhere" / "games"
    box.ledger.parent.mkdir()
    shutil.copyfile(FORMAT_1, box.ledger)
    places.CONFIG.parent.mkdir(exist_ok=True)
    named = named.replace("/elsewhere", f"{tmp_path}/elsewhere") if named[0] == "/" else named
    places.CONFIG.write_text(f'ledger = "{named}"\n')
    installer._activate(NEW)
    assert was_rolled_back(box)


@pytest.mark.parametrize("text", ["ledger = ", "ledger = 3", ""])
def test_a_config_without_a_valid_ledger(box: Box, text: str) -> None:
    places.CONFIG.parent.mkdir(exist_ok=True)
    places.CONFIG.write_text(text)
    installer._activate(NEW)
    assert was_rolled_back(box)


def test_a_file_that_is_not_a_ledger_is_ignored(box: Box) -> None:
    (box.ledger.parent / "notes.db").write_text("not one of ours")
    assert list(ledgers.formats()) == [str(box.ledger)]


# Power cuts


def test_a_power_cut_during_a_trial(box: Box) -> None:
    box.while_starting = lose_power
    assert run_in_child(lambda: installer._activate(NEW)) == CUT
    assert switch.read_state() == (NEW, OLD, True)
    assert format_of(box.ledger) == schema.VERSION
    box.while_starting = lambda: None
    installer._activate(NEW)
    assert was_rolled_back(box)
    [aside] = ledgers_aside(box)
    assert amounts_moved(aside) == box.shown == [100_000, 200_000]


def test_a_power_cut_during_a_trial_then_another_candidate(box: Box) -> None:
    """The ledger is restored as it was before the first trial."""
    box.while_starting = lose_power
    assert run_in_child(lambda: installer._activate(NEW)) == CUT
    box.while_starting = lambda: None
    installer._activate(NEWER)
    assert was_rolled_back(box)


def test_a_power_cut_during_a_trial_then_the_old_release(box: Box) -> None:
    box.while_starting = lose_power
    assert run_in_child(lambda: installer._activate(NEW)) == CUT
    assert installer._activate(OLD) is None
    assert was_rolled_back(box)


CHANGES = ("fsync", "link", "replace", "symlink", "unlink", "fchown")
"""All calls with which the installer changes the disk or makes a change durable."""


def lose_power_at(monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """Cut the power before the given call of CHANGES."""
    done = mmap.mmap(-1, 1)  # its children go on counting

    def counted(action: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **more: object) -> object:
            done[0] += 1
            if done[0] == moment:
                lose_power()
            return action(*given, **more)

        return call

    for name in CHANGES:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))


def test_a_power_cut_at_any_moment_of_a_rollback(
    box: Box, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = tmp_path.with_name(f"{tmp_path.name}-whole")
    shutil.copytree(tmp_path, whole, symlinks=True)
    for moment in count(1):
        box.while_starting = partial(lose_power_at, monkeypatch, moment)
        if run_in_child(lambda: installer._activate(NEW)) != CUT:
            break
        box.while_starting = lambda: None
        # The machine boots with the active release.
        assert amounts_moved(box.ledger) in (box.shown, []), moment
        if switch.read_state().current == OLD:
            assert format_of(box.ledger) == 1, moment
        else:
            assert switch.read_state() == (NEW, OLD, True), moment
            assert run_in_child(box.play_new) == 0, moment
        assert set(amounts_moved(box.ledger, *ledgers_aside(box))) == set(box.shown), moment
        # The update is tried again.
        make_releases()
        installer._activate(NEW)
        assert was_rolled_back(box), moment
        assert amounts_moved(*ledgers_aside(box)) == box.shown, moment
        shutil.rmtree(tmp_path)
        shutil.copytree(whole, tmp_path, symlinks=True)
    assert was_rolled_back(box)
    assert moment > 10


def test_the_second_name_is_durable_before_the_copy_replaces_the_ledger(
    box: Box, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run_in_child(box.play_new)
    log = tmp_path / "calls"

    def noted(name: str, action: Callable[..., object]) -> Callable[..., object]:
        def call(*given: int | Path, **more: object) -> object:
            paths = [os.readlink(f"/proc/self/fd/{x}") if isinstance(x, int) else x for x in given]
            with log.open("a") as file:
                print(name, *(Path(path).name for path in paths), file=file)
            return action(*given, **more)

        return call

    for name in ("fsync", "link", "replace"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    ledgers.restore({str(box.ledger): 1})
    assert log.read_text().splitlines() == [
        "fsync box.format-1.db",
        f"link box.db box.format-{schema.VERSION}.aside-1.db",
        "fsync lib",
        "replace box.format-1.db box.db",
        "fsync lib",
    ]


# Ledgers that cannot be restored


def stays_migrated(box: Box) -> bool:
    """Return True if the release was rolled back and the migrated ledger is complete."""
    return (
        switch.read_state() == (OLD, OLD, False)
        and format_of(box.ledger) == schema.VERSION
        and amounts_moved(box.ledger) == box.shown == [100_000]
        and ledgers_aside(box) == []
    )


def test_the_copy_is_missing(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    copy = box.ledger.with_name("box.format-1.db")
    box.while_starting = copy.unlink
    installer._activate(NEW)
    assert stays_migrated(box)
    printed = capsys.readouterr().err
    assert f"cannot restore the old format of {box.ledger}: {copy} is missing" in printed
    assert "docs/installing.md says how" in printed


def test_a_box_still_holds_the_lock(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    held = ledger_file.locked(box.ledger)
    box.while_starting = held.__enter__
    installer._activate(NEW)
    held.__exit__(None, None, None)
    assert stays_migrated(box)
    error = f"cannot restore the old format of {box.ledger}: a box is still using it"
    assert error in capsys.readouterr().err


def test_another_program_reads_the_ledger(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    look = ledger_file.reading(box.ledger)
    box.while_starting = lambda: look.__enter__().executescript("BEGIN; SELECT * FROM posting;")
    installer._activate(NEW)
    look.__exit__(None, None, None)
    assert stays_migrated(box)
    error = f"cannot restore the old format of {box.ledger}: database is locked"
    assert error in capsys.readouterr().err
