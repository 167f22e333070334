"""The active release: the links ``current`` and ``previous``, and the files of a trial.

A release is on trial from the switch until it has come up. During the trial a file names the
release to roll back to, and another holds the formats that the ledgers had before. After a
power cut the next run finds both and tries again.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

from systemd.installer import files, ledgers, places
from systemd.installer.release import Release

CURRENT = places.HOME / "current"
PREVIOUS = places.HOME / "previous"
TRIAL = places.HOME / "on-trial"
FORMATS = places.HOME / "formats-before-trial"


class State(NamedTuple):
    current: Release | None
    proven: Release | None
    """The release to roll back to."""
    on_trial: bool
    """True if an earlier run was interrupted during a trial."""


def read_state() -> State:
    current = _release_at(CURRENT)
    if not TRIAL.exists():
        return State(current, current, False)
    proven = Release(TRIAL.read_text().strip())
    return State(current, proven if proven.name and proven.is_complete else None, True)


def begin_trial(candidate: Release, proven: Release | None) -> None:
    if not TRIAL.exists():
        # Otherwise the previous trial was interrupted, and its migrations are not undone yet.
        files.write(FORMATS, json.dumps(ledgers.formats()).encode())
    files.write(TRIAL, (proven.name if proven else "").encode())
    _set_link(CURRENT, candidate)


def end_trial(proven: Release | None) -> None:
    """Accept the candidate; keep the release before it for a manual rollback."""
    if proven and proven != _release_at(CURRENT):
        _set_link(PREVIOUS, proven)
    _remove_trial_files()


def roll_back(proven: Release) -> None:
    _set_link(CURRENT, proven)
    _remove_trial_files()


def _remove_trial_files() -> None:
    TRIAL.unlink(missing_ok=True)
    FORMATS.unlink(missing_ok=True)
    files.sync_folder(places.HOME)


def formats_before_trial() -> dict[str, int]:
    """Return what ``ledgers.formats`` returned before the trial."""
    found: dict[str, int] = json.loads(FORMATS.read_text()) if FORMATS.exists() else {}
    return found


def releases_to_keep() -> set[Release]:
    return {release for link in (CURRENT, PREVIOUS) if (release := _release_at(link))}


def _set_link(link: Path, release: Release) -> None:
    files.symlink(link, f"releases/{release.name}")


def _release_at(link: Path) -> Release | None:
    """Return the release that a link points to, if it is complete."""
    try:
        release = Release(os.path.basename(os.readlink(link)))
    except OSError:
        return None
    return release if release.is_complete else None
