"""Which release is in use: the links ``current`` and ``previous``, and who is on trial.

A release is on trial from the moment it is switched to until it has come up. If the power
goes in between, a file says so, and which release to go back to: the next run then tries
again, and does not take the newcomer for one that has proven itself. Another one says which
formats the ledgers had before the trial.
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


class InUse(NamedTuple):
    """What an earlier run has left."""

    current: Release | None
    proven: Release | None
    """The release to go back to; None when there is none."""
    on_trial: bool


def look() -> InUse:
    current = _behind(CURRENT)
    if not TRIAL.exists():
        return InUse(current, current, False)
    proven = Release(TRIAL.read_text().strip())
    return InUse(current, proven if proven.name and proven.is_complete else None, True)


def begin_trial(newcomer: Release, proven: Release | None) -> None:
    if not TRIAL.exists():
        # Else the trial before this one was cut off, and what it did is still to be put back.
        files.put(FORMATS, json.dumps(ledgers.formats()).encode())
    files.put(TRIAL, (proven.name if proven else "").encode())
    _point(CURRENT, newcomer)


def end_trial(proven: Release | None) -> None:
    """The newcomer stays; keep the one before it, to go back to by hand."""
    if proven and proven != _behind(CURRENT):
        _point(PREVIOUS, proven)
    _is_over()


def go_back(proven: Release) -> None:
    _point(CURRENT, proven)
    _is_over()


def _is_over() -> None:
    TRIAL.unlink(missing_ok=True)
    FORMATS.unlink(missing_ok=True)
    files.sync_folder(places.HOME)


def formats_before_trial() -> dict[str, int]:
    """The formats of the ledgers, by their paths, as ``ledgers.formats`` found them then."""
    found: dict[str, int] = json.loads(FORMATS.read_text()) if FORMATS.exists() else {}
    return found


def worth_keeping() -> set[Release]:
    return {release for link in (CURRENT, PREVIOUS) if (release := _behind(link))}


def _point(link: Path, release: Release) -> None:
    files.link(link, f"releases/{release.name}")


def _behind(link: Path) -> Release | None:
    """The release that a link leads to, if it is one that can be used."""
    try:
        release = Release(os.path.basename(os.readlink(link)))
    except OSError:
        return None
    return release if release.is_complete else None
