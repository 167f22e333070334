"""The software board during a task of the trainer.

It plays the set-up before any other input, and then sends what shows after each input, and whenever
that changes, so a task is judged only after the box has handled each input.
"""

from collections import deque
from collections.abc import Sequence

from hal.events import Event, Instant, Slot
from sim.learn.observation import ScreenContent
from sim.panel import actions
from sim.panel.actions import BoxAction, PutCard, TakeCard
from sim.panel.box.link import Link
from sim.panel.box.pace import PacedWaiter
from sim.panel.box.panel_board import PanelBoard
from sim.panel.messages import BoxStart


class LessonBoard(PanelBoard):
    """After a power cut in a task there is no set-up, and the cards are in the slots."""

    def __init__(self, link: Link, start: BoxStart, waiter: PacedWaiter | None = None) -> None:
        set_up = [_box_action(message) for message in start.setup or ()]
        before = start._replace(left=None, right=None) if set_up else start
        super().__init__(link, before, waiter)
        self._set_up = deque([*set_up, *_moved_since(set_up, start)] if set_up else ())
        self._sent: ScreenContent | None = None

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """Return the events of the set-up first; the box's time does not pass meanwhile."""
        while self._set_up and not self.pending:
            self._apply(self._set_up.popleft())
        if not self.pending:
            self._send()
        return super().wait(until)

    def _apply(self, action: BoxAction) -> None:
        self._sent = None  # even if nothing changes on the screen, money may have moved
        super()._apply(action)

    def _send(self) -> None:
        content = ScreenContent.of(self.screen.view)
        if content != self._sent:
            self._sent = content
            self._link.shows(content)


def _box_action(message: str) -> BoxAction:
    action = actions.read(message).action
    assert isinstance(action, BoxAction), f"{action} is not an action on the box"
    return action


def _moved_since(set_up: list[BoxAction], start: BoxStart) -> list[BoxAction]:
    """The cards that a viewer has moved since the set-up, while this process was being started."""
    slots: dict[int, Slot] = {}
    for action in set_up:
        if isinstance(action, PutCard):
            slots[action.card] = action.slot
        elif isinstance(action, TakeCard):
            del slots[action.card]
    cards = ((start.left, Slot.LEFT), (start.right, Slot.RIGHT))
    now = {card: slot for card, slot in cards if card is not None}
    taken = [TakeCard(card) for card in slots if now.get(card) is not slots[card]]
    put = [PutCard(card, slot) for card, slot in now.items() if slots.get(card) is not slot]
    return [*taken, *put]
