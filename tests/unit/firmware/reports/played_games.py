"""Games to report on, and readers of a report as text and as a page."""

from html.parser import HTMLParser

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.reports import text as report_text
from firmware.reports.report import Report, report_of
from firmware.storage.store import Store

BANKING = editions.load("banking")
MILLION = 1_000_000


class Table:
    """A ledger in memory with a settable clock."""

    def __init__(self, cards: int = 4, edition: editions.Edition = BANKING) -> None:
        self.now = 1_000
        self.store = Store.in_memory(lambda: self.now)
        self.ledger = Ledger(self.store, edition)
        self.ledger.know([bytes([n] * 4) for n in range(1, cards + 1)])

    def pay(self, payer: int, payee: int, millions: int, purpose: Purpose = Purpose.ENTRY) -> None:
        self.now += 60
        self.ledger.move(payer, payee, millions * MILLION, purpose)

    def undo(self) -> None:
        self.ledger.reverse(self.ledger.moves[0])

    def ruin(self, payer: int, payee: int = BANK) -> None:
        self.ledger.move(payer, payee, self.ledger.balance(payer), Purpose.BANKRUPTCY)

    def count(self, **added: int) -> None:
        """How many millions more than its balance each card is worth."""
        self.ledger.open_count()
        for card, millions in added.items():
            self.ledger.count(int(card.removeprefix("card")), millions * MILLION)

    def report(self, game: int | None = None) -> Report:
        return report_of(self.store._connection, game or self.ledger.game)


class Page(HTMLParser):
    """Parses a page, and checks that every element is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [
            found
            for name, found in self.elements
            if name == tag and attributes.items() <= found.items()
        ]


def text(report: Report) -> str:
    return "\n".join(report_text.lines(report))
