"""The firmware's end of the link to the panel: input comes in, screens and sounds go out.

The link is standard input and output; every message is a line of JSON. When the panel is gone
the input ends, and the box stops.
"""

import json
import os
import time
from base64 import b64encode
from collections import deque
from typing import Any

from firmware.commands.run import StopFlag
from hal.display.sounds import Sound
from hal.display.view import View
from sim.learn.observation import ScreenContent
from sim.panel import actions
from sim.panel.actions import BoxAction
from sim.panel.messages import BoxStart, Observation
from sim.panel.screen_text import screen_text


class Link:
    """The link. ``start`` blocks until the first message; afterwards the board waits for input."""

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self.stop = StopFlag()
        self.input_fd = input_fd
        self._output_fd = output_fd
        self._incomplete = b""
        self._received_at: int | None = None
        self._lines: deque[str] = deque()

    def start(self) -> BoxStart:
        while not (self._lines or self.stop.asked):
            self.receive()
        self._received_at = None
        return BoxStart(**json.loads(self._lines.popleft()))

    def receive(self) -> None:
        """Read what is available; blocks if there is nothing."""
        data = os.read(self.input_fd, 65536)
        if not data:
            self.stop.asked = True
            return
        self._received_at = time.monotonic_ns()
        *lines, self._incomplete = (self._incomplete + data).split(b"\n")
        self._lines += [line.decode() for line in lines]

    def next_action(self) -> BoxAction | None:
        """The oldest action in the queue, or None."""
        if not self._lines:
            return None
        action = actions.read(self._lines.popleft()).action
        assert isinstance(action, BoxAction), f"{action} is not an action on the box"
        return action

    def put_back(self, action: BoxAction) -> None:
        """Return this action again, before all others."""
        self._lines.appendleft(actions.write(action))

    def show(self, view: View, pages: list[bytes], *, asleep: bool) -> None:
        """Send a screen as text and pixels; ``asleep``: it is dark because the box sleeps."""
        screen = screen_text(view, asleep=asleep, took=self._took())
        self._send({"screen": screen, "pages": b64encode(b"".join(pages)).decode()})

    def _took(self) -> int | None:
        """Microseconds since the last input; None if a screen was sent since then."""
        received, self._received_at = self._received_at, None
        return None if received is None else (time.monotonic_ns() - received) // 1_000

    def sound(self, sound: Sound, volume: int) -> None:
        self._send({"sound": sound.value, "volume": volume})

    def step(self, line: str, seen: Observation) -> None:
        """Send a line of the recorded script, and what could be expected after it."""
        self._send({"step": line, "seen": seen._asdict()})

    def shows(self, content: ScreenContent) -> None:
        """Send what the trainer observes of the screen."""
        self._send({"shows": content._asdict()})

    def _send(self, message: dict[str, Any]) -> None:
        left = json.dumps(message).encode() + b"\n"
        while left:
            left = left[os.write(self._output_fd, left) :]
