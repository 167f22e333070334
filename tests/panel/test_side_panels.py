"""The panels beside the box: accounts, chart, history, time, faults; and the buzzer."""

import re

from playwright.sync_api import Locator, expect

from tests.panel.conftest import OpenPage
from tests.panel.panels import HostedPanel
from tests.panel.user import DARK, User, screen


def play_a_round(user: User) -> None:
    """Card 1 pays card 2 a rent, gets a salary that is undone; card 3 pays a tax."""
    user.set_pace(0)
    user.put(2, "left")
    user.put(1, "right")
    user.press("1,4M")
    user.until_shows(screen("13,6M", left=2, right=1))
    user.take("left")
    user.take("right")
    user.put(1, "left")
    user.press("G")
    user.until_shows(screen("15,6M", left=1))
    user.press("C")
    user.until_shows(screen("13,6M", left=1))
    user.take("left")
    user.put(3, "right")
    user.press("500K")
    user.until_shows(screen("14,5M", right=3))


def rows(listed: Locator) -> list[str]:
    """The text of each row, on one line."""
    return [re.sub(r"\s+", " ", text).strip() for text in listed.locator("li").all_inner_texts()]


def width(what: Locator) -> float:
    box = what.bounding_box()
    assert box
    return box["width"]


def test_accounts_chart_and_history(user: User) -> None:
    play_a_round(user)
    accounts = user.unfold("accounts")
    assert rows(accounts) == [
        "Card 1 13,6M",
        "Card 2 16,4M",
        "Card 3 14,5M",
        "Card 4 15M",
        "Card 5 15M",
        "Card 6 15M",
        "Bank −89,5M",
    ]
    bars = [width(accounts.locator(f'[data-account="{card}"] .bar')) for card in (1, 2, 3)]
    for bar, balance in zip(bars, (13.6, 16.4, 14.5), strict=True):
        assert abs(bar / bars[1] - balance / 16.4) < 0.02, (
            "a bar is not proportional to its balance"
        )

    chart = user.page.locator("#chart")
    words = r"Balances.* 2\b.* Most: card 2, 16,4M\. Least: card 1, 13,6M\."
    expect(chart).to_have_accessible_name(re.compile(words))
    assert chart.locator(".number").all_text_contents() == ["2", "3", "1"], "the best is on top"
    one, two, three = (line_heights(user, card) for card in (1, 2, 3))
    assert one[0] == two[0] == three[0]
    assert two[-1] < two[0] < three[-1] < one[-1], "the lines are not in the order of the balances"
    assert len(one) == 2, "card 1: opening, rent; the undone salary is not drawn"

    listed = [re.sub(r"^\d\d:\d\d( [AP]M)? ", "", row) for row in rows(user.unfold("history"))]
    assert listed == [
        "Card 3 pays 500K to the bank",
        "Taken back: 2M from card 1 to the bank",
        "Card 1 passes GO and gets 2M (taken back)",
        "Card 1 pays 1,4M to card 2",
        "The game opens: 6 cards have 15M each",
    ]
    expect(user.page.locator("#history s")).to_have_text("Card 1 passes GO and gets 2M")


def line_heights(user: User, card: int) -> list[float]:
    """The heights of a card's line in the chart, from start to end."""
    line = user.page.locator(f'#chart .line[data-colour="{card}"]').get_attribute("d") or ""
    start = re.match(r"M[\d.]+ ([\d.]+)", line)
    assert start, line
    return [float(start[1]), *map(float, re.findall(r"V([\d.]+)", line))]


def test_the_clock_runs_at_the_chosen_pace(user: User) -> None:
    clock = user.unfold("time").locator("#clock")
    user.set_pace(0)
    stopped = clock.inner_text()
    user.skip_minute()
    user.until(lambda: seconds(clock) == seconds_of(stopped) + 60, "a minute later")
    user.set_pace(60)
    user.until(lambda: seconds(clock) > seconds_of(stopped) + 120, "minutes pass in seconds", 5)
    user.until_shows(DARK)


def seconds(clock: Locator) -> int:
    return seconds_of(clock.inner_text())


def seconds_of(text: str) -> int:
    hours, minutes, rest = map(int, text.split(":"))
    return hours * 3600 + minutes * 60 + rest


def test_an_unplugged_screen(user: User) -> None:
    """The box works without it, and the picture comes back."""
    user.set_pace(0)
    user.put(1, "left")
    user.set_fault("screen", on=True)
    user.until_shows(DARK)
    user.until_announced("screen unplugged")
    user.press("2M")
    user.until(lambda: user.sounds[-1] == "ok", "money moves without a screen")
    user.set_fault("screen", on=False)
    user.until_shows(screen("17M", left=1))


def test_the_buzzer_is_animated_and_can_be_muted(user: User, panel: HostedPanel) -> None:
    """Section 8: each sound is animated; a page remembers that it is muted."""
    user.page.evaluate(
        """() => {
            window.seen = 0;
            new MutationObserver(() => window.seen++)
                .observe(document.querySelector('#buzzer'), { attributes: true });
        }"""
    )
    user.put(1, "left")
    user.until(lambda: user.sounds == ["card"], "the sound of a card")
    user.until(lambda: user.page.evaluate("window.seen") >= 2, "the animation starts and ends")
    sound = user.page.get_by_role("button", name="Sound on this page")
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    user.open(panel.url)
    expect(sound).to_have_attribute("aria-pressed", "false")


def test_the_melodies_are_played(panel: HostedPanel, open_page: OpenPage) -> None:
    """Section 8: the firmware's notes at the box's volume; nothing at volume 0."""
    user = open_page(panel)
    user.page.evaluate(
        """() => {
            window.notes = [];
            const set = AudioParam.prototype.setValueAtTime;
            AudioParam.prototype.setValueAtTime = function (value, at) {
                window.notes.push(value);
                return set.call(this, value, at);
            };
        }"""
    )
    user.page.locator("body[data-audio]").wait_for(state="attached")
    user.page.locator("h1").click()
    user.page.locator("body[data-audio=running]").wait_for(state="attached")
    user.put(1, "left")
    user.until(lambda: user.page.evaluate("window.notes")[-2:] == [1568, 2093], "a card's notes")
    user.press("G")
    user.until(
        lambda: user.page.evaluate("window.notes")[-3:] == [1047, 1319, 1568], "money's notes"
    )
    user.take("left")
    user.press(",,")
    user.until(lambda: user.sounds[-2:] == ["volume", "volume"], "volume 0")
    before = user.page.evaluate("window.notes.length")
    user.put(1, "left")
    user.until(lambda: user.sounds[-1] == "card", "a card at volume 0")
    user.press("5")
    user.until_shows(screen("5", left=1, volume=0))
    assert user.page.evaluate("window.notes.length") == before


def test_folded_panels_stay_folded(user: User, panel: HostedPanel) -> None:
    """On a wide screen accounts and history are open at first."""
    folded = {
        name: user.page.locator(f"details#{name}").get_attribute("open") is None
        for name in ("accounts", "history", "time", "faults", "recording", "shortcuts")
    }
    assert [name for name, is_folded in folded.items() if not is_folded] == ["accounts", "history"]
    user.page.locator("details#accounts summary").click()
    user.unfold("faults")
    user.open(panel.url)
    expect(user.page.locator("details#accounts")).not_to_have_attribute("open", "")
    expect(user.page.locator("details#faults")).to_have_attribute("open", "")
    listed = user.unfold("shortcuts").locator("kbd").all_inner_texts()
    assert {"0", "9", ",", ".", "M", "K", "C", "Esc", "G", "F"} <= set(listed)
    go = user.page.locator("#shortcut-list dt", has_text="G").filter(has_not_text="Esc")
    expect(go.locator("kbd")).to_have_text(["G"])
