"""Several pages at one box, and a page that loses its line and finds it again."""

import json

from playwright.sync_api import WebSocketRoute, expect

from hal.view import Text
from tests.panel.conftest import OpenPage
from tests.panel.hands import screen
from tests.panel.served import Served


def test_two_pages_show_and_work_the_same_box(panel: Served, open_page: OpenPage) -> None:
    """S1, M4: a card put in at one, a key pressed at the other."""
    mine, yours = open_page(panel), open_page(panel)
    mine.at_pace(0)
    yours.unfold("time")
    yours.until_pressed('[data-pace="0"]')
    mine.put(1, "left")
    yours.until_in("left", 1)
    yours.until_shows(screen("1", card=1, left=1))
    yours.press("2")
    mine.until_shows(screen("2", left=1))
    mine.press("M")
    for hands in (mine, yours):
        hands.until_shows(screen("17M", left=1))
    yours.take("left")
    mine.until_in("left", None)


def test_a_key_that_somebody_else_holds_is_seen_down(panel: Served, open_page: OpenPage) -> None:
    """Until the last finger has left it; also when that one's page is closed."""
    mine, yours = open_page(panel), open_page(panel)
    mine.hold("5")
    expect(yours.key("5")).to_have_class("key digit down")
    yours.press("5")
    expect(mine.key("5")).to_have_class("key digit down")
    mine.let_go()
    expect(yours.key("5")).to_have_class("key digit")
    mine.hold("7")
    expect(yours.key("7")).to_have_class("key digit down")
    mine.page.close()
    expect(yours.key("7")).to_have_class("key digit")


def test_a_page_that_comes_later_sees_the_box_as_it_is(panel: Served, open_page: OpenPage) -> None:
    mine = open_page(panel)
    mine.at_pace(0)
    mine.put(1, "right")
    mine.press("16M")
    later = open_page(panel)
    later.until_shows(screen("15M", Text.NO_FUNDS, right=1))
    later.until_in("right", 1)


def test_a_lost_connection_comes_back_with_the_right_picture(
    panel: Served, open_page: OpenPage
) -> None:
    """The line of one page is cut; what happens meanwhile it sees when it is back."""
    mine, yours = open_page(panel), open_page(panel)
    cut: list[bool] = [False]
    lines: list[WebSocketRoute] = []

    def connect(line: WebSocketRoute) -> None:
        if cut[0]:
            line.close()
            return
        line.connect_to_server()
        lines.append(line)

    mine.page.route_web_socket("**/box", connect)
    mine.come(panel.url)
    mine.until_shows(screen())
    yours.at_pace(0)

    cut[0] = True
    lines[-1].close()
    expect(mine.page.locator("#lost")).to_have_text("Connection lost; trying again…")
    yours.put(1, "left")
    yours.press("1,5")
    yours.until_shows(screen("1,5", left=1))

    cut[0] = False
    expect(mine.page.locator("#lost")).to_be_hidden(timeout=10_000)
    mine.until_shows(screen("1,5", left=1))
    mine.until_in("left", 1)
    mine.press("M")
    mine.until_shows(screen("16,5M", left=1))


def test_a_server_that_is_started_again(panel: Served, open_page: OpenPage) -> None:
    """P3: the same port, the same ledger: the page comes back by itself, and so does the game."""
    hands = open_page(panel)
    hands.put(1, "left")
    hands.press("G")
    hands.until_shows(screen("17M", left=1))
    panel.kill()
    expect(hands.page.locator("#lost")).to_be_visible()
    panel.start()
    expect(hands.page.locator("#lost")).to_be_hidden(timeout=10_000)
    hands.until_shows(screen())
    hands.put(1, "right")
    hands.until_shows(screen("17M", right=1))


def test_while_the_line_is_down_nothing_can_be_done(panel: Served, open_page: OpenPage) -> None:
    """And the page says so to everybody, also to who cannot see it."""
    hands = open_page(panel)
    hands.until_shows(screen())
    assert panel.stop() == 0
    lost = hands.page.get_by_role("alert")
    expect(lost).to_have_text("Connection lost; trying again…")
    for control in (
        hands.key("5"),
        hands.rack(1),
        hands.slot("left"),
        hands.page.locator("#power"),
    ):
        assert control.evaluate("control => control.closest('[inert]') !== null"), control


def test_a_line_that_has_gone_silent_is_given_up(panel: Served, open_page: OpenPage) -> None:
    """Forty seconds without a word, not even a heartbeat, and the page looks for a new line."""
    hands = open_page(panel)
    deaf: list[bool] = [True]

    def connect(line: WebSocketRoute) -> None:
        server = line.connect_to_server()
        if deaf[0]:
            told: list[None] = []

            def pass_on(message: str | bytes) -> None:
                told.append(None)
                if len(told) <= 5:
                    line.send(message)

            server.on_message(pass_on)

    hands.page.route_web_socket("**/box", connect)
    hands.page.clock.install()
    hands.come(panel.url)
    hands.until_shows(screen())
    hands.page.clock.fast_forward(39_000)
    expect(hands.page.locator("#lost")).to_be_hidden()
    deaf[0] = False
    hands.page.clock.fast_forward(2_000)
    expect(hands.page.locator("#lost")).to_be_visible()
    hands.page.clock.fast_forward(3_000)
    expect(hands.page.locator("#lost")).to_be_hidden()
    hands.until_shows(screen())


def test_a_heartbeat_is_answered(panel: Served, open_page: OpenPage) -> None:
    """Every time, and with nothing else; and once for the greeting."""
    hands = open_page(panel)
    answers: list[str | bytes] = []
    lines: list[WebSocketRoute] = []

    def connect(line: WebSocketRoute) -> None:
        line.on_message(lambda answer: answers.append(answer))
        line.connect_to_server().on_message(lambda told: line.send(told))
        lines.append(line)

    hands.page.route_web_socket("**/box", connect)
    hands.come(panel.url)
    for _ in range(2):
        lines[-1].send('{"beat":true}')
    hands.until(lambda: len(answers) == 3, "both are answered")
    assert [json.loads(answer)["do"] for answer in answers] == ["beat"] * 3
