"""Every screen state that the rules name, as a picture: drawn for the docs, kept by the tests.

``python -m tests.golden`` draws them anew into docs/screens, and writes the page
that shows them. Each state is reached by playing a script on the real box; the few
that no script can reach are another state's view with another message.
"""

from pathlib import Path
from typing import NamedTuple

from PIL import Image

from firmware import edition as editions
from hal.language import Language
from hal.picture import HEIGHT, MESSAGE_TOP, WIDTH, draw
from hal.view import Message, Text, View, ledger_error
from sim.player import perform
from sim.rig import Rig
from sim.script import read_script

DOCS = Path(__file__).parent.parent / "docs"
FOLDER = DOCS / "screens"
FRENCH_FOLDER = FOLDER / "fr"
PAGE = DOCS / "screens.md"
SCALE = 3
"""Each pixel of the OLED is so many pixels wide, to be seen in a browser."""


class State(NamedTuple):
    """A screen, how the box gets there, and what to say of it."""

    script: str
    caption: str
    message: Message | None = None
    """What the message line says instead, where no script can make it say so."""


STATES = {
    "idle": State("", "No card is in."),
    "card-number": State("insert left 3", "A card was just put in: its number, for a second."),
    "balance": State(
        "insert left 1\npress 20K\nwait 1s\npress C\ninsert right 2\nremove left\npress 20K",
        "A card's balance.",
    ),
    "balance-small": State("insert right 1\npress 14,01M", "Below a million: thousands."),
    "balance-nothing": State("insert right 1\npress 15M", "A balance of nothing."),
    "balance-cut": State(
        "insert left 1\npress 8,456M\npress 20M20M20M20M20M",
        "Five digits are too few: cut, and whole on the message line.",
    ),
    "balance-plain": State("given edition europe\ninsert left 1\nwait 1s", "A plain edition."),
    "balance-francs": State("given edition france98\ninsert left 8\npress 0,1K", "Francs."),
    "entry": State("insert left 1\npress 1,5", "An entry being typed."),
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
    "step": State("insert left 1\npress 1,2345M", "In between two steps."),
    "no-funds": State("insert right 1\npress 16M", "More than the card holds."),
    "full": State("insert left 1\nwait 1s", "More than a card can hold.", Message(Text.FULL)),
    "already-paid": State("insert left 1\npress GG", "GO a second time."),
    "left-card-only": State(
        "insert left 1\ninsert right 2\npress G", "GO with a card on the right."
    ),
    "same-card": State("insert left 1\ninsert right 1", "One card seen in both slots."),
    "unknown-card": State("insert left 9", "A stranger's card blocks the box."),
    "one-card": State("insert left 9", "Two cards in one slot.", Message(Text.ONE_CARD)),
    "new-card": State("given cards none\ninsert left 1", "An unknown card took a number."),
    "replaced": State(
        "insert left 3", "A card took over a lost one's number.", Message(Text.REPLACED)
    ),
    "nothing-to-undo": State("insert left 1\npress C", "C with nothing to reverse."),
    "new-game-countdown": State(
        "insert left 1\nwait 1s", "C is being held.", Message(Text.NEW_GAME_IN, "2")
    ),
    "new-game": State("insert left 1\nhold C 3s", "C was held for three seconds."),
    "volume-0": State("press ,,", "Comma with no card in: silent,"),
    "volume-1": State("press ,,,", "soft,"),
    "volume-2": State("press ,,,,", "as it comes,"),
    "volume-3": State("press ,", "loud."),
    "error": State(
        "insert left 1\nwait 1s", "The disk refused the move; nothing moved.", Message(Text.ERROR)
    ),
    "left-reader": State(
        "insert right 1\nwait 1s",
        "The left reader does not answer; the right slot goes on working.",
        Message(Text.LEFT_READER),
    ),
    "right-reader": State("", "Nor does the right one.", Message(Text.RIGHT_READER)),
    "low-power": State(
        "insert left 1\nwait 1s", "The supply is too weak.", Message(Text.LOW_POWER)
    ),
    "asleep": State("wait 60s", "The box sleeps."),
}


IN_FRENCH = (
    'The message line with `language = "fr"` in the config file, or `--language fr`. All else is',
    "the same, and the rules, the scripts and the log have the English words.",
)


def views() -> dict[str, View]:
    """The view of each state."""
    found = {name: _view(state) for name, state in STATES.items()}
    found["ledger-error"] = ledger_error()
    found["test"] = found["balance"]._replace(test=True)
    return found


def french_views() -> dict[str, View]:
    """Of each message that has words, the first state that shows it, in French."""
    found: dict[str, View] = {}
    seen = {Text.WHOLE_AMOUNT}
    for name, view in views().items():
        if view.message and view.message.text not in seen:
            seen.add(view.message.text)
            found[name] = view._replace(language=Language.FRENCH)
    return found


def _view(state: State) -> View:
    script = read_script("state", state.script.split("\n"), editions.load(editions.DEFAULT))
    rig = Rig.new(script.edition, stock_known=script.stock_known)
    for _number, step in script.steps:
        perform(rig, step)
    assert rig.view
    return rig.view._replace(message=state.message) if state.message else rig.view


def enlarged(picture: Image.Image) -> Image.Image:
    width, height = picture.size
    return picture.resize((width * SCALE, height * SCALE), Image.Resampling.NEAREST)


def message_line(picture: Image.Image) -> Image.Image:
    """All that differs from one language to another, with a little air above it."""
    return picture.crop((0, MESSAGE_TOP - 3, WIDTH, HEIGHT))


def page() -> str:
    captions = {name: state.caption for name, state in STATES.items()}
    captions["ledger-error"] = "The ledger cannot be trusted: the box shows no money at all."
    captions["test"] = "The serial console is open: this money is nobody's."
    lines = ["# The screens", "", "Drawn by the renderer itself: `make screens`.", ""]
    lines += ["| | |", "|---|---|"]
    for name, caption in captions.items():
        lines.append(f"| ![{name}](screens/{name}.png) | {caption} |")
    lines += ["", "## In French", "", *IN_FRENCH, "", "| in French | in English |", "|---|---|"]
    for name, view in french_views().items():
        lines.append(f"| ![{view.said}](screens/fr/{name}.png) | `{view.message}` |")
    return "\n".join(lines) + "\n"


def main() -> None:
    FRENCH_FOLDER.mkdir(parents=True, exist_ok=True)
    for stale in FOLDER.rglob("*.png"):
        stale.unlink()
    for name, view in views().items():
        enlarged(draw(view)).save(FOLDER / f"{name}.png", optimize=True)
    french = french_views()
    for name, view in french.items():
        enlarged(message_line(draw(view))).save(FRENCH_FOLDER / f"{name}.png", optimize=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{len(views())} screens and {len(french)} French messages drawn into {FOLDER}")


if __name__ == "__main__":
    main()
