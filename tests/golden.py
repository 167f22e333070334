"""A picture of every screen that the rules name, for the docs and for the tests.

``python -m tests.golden`` draws them into docs/screens, and writes docs/screens.md, which shows
them. Each state is reached by playing a script on the real box. A few that no script can reach are
another state's view with another message.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from firmware.bank import edition as editions
from hal.display.messages import Language, Message, Text
from hal.display.renderer import FIELD_TOP, HEIGHT, MESSAGE_TOP, WIDTH, draw
from hal.display.view import View, ledger_error
from sim.board.software_harness import SoftwareHarness
from sim.script.language import read_script
from sim.script.player import perform

DOCS = Path(__file__).parent.parent / "docs"
FOLDER = DOCS / "screens"
FRENCH_FOLDER = FOLDER / "fr"
PAGE = DOCS / "screens.md"
SCALE = 3
"""Enlarges the pixels of the OLED for a browser."""


class State(NamedTuple):
    """The script that leads to a screen, and the caption of its picture."""

    script: str
    caption: str
    message: Message | None = None
    """Replaces the message of the view, if no script can cause it."""


STATES = {
    "idle": State("", "No card is in."),
    "card-number": State("insert left 3", "A card was just put in: its number, for a second."),
    "card-name": State("given name 3 Zoé\ninsert left 3", "A card that has a name."),
    "card-name-longest": State(
        "given name 5 Mömö Ww-Ww\ninsert right 5", "The longest one, as it was typed."
    ),
    "balance": State(
        "insert left 1\npress 20K\nwait 1s\npress C\ninsert right 2\nremove left\npress 20K",
        "A card's balance; above it, what moved last: card 2 paid the bank (B).",
    ),
    "balance-small": State("insert right 1\npress 14,01M", "Below a million: thousands."),
    "balance-nothing": State("insert right 1\npress 15M", "A balance of zero."),
    "balance-cut": State(
        "insert left 1\npress 8,456M\npress 20M20M20M20M20M",
        "Five digits are too few: cut, and in full on the message line.",
    ),
    "balance-plain": State("given edition europe\ninsert left 1\nwait 1s", "A plain edition."),
    "balance-francs": State("given edition france98\ninsert left 8\npress 0,1K", "Francs."),
    "entry": State(
        "insert left 1\npress 1,5",
        "An entry being typed; above it, what M and K would do: the bank pays card 1.",
    ),
    "entry-comma": State("insert left 1\npress ,", "A comma typed first."),
    "entry-longest": State("insert left 1\npress ,12345", "The longest entry."),
    "transfer-payer": State(
        "insert right 1\ninsert left 2\npress 2M",
        "After a transfer: the payer's balance for two seconds,",
    ),
    "transfer-payee": State(
        "insert right 1\ninsert left 2\npress 2M\nwait 2s", "then the payee's."
    ),
    "no-card": State("press 5", "A key that needs a card."),
    "no-amount": State("insert left 1\npress M", "A unit key with nothing typed."),
    "min": State("insert left 1\npress 1K", "Below the smallest entry."),
    "max": State("insert left 1\npress 21M", "Above the largest entry."),
    "step": State("insert left 1\npress 1,2345M", "Not a multiple of the step."),
    "no-funds": State("insert right 1\npress 16M", "More than the card holds."),
    "full": State("insert left 1\nwait 1s", "More than a card can hold.", Message(Text.FULL)),
    "clear-first": State("insert left 1\npress 1,5G", "GO while an entry is half typed."),
    "already-paid": State("insert left 1\npress GG", "GO a second time."),
    "left-card-only": State(
        "insert left 1\ninsert right 2\npress G", "GO with a card on the right."
    ),
    "same-card": State("insert left 1\ninsert right 1", "One card seen in both slots."),
    "unknown-card": State("insert left 9", "An unknown card blocks the box."),
    "one-card": State("insert left 9", "Two cards in one slot.", Message(Text.ONE_CARD)),
    "new-card": State("given cards none\ninsert left 1", "An unknown card took a number."),
    "replaced": State("insert left 3", "A card has replaced a lost one.", Message(Text.REPLACED)),
    "nothing-to-undo": State("insert left 1\npress C", "C with nothing to reverse."),
    "new-game-countdown": State(
        "insert left 1\nwait 1s", "C is being held.", Message(Text.NEW_GAME_IN, "2")
    ),
    "new-game": State("insert left 1\nhold C 3s", "C was held for three seconds."),
    "volume-0": State("press ,,", "Comma with no card in: silent,"),
    "volume-1": State("press ,,,", "soft,"),
    "volume-2": State("press ,,,,", "the default,"),
    "volume-3": State("press ,", "loud."),
    "error": State(
        "insert left 1\nwait 1s",
        "The move could not be written; nothing moved.",
        Message(Text.ERROR),
    ),
    "left-reader": State(
        "insert right 1\nwait 1s",
        "The left reader does not answer; the right slot still works.",
        Message(Text.LEFT_READER),
    ),
    "right-reader": State(
        "", "The right reader does not answer either.", Message(Text.RIGHT_READER)
    ),
    "low-power": State(
        "insert left 1\nwait 1s", "The supply is too weak.", Message(Text.LOW_POWER)
    ),
    "undone": State("insert left 1\npress 1,4M\npress C", "C took a move back."),
    "not-done": State(
        "insert left 1\ninsert right 2\npress 7\nremove right",
        "A card was taken out while an amount was being typed: C or F goes on.",
    ),
    "press-again": State("insert left 1\nwait 60s\npress G", "GO only woke the box."),
    "asleep": State("wait 60s", "The box sleeps."),
}


def salaries(*numbers: int) -> str:
    """The cards that these lines make players (F16)."""
    return "".join(f"insert left {number}\npress G\nremove left\n" for number in numbers)


FUNCTIONS = {
    "f-list": State(
        "insert left 1\ninsert right 2\npress 1M\npress F",
        "F with both cards in: what is possible now. A digit chooses.",
    ),
    "f-list-receiving": State(
        "insert left 1\npress F", "With one card in: fewer entries, each at its place."
    ),
    "f-list-first": State(
        "given edition duel-masters\ninsert left 1\ninsert right 2\npress 100M\npress F",
        "There are more: F turns the page.",
    ),
    "f-list-second": State(
        "given edition duel-masters\ngiven pot true\n"
        "insert right 2\npress F5M\ninsert left 1\npress FF",
        "The second page.",
    ),
    "f-bankrupt": State(
        "insert right 2\npress F1",
        "The whole balance of a bankrupt player; M, held for a second, moves it.",
    ),
    "f-last-player": State(
        "insert left 1\ninsert right 2\npress F1\nhold M 1s", "Only one player is left."
    ),
    "f-out": State(
        "insert right 2\npress F1\nhold M 1s\nremove right\ninsert right 2",
        "The bankrupt player's card, until the next game.",
    ),
    "f-mortgage": State("insert right 2\npress F2", "A mortgage is lifted: type its value,"),
    "f-mortgage-sum": State(
        "insert right 2\npress F2,75M", "and M pays it, with the interest and rounded up."
    ),
    "f-interest": State(
        "insert right 2\npress F3,75M", "The interest alone, when a mortgage changes hands."
    ),
    "f-utility": State(
        "insert left 1\ninsert right 2\npress F47M",
        "A utility: the dice showed 7, and M says that the owner has both.",
    ),
    "f-dice": State(
        "insert left 1\ninsert right 2\npress F413M", "Two dice cannot show that total."
    ),
    "f-fine": State("insert right 2\npress F5", "The fine."),
    "f-sell": State("insert left 1\npress F61,5M", "Half the price of what is sold back."),
    "f-again": State("insert left 1\npress 2M\npress F7", "The last amount once more."),
    "f-fight-lost": State(
        "given edition duel-masters\ninsert left 1\ninsert right 2\npress FF126M",
        "Ten times the rent.",
    ),
    "f-pot": State(
        "given pot true\ninsert right 2\npress F5M\nremove right\ninsert left 1\npress FF2",
        "House rule: everything in the pot.",
    ),
    "f-pot-tax": State(
        "given pot true\ninsert right 2\npress FF2,75M",
        "A tax, which the right card pays (P: the pot).",
    ),
    "f-pot-bank": State(
        "given pot true\npress FF22M", "With no card in, the bank pays into the pot."
    ),
    "f-history": State(
        "insert left 1\ninsert right 2\npress 2M\nwait 50s\npress 0C\nwait 40s\npress F8",
        "The moves of this game: who paid whom, what for, and how long ago.",
    ),
    "f-history-earlier": State(
        "insert left 1\ninsert right 2\npress 2M\npower off\npower on\npress F8",
        "A move from before the box was started.",
    ),
    "f-history-salary": State(
        "insert left 1\npress G\nwait 12s\npress F8", "The bank (B) paid at GO."
    ),
    "f-history-bankrupt": State(
        "insert right 2\npress F1\nhold M 1s\nwait 12s\npress F8", "A player went out."
    ),
    "f-history-mortgage": State(
        "insert right 2\npress F21MM\nwait 12s\npress F8", "A mortgage was lifted."
    ),
    "f-history-rent": State(
        "insert left 1\ninsert right 2\npress F47MM\nwait 12s\npress F8", "A utility's rent."
    ),
    "f-history-fine": State("insert right 2\npress F5M\nwait 12s\npress F8", "A fine."),
    "f-history-sale": State(
        "insert left 1\npress F61,5MM\nwait 12s\npress F8", "Half a price was paid."
    ),
    "f-history-fight": State(
        "given edition duel-masters\ninsert left 1\ninsert right 2\n"
        "press FF126MM\nwait 12s\npress F8",
        "A lost fight.",
    ),
    "f-history-tax": State(
        "given pot true\ninsert right 2\npress FF22MM\nwait 12s\npress F8",
        "A tax, into the pot (P).",
    ),
    "f-undo": State(
        "insert left 1\ninsert right 2\npress 2M\npress F8M", "A second M takes the move back."
    ),
    "f-c-again": State(
        "insert left 1\ninsert right 2\npress 2M\npress F8MM",
        "It was taken back. A short C makes it again.",
    ),
    "f-history-undone": State(
        "insert left 1\ninsert right 2\npress 2M\npress F8MM\npress F8",
        "The history lists it, too,",
    ),
    "f-make-again": State(
        "insert left 1\ninsert right 2\npress 2M\npress F8MM\npress F8M",
        "and a second M makes it again.",
    ),
    "f-rulebook-only": State(
        "given undo rulebook\ninsert left 1\npress 2M\npress F8M",
        "The config file forbids it.",
    ),
    "f-count": State(
        "insert left 5\npress 2,5M\nremove left\npress F9",
        "All balances. M opens the final count.",
    ),
    "f-count-out": State(
        "given edition france98\ninsert right 2\ninsert left 7\npress F1\nhold M 1s\npress F9",
        "Eight players, one of whom is out.",
    ),
    "f-final-count": State(
        "insert left 1\npress 1MF9M\npress 1,5M",
        "The final count: a player's deeds and houses are added to the balance.",
    ),
    "f-still": State(
        f"{salaries(1, 2, 5)}insert left 5\npress F9M\nremove left",
        "Cards 1 and 2 have not been counted yet.",
    ),
    "f-still-many": State(
        f"{salaries(1, 2, 3, 4, 5, 6)}insert left 1\npress F9M\nremove left",
        "More than four cards.",
    ),
    "f-end-count": State(
        f"{salaries(1, 2)}press F9MM",
        "A second M ends the count: other cards are worth what they hold.",
    ),
    "f-winner": State(
        f"{salaries(1, 2, 3)}insert left 3\npress F9M\n"
        "press 1,5M\nremove left\ninsert left 1\npress 3,2M\nremove left\n"
        "insert left 2\nremove left",
        "All players have been counted.",
    ),
    "f-winners": State(
        f"given edition france98\n{salaries(1, 2, 3, 4, 5, 6, 7, 8)}"
        "insert right 2\npress F1\nhold M 1s\nremove right\n"
        "insert right 7\npress F1\nhold M 1s\nremove right\npress F9MMM",
        "Six equal players, and two who are out.",
    ),
    "f-game": State(
        "insert left 1\npress 1M\nhold C 3s\npress F0", "What the next new game will be."
    ),
    "f-next": State("press F02", "A fast game, when C is held next."),
    "f-clock": State("press F0390", "A timed game: type the minutes, then M."),
    "f-next-clock": State("press F0390M", "It begins when C is held next."),
    "f-minutes": State(
        "press F0390M\nhold C 3s\ninsert left 1\nwait 5m\npress F\nwait 1s",
        "The minutes left.",
    ),
    "f-time": State("press F031M\nhold C 3s\nwait 1m", "The time is up; the final count opens."),
    "f-editions": State("press F04", "The editions."),
    "f-next-edition": State("press F044", "The edition of the next game."),
    "f-forget": State("press F053", "Type the number of the card to forget, then M."),
    "f-forget-card": State("press F053M", "What it holds: M gives it back to the bank."),
    "f-forgotten": State("press F053MM", "Its number is free for another card."),
    "f-back": State(
        "insert left 1\npress 1M\nhold C 3s\npress F06",
        "A new game was a mistake: M goes back to the previous one,",
    ),
    "f-game-back": State(
        "insert left 1\npress 1M\nhold C 3s\npress F06M", "which continues as it was left."
    ),
}
"""What F opens (rules, section 9)."""


OF_THE_F_KEY = ("The banker's other tasks ([the rules](rules.md#9-the-f-key)).",)
IN_FRENCH = (
    'What is in French with `language = "fr"` in the config file, or `--language fr`.',
    "Everything else is the same. The rules, the scripts and the log use the English texts.",
)


@cache
def views() -> dict[str, View]:
    """The view of each state."""
    found = {name: _view(state) for name, state in STATES.items()}
    found["ledger-error"] = ledger_error()
    found["test"] = found["balance"]._replace(test=True)
    return found | {name: _view(state) for name, state in FUNCTIONS.items()}


def french_views() -> dict[str, View]:
    """The first view, in French, that shows each text of the message line."""
    lines = {name: view for name, view in views().items() if not view.menu}
    return _first_of_each(lines, lambda view: texts([view.message] if view.message else []))


def french_lists() -> dict[str, View]:
    """The first view, in French, that shows each entry of a list."""
    lists = {name: view for name, view in views().items() if view.menu}
    return _first_of_each(lists, lambda view: texts(entries(view)))


def french_statuses() -> dict[str, View]:
    """The first view, in French, that shows each text of the status row."""
    rows = {f"{name}-status": view for name, view in views().items() if not view.test}
    return _first_of_each(rows, lambda view: texts([view.middle] if view.middle else []))


def _first_of_each(
    english: dict[str, View], texts_of: Callable[[View], set[Text]]
) -> dict[str, View]:
    found: dict[str, View] = {}
    seen = {Text.WHOLE_AMOUNT, Text.NAME}
    for name, view in english.items():
        if not texts_of(view) <= seen:
            seen |= texts_of(view)
            found[name] = view._replace(language=Language.FRENCH)
    return found


def entries(view: View) -> list[Message]:
    """The entries of the list that shows."""
    return [item.content for item in view.menu.shown] if view.menu else []


def texts(messages: Iterable[Message]) -> set[Text]:
    words = [word for message in messages for word in (message.text, message.detail, message.ask)]
    return {word for word in words if isinstance(word, Text)}


def _view(state: State) -> View:
    view = play(state.script)
    return view._replace(message=state.message) if state.message else view


def play(lines: str) -> View:
    """Play a script on the real box; return the last view."""
    script = read_script("state", lines.split("\n"), editions.load(editions.DEFAULT))
    harness = SoftwareHarness().begin_new(
        script.edition, stock_known=script.stock_known, house=script.house, names=script.names
    )
    for _number, step in script.steps:
        perform(harness, step)
    assert harness.view
    return harness.view


def enlarged(picture: Image.Image) -> Image.Image:
    width, height = picture.size
    return picture.resize((width * SCALE, height * SCALE), Image.Resampling.NEAREST)


def status_row(picture: Image.Image) -> Image.Image:
    """The top row, with a margin below it."""
    return picture.crop((0, 0, WIDTH, FIELD_TOP))


def message_line(picture: Image.Image) -> Image.Image:
    """The part that depends on the language, with a margin above it."""
    return picture.crop((0, MESSAGE_TOP - 3, WIDTH, HEIGHT))


def page() -> str:
    captions = {name: state.caption for name, state in STATES.items()}
    captions["ledger-error"] = "The ledger cannot be trusted: the box shows no money."
    captions["test"] = "The serial console is open: the money is that of a scratch ledger."
    lines = [
        "# The screens",
        "",
        "Every screen of the box, drawn by the renderer (`make screens`).",
        "",
    ]
    lines += _table(captions)
    lines += ["", "## The F key", "", *OF_THE_F_KEY, ""]
    lines += _table({name: state.caption for name, state in FUNCTIONS.items()})
    lines += ["", "## In French", "", *IN_FRENCH, "", "| in French | in English |", "|---|---|"]
    for name, view in french_views().items():
        lines.append(f"| ![{view.said}](screens/fr/{name}.png) | `{view.message}` |")
    for name, view in french_statuses().items():
        said = view.title(view.language)
        lines.append(f"| ![{said}](screens/fr/{name}.png) | `{view.status}` |")
    for name, view in french_lists().items():
        said = ", ".join(message.translated(view.language) for message in entries(view))
        meant = ", ".join(f"`{message}`" for message in entries(view))
        lines.append(f"| ![{said}](screens/fr/{name}.png) | {meant} |")
    return "\n".join(lines) + "\n"


def _table(captions: dict[str, str]) -> list[str]:
    rows = [f"| ![{name}](screens/{name}.png) | {caption} |" for name, caption in captions.items()]
    return ["| | |", "|---|---|", *rows]


def main() -> None:
    FRENCH_FOLDER.mkdir(parents=True, exist_ok=True)
    for stale in FOLDER.rglob("*.png"):
        stale.unlink()
    for name, view in views().items():
        enlarged(draw(view)).save(FOLDER / f"{name}.png", optimize=True)
    french = {name: message_line(draw(view)) for name, view in french_views().items()}
    french |= {name: status_row(draw(view)) for name, view in french_statuses().items()}
    french |= {name: draw(view) for name, view in french_lists().items()}
    for name, picture in french.items():
        enlarged(picture).save(FRENCH_FOLDER / f"{name}.png", optimize=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{len(views())} screens and {len(french)} in French drawn into {FOLDER}")


if __name__ == "__main__":
    main()
