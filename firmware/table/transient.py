"""What shows only for a while: a message, a card's number, the payee's balance.

There are no timers. Each thing knows since when it shows, and the caller says what time it is.
"""

from enum import Enum, auto
from typing import NamedTuple

from hal.display.messages import Message
from hal.events import SECOND, Instant

MESSAGE_TIME = 2 * SECOND
NUMBER_TIME = 1 * SECOND
PAYER_TIME = 2 * SECOND


class NoticeKind(Enum):
    """How long a message shows (G2)."""

    NEWS = auto()
    """For two seconds at most."""
    RESULT = auto()
    """Until the next key or card."""
    REFUSAL = auto()
    """Until the next key or card; a short C only clears it (G3)."""


class Notice(NamedTuple):
    """A message."""

    since: Instant
    message: Message
    kind: NoticeKind

    @property
    def is_refusal(self) -> bool:
        return self.kind is NoticeKind.REFUSAL

    @property
    def ends(self) -> Instant | None:
        return Instant(self.since + MESSAGE_TIME) if self.kind is NoticeKind.NEWS else None


class Number(NamedTuple):
    """The big field shows the number of a card that was just put in (S1)."""

    since: Instant
    card: int


class Payee(NamedTuple):
    """After a transfer the payee's balance follows the payer's (S3)."""

    since: Instant
    card: int
    wait: int
    """How long the payer's balance shows first."""


class Transient:
    """At most one message, and at most one thing in the big field."""

    def __init__(self) -> None:
        self._notice: Notice | None = None
        self._spotlight: Number | Payee | None = None
        self.status: Message | None = None
        """What has just moved (N4)."""

    def say(self, now: Instant, message: Message, kind: NoticeKind) -> None:
        self._notice = Notice(now, message, kind)

    def show_number(self, now: Instant, card: int) -> None:
        self._spotlight = Number(now, card)

    def show_payee(self, now: Instant, card: int, wait: int = PAYER_TIME) -> None:
        self._spotlight = Payee(now, card, wait)

    def clear(self) -> None:
        """The next key or card ends all of it (G2, G3, S3)."""
        self._notice = None
        self._spotlight = None
        self.status = None

    def notice(self, now: Instant) -> Notice | None:
        ends = self._notice.ends if self._notice else None
        return self._notice if ends is None or now < ends else None

    def number(self, now: Instant) -> int | None:
        """The number of the card that was just put in, while it shows."""
        match self._spotlight:
            case Number(since, card) if now < since + NUMBER_TIME:
                return card
        return None

    def payee(self, now: Instant) -> int | None:
        """The card whose balance shows now instead of the payer's."""
        match self._spotlight:
            case Payee(since, card, wait) if now >= since + wait:
                return card
        return None

    def moments(self) -> list[Instant]:
        """The instants at which something stops or starts to show."""
        moments: list[int] = []
        if self._notice and self._notice.ends is not None:
            moments.append(self._notice.ends)
        match self._spotlight:
            case Number(since=since):
                moments.append(since + NUMBER_TIME)
            case Payee(since=since, wait=wait):
                moments.append(since + wait)
        return [Instant(moment) for moment in moments]

    def postpone(self, planned: Instant, shown: Instant) -> None:
        """Restart the display times, if the screen was drawn later than planned."""
        if self._notice and self._notice.since == planned:
            self._notice = self._notice._replace(since=shown)
        if self._spotlight and self._spotlight.since == planned:
            self._spotlight = self._spotlight._replace(since=shown)
