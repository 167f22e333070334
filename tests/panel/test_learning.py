"""Learning to be the banker: ten tasks on the page, by mouse, by keyboard, on a phone."""

from playwright.sync_api import Locator, ViewportSize, expect

from sim.learn.task import all_tasks
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.panels import HostedPanel
from tests.panel.test_keyboard_only import focused, go_to_card, tab_to
from tests.panel.user import User, screen

PHONES = [(360, 740), (390, 844)]
SIZES = [*PHONES, (740, 360), (820, 1180), (1180, 820), (1440, 900)]
MIN_TOUCH_SIZE = 44
"""CSS pixels."""


def part(user: User, name: str) -> Locator:
    return user.page.locator(f"#lesson-{name}")


def begin(user: User, number: int = 1) -> None:
    """Start the trainer, and skip the tasks before."""
    user.page.locator("#learn").click()
    for before in range(1, number):
        expect(part(user, "title")).to_have_text(all_tasks()[before - 1].title.en)
        part(user, "next").click()
    expect(part(user, "title")).to_have_text(all_tasks()[number - 1].title.en)


def test_a_task_after_the_other_and_back_to_the_game(user: User) -> None:
    user.put(1, "left")
    user.press("5M")
    user.until_shows(screen("20M", left=1))
    expect(user.page.locator("#lesson")).to_be_hidden()
    begin(user)
    expect(user.page.locator("#learn")).to_be_hidden()
    expect(part(user, "number")).to_have_text("Task 1 of 10")
    expect(part(user, "text")).to_have_text(all_tasks()[0].text.en)
    user.until_in("left", None)
    user.put(1, "left")
    user.press("20M")
    expect(part(user, "said")).to_have_text(
        "The bank has paid 20M instead of 2M. Press C to take it back, or start the task again."
    )
    user.press("C")
    expect(part(user, "said")).to_be_empty()
    user.press("2M")
    expect(part(user, "said")).to_have_text("Done.")
    expect(part(user, "hint")).to_be_hidden()
    expect(part(user, "next")).to_have_text("Next task")
    part(user, "next").click()
    expect(part(user, "number")).to_have_text("Task 2 of 10")
    expect(part(user, "next")).to_have_text("Skip")
    expect(part(user, "said")).to_be_empty()
    user.until_in("left", None)
    part(user, "leave").click()
    expect(user.page.locator("#lesson")).to_be_hidden()
    user.put(1, "left")
    user.until_shows(screen("20M", left=1))


def test_the_set_up_hints_and_starting_again(user: User) -> None:
    begin(user, 3)
    user.until_in("left", 1)
    user.until_in("right", 2)
    user.until_announced("card 2 pays card 1, 14M. 1M")
    part(user, "hint").click()
    expect(part(user, "said")).to_have_text(all_tasks()[2].hint.en)
    user.press("C")
    expect(part(user, "said")).to_have_text("Good so far. Go on.")
    user.take("left")
    part(user, "again").click()
    user.until_in("left", 1)
    user.until_announced("card 2 pays card 1, 14M. 1M")
    expect(part(user, "said")).to_be_empty()


def test_m_is_held_and_the_last_task_ends(user: User) -> None:
    begin(user, 9)
    user.put(1, "left")
    user.put(2, "right")
    user.press("F1")
    user.until_announced("3M. BANKRUPT? HOLD M")
    user.hold("M")
    expect(part(user, "said")).to_have_text("Done.")
    user.release()
    part(user, "next").click()
    expect(part(user, "number")).to_have_text("Task 10 of 10")
    expect(part(user, "next")).to_be_hidden()
    user.press("F9")
    user.press("M")
    for card, worth in ((1, "2M"), (2, "5M")):
        user.put(card, "left")
        user.press(worth)
        user.take("left")
    expect(part(user, "said")).to_have_text(
        "Done. That was the last task. Leave takes you back to your game."
    )


def test_every_page_shows_the_task(panel: HostedPanel, open_page: OpenPage) -> None:
    """Each in its own language; also one that is opened later."""
    english, french = open_page(panel), open_page(panel, locale="fr-FR")
    expect(french.page.locator("#learn")).to_have_text("Apprendre")
    begin(english)
    expect(part(french, "number")).to_have_text("Exercice 1 sur 10")
    expect(part(french, "text")).to_have_text(all_tasks()[0].text.fr)
    later = open_page(panel)
    expect(part(later, "number")).to_have_text("Task 1 of 10")
    french.press("2")
    expect(part(french, "said")).to_have_text(
        "Aucune carte n’est là : mettez-en une d’abord.", use_inner_text=False
    )
    part(french, "leave").click()
    expect(english.page.locator("#lesson")).to_be_hidden()


def test_a_recording_and_a_task_exclude_each_other(user: User) -> None:
    user.unfold("recording").locator("#record").click()
    expect(user.page.locator("#recording-mark")).to_be_visible()
    expect(user.page.locator("#learn")).to_be_hidden()
    user.page.locator("#record").click()
    begin(user)
    user.page.locator("#record").click()
    expect(user.page.locator("#toast")).to_have_text("Not during a task: leave the tasks first.")


def test_sim_learn_begins_with_the_first_task(start_panel: StartPanel, open_page: OpenPage) -> None:
    """In French, on a French box; the banker's ledger is there afterwards, as it was."""
    panel = start_panel("--learn", "--language", "fr")
    user = open_page(panel, locale="fr-FR")
    expect(part(user, "title")).to_have_text(all_tasks()[0].title.fr)
    before = panel.ledger.read_bytes()
    user.put(1, "left")
    user.press("2M")
    expect(part(user, "said")).to_have_text("C’est fait.")
    assert panel.ledger.read_bytes() == before
    part(user, "leave").click()
    expect(user.page.locator("#lesson")).to_be_hidden()
    user.put(1, "left")
    user.until_announced("15M")


def test_with_the_keyboard_alone(user: User) -> None:
    """The focus goes to the task, and comes back to the button."""
    keyboard = user.page.keyboard
    tab_to(user, "learn")
    keyboard.press("Enter")
    expect(part(user, "title")).to_have_text(all_tasks()[0].title.en)
    user.until(lambda: focused(user) == "lesson-title", "the focus is in the task")
    tab_to(user, "lesson-hint")
    keyboard.press("Enter")
    expect(part(user, "said")).to_have_text(all_tasks()[0].hint.en)
    go_to_card(user, 1)
    keyboard.press("Enter")
    keyboard.press("ArrowLeft")
    user.until_in("left", 1)
    keyboard.type("2M")
    expect(part(user, "said")).to_have_text("Done.")
    tab_to(user, "lesson-next")
    keyboard.press("Enter")
    expect(part(user, "number")).to_have_text("Task 2 of 10")
    user.until(lambda: focused(user) == "lesson-next", "the focus has stayed")
    tab_to(user, "lesson-leave")
    keyboard.press("Space")
    expect(user.page.locator("#lesson")).to_be_hidden()
    user.until(lambda: focused(user) == "learn", "the focus is back")


def test_what_is_said_is_announced(user: User) -> None:
    begin(user)
    expect(part(user, "task")).to_have_attribute("aria-live", "polite")
    expect(part(user, "said")).to_have_role("status")
    expect(user.page.locator("#lesson")).to_have_accessible_name(all_tasks()[0].title.en)


def test_a_task_fits_at_every_size(panel: HostedPanel, open_page: OpenPage) -> None:
    """The longest texts; on a phone in portrait, the box and the cards are in view as well."""
    user = open_page(panel, locale="fr-FR")
    user.page.locator("#learn").click()
    longest = max(range(10), key=lambda at: len(all_tasks()[at].text.fr))
    for at in range(longest):
        expect(part(user, "title")).to_have_text(all_tasks()[at].title.fr)
        part(user, "next").click()
    expect(part(user, "title")).to_have_text(all_tasks()[longest].title.fr)
    for width, height in SIZES:
        user.page.set_viewport_size(ViewportSize(width=width, height=height))
        user.page.evaluate("window.scrollTo(0, 0)")
        where = f"at {width}×{height}"
        assert user.page.evaluate("document.scrollingElement.scrollWidth") <= width, where
        for name in ("hint", "again", "next", "leave"):
            box = part(user, name).bounding_box()
            assert box, where
            assert box["y"] + box["height"] <= height, f"{where}: {name}"
            if height > width:
                assert min(box["width"], box["height"]) >= MIN_TOUCH_SIZE, f"{where}: {name}"
        lesson = user.page.locator("#lesson").bounding_box()
        stage = user.page.locator("#box").bounding_box()
        assert lesson, where
        assert stage, where
        assert stage["y"] + stage["height"] <= height, f"{where}: the box is cut off"
    for width, height in PHONES:
        user.page.set_viewport_size(ViewportSize(width=width, height=height))
        card = user.rack(1).bounding_box()
        assert card
        assert card["y"] + card["height"] <= height, f"at {width}×{height} the cards are cut off"
