"""The firmware's end of its line to the panel: what hands do comes in, what shows goes out.

The line is a pair of pipes, standard input and output; every message is a line of JSON. A
panel that is gone closes them, and the box stops.
"""

import json
import os
import time
from base64 import b64encode
from collections import deque
from typing import Any

from firmware.run_command import Stop
from hal.sounds import Sound
from hal.view import View
from sim.panel import actions
from sim.panel.actions import Done
from sim.panel.messages import Seen, Start
from sim.panel.screen_words import words_of


class Link:
    """The firmware's end. Only the first line is waited for here; the rest ends a board's wait."""

    def __init__(self, ear: int, mouth: int) -> None:
        self.stop = Stop()
        self.ear = ear
        self._mouth = mouth
        self._heard = b""
        self._heard_at: int | None = None
        self._lines: deque[str] = deque()

    def start(self) -> Start:
        while not (self._lines or self.stop.asked):
            self.listen()
        self._heard_at = None
        return Start(**json.loads(self._lines.popleft()))

    def listen(self) -> None:
        """Take in what is there; call it when there is something."""
        heard = os.read(self.ear, 65536)
        if not heard:
            self.stop.asked = True
            return
        self._heard_at = time.monotonic_ns()
        *lines, self._heard = (self._heard + heard).split(b"\n")
        self._lines += [line.decode() for line in lines]

    def next(self) -> Done | None:
        """What a hand did, oldest first; None when nothing more is known."""
        if not self._lines:
            return None
        action = actions.read(self._lines.popleft()).action
        assert isinstance(action, Done), f"{action} is not done to a box"
        return action

    def show(self, view: View, pages: list[bytes], *, asleep: bool) -> None:
        """A picture, the same in words, and whether it is dark because the box sleeps."""
        words = words_of(view, asleep=asleep, took=self._took())
        self._tell({"screen": words, "pages": b64encode(b"".join(pages)).decode()})

    def _took(self) -> int | None:
        """Microseconds since a hand did something, if the last picture was before that."""
        heard, self._heard_at = self._heard_at, None
        return None if heard is None else (time.monotonic_ns() - heard) // 1_000

    def sound(self, sound: Sound, volume: int) -> None:
        self._tell({"sound": sound.value, "volume": volume})

    def step(self, line: str, seen: Seen) -> None:
        """A line of the script that is being recorded, and what could be expected after it."""
        self._tell({"step": line, "seen": seen._asdict()})

    def _tell(self, message: dict[str, Any]) -> None:
        left = json.dumps(message).encode() + b"\n"
        while left:
            left = left[os.write(self._mouth, left) :]
