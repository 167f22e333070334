"""Recording: user input becomes a script that passes when it is played."""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from hal.display.view import IDLE, Occupant, View
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.panels import HostedPanel
from tests.panel.user import DARK, User, screen


def record(user: User, edition: str = "banking") -> None:
    user.unfold("recording").locator("#record").click()
    expect(user.page.locator("#recording-mark")).to_be_visible()
    user.until_shows(recording_view(edition=edition))


def recording_view(
    field: str = IDLE, *, left: int = 0, right: int = 0, edition: str = "banking"
) -> View:
    """A view while recording: the status row shows a T instead of the volume."""
    view = screen(field, left=left or Occupant.NONE, right=right or Occupant.NONE, edition=edition)
    return view._replace(test=True)


def stop_and_save(user: User, folder: Path) -> str:
    """The downloaded script."""
    user.unfold("recording").locator("#record").click()
    expect(user.page.locator("#recording-mark")).to_be_hidden()
    with user.page.expect_download() as download:
        user.page.get_by_role("link", name="Save the script").click()
    assert download.value.suggested_filename == "recording.box"
    file = folder / "recording.box"
    download.value.save_as(file)
    return file.read_text(encoding="utf-8")


def play(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firmware", "play", *options, str(folder / "recording.box")],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_recorded_game_passes_when_played(user: User, tmp_path: Path) -> None:
    """Section 10: a rent, an undo, a refusal, a salary, sleep, a power cut, a new game."""
    record(user)
    user.put(2, "left")
    user.put(1, "right")
    user.press("14M")
    user.until_shows(recording_view("1M", left=2, right=1))
    user.press("C")
    user.press("1,4M")
    payee = recording_view("16,4M", left=2, right=1)._replace(balance_of=2)
    user.until_shows(payee)  # 13,6M shows for two seconds only
    user.press("20M")
    user.until_announced("13,6M. NO FUNDS")
    user.take("right")
    user.press("G")
    user.until_announced("the bank pays card 2, 2M. 18,4M")
    user.skip_minute()
    user.until_shows(DARK)
    user.press("5")
    user.until_shows(recording_view("5", left=2))
    user.toggle_power()
    user.until_announced("no power")
    user.put(3, "right")
    user.toggle_power()
    user.until_shows(recording_view("15M", left=2, right=3))
    user.hold("C")
    user.until_announced("15M. NEW GAME")
    user.release()
    script = stop_and_save(user, tmp_path)
    for line in (
        "insert left 2",
        "press 14M",
        "expect screen 1M",
        "press C",
        "expect sound undo",
        "expect message NO FUNDS",
        "remove right",
        "expect asleep",
        "power off",
        "power on",
        "hold C 3s",
        "expect message NEW GAME",
    ):
        assert line in script.splitlines(), f"missing {line!r} in\n{script}"
    played = play(tmp_path)
    assert played.returncode == 0, f"{played.stderr}\n{script}"
    played = play(tmp_path, "--board", "virtual")
    assert played.returncode == 0, f"on the drivers: {played.stderr}\n{script}"


def test_the_game_continues_after_a_recording(
    panel: HostedPanel, open_page: OpenPage, tmp_path: Path
) -> None:
    """A recording has its own money; both pages show it and its script."""
    user, other = open_page(panel), open_page(panel)
    user.put(1, "left")
    user.press("G")
    user.until_shows(screen("17M", left=1))
    record(user)
    expect(other.page.locator("#recording-mark")).to_be_visible()
    user.until_in("left", None)
    user.put(1, "left")
    user.until_shows(recording_view("15M", left=1))
    user.press("5M")
    user.until_shows(recording_view("20M", left=1))
    other.unfold("recording")
    expect(other.page.locator("#script")).to_contain_text("press 5M")
    script = stop_and_save(user, tmp_path)
    assert "expect balance 1 20M" in script
    user.until_shows(screen())
    user.put(1, "right")
    user.until_shows(screen("17M", right=1))
    assert play(tmp_path).returncode == 0


def test_a_recording_names_its_edition(
    start_panel: StartPanel, open_page: OpenPage, tmp_path: Path
) -> None:
    """Section 10: `given edition`, and English messages also on a French box."""
    user = open_page(start_panel("--edition", "europe", "--language", "fr"))
    record(user, "europe")
    user.press("5")
    user.put(8, "right")
    user.press("2000M")
    user.until(lambda: user.sounds[-1] == "error", "the refusal")
    script = stop_and_save(user, tmp_path)
    assert "given edition europe" in script.splitlines()
    assert "expect message NO FUNDS" in script.splitlines()
    played = play(tmp_path)
    assert played.returncode == 0, f"{played.stderr}\n{script}"
