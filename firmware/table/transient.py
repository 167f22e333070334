"""What shows for a while and then passes: a message, a card's number, the payee's balance.

Nothing here ends by a timer: each thing knows since when it shows, and whoever asks
says what time it is.
"""

from typing import NamedTuple

from hal.events import SECOND, Instant
from hal.view import Message

MESSAGE_TIME = 2 * SECOND
NUMBER_TIME = 1 * SECOND
PAYER_TIME = 2 * SECOND


class Notice(NamedTuple):
    """A message (G2); C treats that of a refusal with care (G3)."""

    since: Instant
    message: Message
    refusal: bool


class Number(NamedTuple):
    """The big field shows the number of a card that was just put in (S1)."""

    since: Instant
    card: int


class Payee(NamedTuple):
    """After a transfer the payee's balance follows the payer's (S3)."""

    since: Instant
    card: int
    wait: int
    """For how long the payer's shows."""


class Passing:
    """At most one message, and at most one thing in the big field."""

    def __init__(self) -> None:
        self._notice: Notice | None = None
        self._spotlight: Number | Payee | None = None

    def say(self, now: Instant, message: Message, *, refusal: bool) -> None:
        self._notice = Notice(now, message, refusal)

    def show_number(self, now: Instant, card: int) -> None:
        self._spotlight = Number(now, card)

    def show_payee(self, now: Instant, card: int, wait: int = PAYER_TIME) -> None:
        self._spotlight = Payee(now, card, wait)

    def clear(self) -> None:
        """The next key or card ends it all (G2, G3, S3)."""
        self._notice = None
        self._spotlight = None

    def notice(self, now: Instant) -> Notice | None:
        live = self._notice is not None and now < self._notice.since + MESSAGE_TIME
        return self._notice if live else None

    def number(self, now: Instant) -> int | None:
        """The number of the card that was just put in, as long as it shows."""
        match self._spotlight:
            case Number(since, card) if now < since + NUMBER_TIME:
                return card
        return None

    def payee(self, now: Instant) -> int | None:
        """The card whose balance has taken over from the payer's."""
        match self._spotlight:
            case Payee(since, card, wait) if now >= since + wait:
                return card
        return None

    def moments(self) -> list[Instant]:
        """The instants at which something passes."""
        moments: list[int] = []
        if self._notice:
            moments.append(self._notice.since + MESSAGE_TIME)
        match self._spotlight:
            case Number(since=since):
                moments.append(since + NUMBER_TIME)
            case Payee(since=since, wait=wait):
                moments.append(since + wait)
        return [Instant(moment) for moment in moments]

    def postpone(self, planned: Instant, shown: Instant) -> None:
        """What was to show from one instant went out only at another."""
        if self._notice and self._notice.since == planned:
            self._notice = self._notice._replace(since=shown)
        if self._spotlight and self._spotlight.since == planned:
            self._spotlight = self._spotlight._replace(since=shown)
