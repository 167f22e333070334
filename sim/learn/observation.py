"""What the trainer observes of a box: what shows, and what the ledger holds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from firmware.bank.ledger import Ledger
from hal.display.view import View
from sim.script.language import Subject
from sim.script.player import on_screen

ON_SCREEN = (Subject.SCREEN, Subject.MESSAGE, Subject.STATUS, Subject.MENU)
"""What a goal may expect of the screen."""


class ScreenContent(NamedTuple):
    """What shows."""

    texts: Mapping[str, str]
    """By the subject of a script's expectation."""
    message: str | None
    """The name of the message's text, in any language."""
    lit: bool
    busy: bool
    """Whether an amount is half typed, or a list shows. A question has a message."""
    cards: tuple[int, ...]
    """The players' cards in the slots, as far as they show."""

    @classmethod
    def of(cls, view: View | None) -> "ScreenContent":
        """None is a screen that shows nothing."""
        return cls(
            texts={subject.value: on_screen(view, subject) for subject in ON_SCREEN},
            message=view.message.text.name if view and view.message else None,
            lit=view is not None and view.lit,
            busy=view is not None and (view.typed or view.menu is not None),
            cards=tuple(card for card in (view.occupants if view else ()) if isinstance(card, int)),
        )

    @classmethod
    def of_message(cls, message: dict[str, Any]) -> "ScreenContent":
        """From the dictionary that ``_asdict`` made, after a JSON round trip."""
        return cls(**{**message, "cards": tuple(message["cards"])})


class Holdings(NamedTuple):
    """What the ledger holds."""

    balances: Mapping[int, int]
    """By account; empty accounts are left out."""
    out: frozenset[int]
    """The bankrupt players."""
    worths: Mapping[int, int]
    """By card, in the final count; without those that were not counted."""

    @classmethod
    def of(cls, ledger: Ledger) -> "Holdings":
        worths = {card: ledger.worth(card) for card in ledger.cards}
        return cls(
            balances={account: held for account, held in ledger.accounts.items() if held},
            out=frozenset(ledger.current.out),
            worths={card: worth for card, worth in worths.items() if worth is not None},
        )

    def agrees_with(self, other: "Holdings") -> bool:
        """Whether money and bankruptcies are the same; the final count moves no money."""
        return (self.balances, self.out) == (other.balances, other.out)
