"""What lies beside the box: accounts, chart, history, time, faults, and the buzzer."""

import re

from playwright.sync_api import Locator, expect

from tests.panel.conftest import OpenPage
from tests.panel.hands import DARK, Hands, screen
from tests.panel.served import Served


def play_a_round(hands: Hands) -> None:
    """Card 1 pays card 2 a rent, gets a salary by mistake and gives it back; card 3 pays a tax."""
    hands.at_pace(0)
    hands.put(2, "left")
    hands.put(1, "right")
    hands.press("1,4M")
    hands.until_shows(screen("13,6M", left=2, right=1))
    hands.take("left")
    hands.take("right")
    hands.put(1, "left")
    hands.press("G")
    hands.until_shows(screen("15,6M", left=1))
    hands.press("C")
    hands.until_shows(screen("13,6M", left=1))
    hands.take("left")
    hands.put(3, "right")
    hands.press("500K")
    hands.until_shows(screen("14,5M", right=3))


def rows(listed: Locator) -> list[str]:
    """What each line of a list says, on one line."""
    return [re.sub(r"\s+", " ", text).strip() for text in listed.locator("li").all_inner_texts()]


def width(what: Locator) -> float:
    box = what.bounding_box()
    assert box
    return box["width"]


def test_accounts_chart_and_history(hands: Hands) -> None:
    """What each has, what each had, and how it came to that."""
    play_a_round(hands)
    accounts = hands.unfold("accounts")
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
        assert abs(bar / bars[1] - balance / 16.4) < 0.02, "a bar is as long as its balance"

    chart = hands.page.locator("#chart")
    words = r"Balances.* 4\b.* Most: card 2, 16,4M\. Least: card 1, 13,6M\."
    expect(chart).to_have_accessible_name(re.compile(words))
    heights = [line_heights(hands, card) for card in range(1, 7)]
    opening = heights[5][0]
    assert heights[5] == [opening], "card 6 stays where it was"
    assert heights[1][-1] < opening < heights[2][-1] < heights[0][-1], "the highest has the most"
    assert len(heights[0]) == 4, "card 1: the opening, a rent, a salary, and the salary taken back"
    assert heights[0][1] == heights[0][3]

    listed = [re.sub(r"^\d\d:\d\d( [AP]M)? ", "", row) for row in rows(hands.unfold("history"))]
    assert listed == [
        "Card 3 pays the bank 500K",
        "Taken back: 2M from card 1 to the bank",
        "Card 1 passes GO and gets 2M (taken back)",
        "Card 1 pays card 2 1,4M",
        "The game opens: 6 cards have 15M each",
    ]
    expect(hands.page.locator("#history s")).to_have_text("Card 1 passes GO and gets 2M")


def line_heights(hands: Hands, card: int) -> list[float]:
    """Where a card's line in the chart goes along, from its start to its end."""
    line = hands.page.locator("#chart path.line").nth(card - 1).get_attribute("d") or ""
    start = re.match(r"M[\d.]+ ([\d.]+)", line)
    assert start, line
    return [float(start[1]), *map(float, re.findall(r"V([\d.]+)", line))]


def test_the_clock_runs_at_the_chosen_pace(hands: Hands) -> None:
    clock = hands.unfold("time").locator("#clock")
    hands.at_pace(0)
    stopped = clock.inner_text()
    hands.skip_a_minute()
    hands.until(lambda: seconds(clock) == seconds_of(stopped) + 60, "a minute later")
    hands.at_pace(60)
    hands.until(lambda: seconds(clock) > seconds_of(stopped) + 120, "minutes in seconds", 5)
    hands.until_shows(DARK)


def seconds(clock: Locator) -> int:
    return seconds_of(clock.inner_text())


def seconds_of(text: str) -> int:
    hours, minutes, rest = map(int, text.split(":"))
    return hours * 3600 + minutes * 60 + rest


def test_an_unplugged_screen(hands: Hands) -> None:
    """The box goes on without it, and the picture comes back with it."""
    hands.at_pace(0)
    hands.put(1, "left")
    hands.work_fault("screen", on=True)
    hands.until_shows(DARK)
    hands.until_said("screen unplugged")
    hands.press("2M")
    hands.until(lambda: hands.sounds[-1] == "ok", "money moves without a screen")
    hands.work_fault("screen", on=False)
    hands.until_shows(screen("17M", left=1))


def test_the_buzzer_is_seen_and_can_be_silenced(hands: Hands, panel: Served) -> None:
    """Section 8: each sound is shown; whether this page sounds is its own affair."""
    hands.page.evaluate(
        """() => {
            window.seen = 0;
            new MutationObserver(() => window.seen++)
                .observe(document.querySelector('#buzzer'), { attributes: true });
        }"""
    )
    hands.put(1, "left")
    hands.until(lambda: hands.sounds == ["card"], "the sound of a card")
    hands.until(lambda: hands.page.evaluate("window.seen") >= 2, "it was seen, and is over")
    sound = hands.page.get_by_role("button", name="Sound on this page")
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    hands.come(panel.url)
    expect(sound).to_have_attribute("aria-pressed", "false")


def test_the_melodies_are_heard(panel: Served, open_page: OpenPage) -> None:
    """Section 8: the firmware's own notes, as loud as the box is; nothing at volume 0."""
    hands = open_page(panel)
    hands.page.evaluate(
        """() => {
            window.notes = [];
            const set = AudioParam.prototype.setValueAtTime;
            AudioParam.prototype.setValueAtTime = function (value, at) {
                window.notes.push(value);
                return set.call(this, value, at);
            };
        }"""
    )
    hands.page.locator("h1").click()
    hands.put(1, "left")
    hands.until(lambda: hands.page.evaluate("window.notes")[-2:] == [1568, 2093], "a card's notes")
    hands.press("G")
    hands.until(
        lambda: hands.page.evaluate("window.notes")[-3:] == [1047, 1319, 1568], "money's notes"
    )
    hands.take("left")
    hands.press(",,")
    hands.until(lambda: hands.sounds[-2:] == ["volume", "volume"], "down to silence")
    before = hands.page.evaluate("window.notes.length")
    hands.put(1, "left")
    hands.until(lambda: hands.sounds[-1] == "card", "a card, in silence")
    hands.press("5")
    hands.until_shows(screen("5", left=1, volume=0))
    assert hands.page.evaluate("window.notes.length") == before


def test_what_is_folded_stays_folded(hands: Hands, panel: Served) -> None:
    """On a wide screen accounts and history are open at first; shortcuts can be looked up."""
    folded = {
        part: hands.page.locator(f"details#{part}").get_attribute("open") is None
        for part in ("accounts", "history", "time", "faults", "recording", "shortcuts")
    }
    assert [part for part, is_folded in folded.items() if not is_folded] == ["accounts", "history"]
    hands.page.locator("details#accounts summary").click()
    hands.unfold("faults")
    hands.come(panel.url)
    expect(hands.page.locator("details#accounts")).not_to_have_attribute("open", "")
    expect(hands.page.locator("details#faults")).to_have_attribute("open", "")
    listed = hands.unfold("shortcuts").locator("kbd").all_inner_texts()
    assert {"0", "9", ",", ".", "M", "K", "C", "Esc", "G", "Enter", "F"} <= set(listed)
