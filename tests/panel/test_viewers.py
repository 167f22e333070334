"""Several pages at one box, and pages that reconnect."""

import json

from playwright.sync_api import WebSocketRoute, expect

from hal.display.messages import Text
from tests.panel.conftest import OpenPage
from tests.panel.panels import HostedPanel, PanelProcess
from tests.panel.user import screen


def test_two_pages_operate_the_same_box(panel: HostedPanel, open_page: OpenPage) -> None:
    """S1, M4: one page puts a card in, the other presses a key."""
    first, second = open_page(panel), open_page(panel)
    first.set_pace(0)
    second.unfold("time")
    second.until_pressed('[data-pace="0"]')
    first.put(1, "left")
    second.until_in("left", 1)
    second.until_shows(screen("1", card=1, left=1))
    second.press("2")
    first.until_shows(screen("2", left=1))
    first.press("M")
    for user in (first, second):
        user.until_shows(screen("17M", left=1))
    second.take("left")
    first.until_in("left", None)


def test_a_key_held_by_another_page_shows_as_down(panel: HostedPanel, open_page: OpenPage) -> None:
    """Until its last holder releases it, or closes the page."""
    first, second = open_page(panel), open_page(panel)
    first.hold("5")
    expect(second.key("5")).to_have_class("key digit down")
    second.press("5")
    expect(first.key("5")).to_have_class("key digit down")
    first.release()
    expect(second.key("5")).to_have_class("key digit")
    first.hold("7")
    expect(second.key("7")).to_have_class("key digit down")
    first.page.close()
    expect(second.key("7")).to_have_class("key digit")


def test_a_page_opened_later_shows_the_current_state(
    panel: HostedPanel, open_page: OpenPage
) -> None:
    first = open_page(panel)
    first.set_pace(0)
    first.put(1, "right")
    first.press("16M")
    later = open_page(panel)
    later.until_shows(screen("15M", Text.NO_FUNDS, right=1))
    later.until_in("right", 1)


def test_a_page_reconnects_and_shows_the_current_state(
    panel: HostedPanel, open_page: OpenPage
) -> None:
    first, second = open_page(panel), open_page(panel)
    cut: list[bool] = [False]
    routes: list[WebSocketRoute] = []

    def connect(route: WebSocketRoute) -> None:
        if cut[0]:
            route.close()
            return
        route.connect_to_server()
        routes.append(route)

    first.page.route_web_socket("**/box", connect)
    first.open(panel.url)
    first.until_shows(screen())
    second.set_pace(0)

    cut[0] = True
    routes[-1].close()
    expect(first.page.locator("#lost")).to_have_text("Connection lost; trying again…")
    second.put(1, "left")
    second.press("1,5")
    second.until_shows(screen("1,5", left=1))

    cut[0] = False
    expect(first.page.locator("#lost")).to_be_hidden(timeout=10_000)
    first.until_shows(screen("1,5", left=1))
    first.until_in("left", 1)
    first.press("M")
    first.until_shows(screen("16,5M", left=1))


def test_a_restarted_server(own_panel: PanelProcess, open_page: OpenPage) -> None:
    """P3: with the same port and ledger the page reconnects, and the game continues."""
    user = open_page(own_panel)
    user.put(1, "left")
    user.press("G")
    user.until_shows(screen("17M", left=1))
    own_panel.kill()
    expect(user.page.locator("#lost")).to_be_visible()
    own_panel.start()
    expect(user.page.locator("#lost")).to_be_hidden(timeout=10_000)
    user.until_shows(screen())
    user.put(1, "right")
    user.until_shows(screen("17M", right=1))


def test_a_disconnected_page_is_inert(own_panel: PanelProcess, open_page: OpenPage) -> None:
    """And it says so, also to screen readers."""
    user = open_page(own_panel)
    user.until_shows(screen())
    assert own_panel.stop() == 0
    lost = user.page.get_by_role("alert")
    expect(lost).to_have_text("Connection lost; trying again…")
    for control in (
        user.key("5"),
        user.rack(1),
        user.slot("left"),
        user.page.locator("#power"),
    ):
        assert control.evaluate("control => control.closest('[inert]') !== null"), control


def test_a_silent_connection_is_replaced(panel: HostedPanel, open_page: OpenPage) -> None:
    """After forty seconds without a message or heartbeat the page reconnects."""
    user = open_page(panel)
    silent: list[bool] = [True]

    def connect(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        if silent[0]:
            passed_on: list[None] = []

            def pass_on(message: str | bytes) -> None:
                passed_on.append(None)
                if len(passed_on) <= 5:
                    route.send(message)

            server.on_message(pass_on)

    user.page.route_web_socket("**/box", connect)
    user.page.clock.install()
    user.open(panel.url)
    user.until_shows(screen())
    user.page.clock.fast_forward(39_000)
    expect(user.page.locator("#lost")).to_be_hidden()
    silent[0] = False
    user.page.clock.fast_forward(2_000)
    expect(user.page.locator("#lost")).to_be_visible()
    user.page.clock.fast_forward(3_000)
    expect(user.page.locator("#lost")).to_be_hidden()
    user.until_shows(screen())


def test_a_heartbeat_is_answered(panel: HostedPanel, open_page: OpenPage) -> None:
    """Each one once, and the hello message too."""
    user = open_page(panel)
    answers: list[str | bytes] = []
    routes: list[WebSocketRoute] = []

    def connect(route: WebSocketRoute) -> None:
        route.on_message(lambda answer: answers.append(answer))
        route.connect_to_server().on_message(lambda message: route.send(message))
        routes.append(route)

    user.page.route_web_socket("**/box", connect)
    user.open(panel.url)
    for _ in range(2):
        routes[-1].send('{"beat":true}')
    user.until(lambda: len(answers) == 3, "both are answered")
    assert [json.loads(answer)["do"] for answer in answers] == ["beat"] * 3
