"""Recording: what is done by hand becomes a script, and the script passes when it is played."""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from hal.view import IDLE, Tenant, View
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.hands import DARK, Hands, screen
from tests.panel.served import Served


def record(hands: Hands, edition: str = "banking") -> None:
    hands.unfold("recording").locator("#record").click()
    expect(hands.page.locator("#on-air")).to_be_visible()
    hands.until_shows(nobodys(edition=edition))


def nobodys(field: str = IDLE, *, left: int = 0, right: int = 0, edition: str = "banking") -> View:
    """While a script is recorded the status row says TEST: the money shown is nobody's."""
    view = screen(field, left=left or Tenant.NOBODY, right=right or Tenant.NOBODY, edition=edition)
    return view._replace(test=True)


def stop_and_save(hands: Hands, folder: Path) -> str:
    """The script as the page hands it out."""
    hands.unfold("recording").locator("#record").click()
    expect(hands.page.locator("#on-air")).to_be_hidden()
    with hands.page.expect_download() as coming:
        hands.page.get_by_role("link", name="Save the script").click()
    assert coming.value.suggested_filename == "recording.box"
    file = folder / "recording.box"
    coming.value.save_as(file)
    return file.read_text(encoding="utf-8")


def play(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firmware", "play", *options, str(folder / "recording.box")],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_recorded_game_passes_when_played(hands: Hands, tmp_path: Path) -> None:
    """Section 10: a rent, its correction, a refusal, a salary, sleep, a power cut, a new game."""
    record(hands)
    hands.put(2, "left")
    hands.put(1, "right")
    hands.press("14M")
    hands.until_shows(nobodys("1M", left=2, right=1))
    hands.press("C")
    hands.press("1,4M")
    hands.until_shows(nobodys("13,6M", left=2, right=1))
    hands.until_shows(nobodys("16,4M", left=2, right=1))
    hands.press("20M")
    hands.until_said("13,6M. NO FUNDS")
    hands.take("right")
    hands.press("G")
    hands.until_said("18,4M")
    hands.skip_a_minute()
    hands.until_shows(DARK)
    hands.press("5")
    hands.until_shows(nobodys("5", left=2))
    hands.work_power()
    hands.until_said("no power")
    hands.put(3, "right")
    hands.work_power()
    hands.until_shows(nobodys("15M", left=2, right=3))
    hands.hold("C")
    hands.until_said("15M. NEW GAME")
    hands.let_go()
    script = stop_and_save(hands, tmp_path)
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
        assert line in script.splitlines(), f"no line {line!r} in\n{script}"
    played = play(tmp_path)
    assert played.returncode == 0, f"{played.stderr}\n{script}"
    played = play(tmp_path, "--board", "virtual")
    assert played.returncode == 0, f"on the drivers: {played.stderr}\n{script}"


def test_the_game_waits_and_comes_back(panel: Served, open_page: OpenPage, tmp_path: Path) -> None:
    """A recording has money of its own; both pages see that it runs, and the script grow."""
    hands, other = open_page(panel), open_page(panel)
    hands.put(1, "left")
    hands.press("G")
    hands.until_shows(screen("17M", left=1))
    record(hands)
    expect(other.page.locator("#on-air")).to_be_visible()
    hands.until_in("left", None)
    hands.put(1, "left")
    hands.until_shows(nobodys("15M", left=1))
    hands.press("5M")
    hands.until_shows(nobodys("20M", left=1))
    other.unfold("recording")
    expect(other.page.locator("#script")).to_contain_text("press 5M")
    script = stop_and_save(hands, tmp_path)
    assert "expect balance 1 20M" in script
    hands.until_shows(screen())
    hands.put(1, "right")
    hands.until_shows(screen("17M", right=1))
    assert play(tmp_path).returncode == 0


def test_a_recording_says_its_edition(
    start_panel: StartPanel, open_page: OpenPage, tmp_path: Path
) -> None:
    """Section 10: `given edition`, and the messages that scripts know, also on a French box."""
    hands = open_page(start_panel("--edition", "europe", "--language", "fr"))
    record(hands, "europe")
    hands.press("5")
    hands.put(8, "right")
    hands.press("2000M")
    hands.until(lambda: hands.sounds[-1] == "error", "the refusal")
    script = stop_and_save(hands, tmp_path)
    assert "given edition europe" in script.splitlines()
    assert "expect message NO FUNDS" in script.splitlines()
    played = play(tmp_path)
    assert played.returncode == 0, f"{played.stderr}\n{script}"
