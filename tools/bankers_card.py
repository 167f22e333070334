"""Writes the banker's card, docs/bankers-card.pdf: two sides of A4, in French and English.

``make card`` runs it. tools/card holds the words, one HTML template a side, and the style;
Chromium prints them. Every screen on the card is drawn by the firmware's renderer from a view
that the real box has shown. An image's path says which: ``fr/min.png`` is the whole screen,
``fr/min.line.png`` its message line, and ``fr/f-list.4.png`` the entry 4 of its list.
"""

import hashlib
import re
import tomllib
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from PIL import Image, ImageChops
from playwright.sync_api import Browser

from firmware.bank import edition as editions
from hal.display.messages import Language
from hal.display.renderer import HEIGHT, MESSAGE_TOP, WIDTH, draw
from hal.display.view import Menu, View
from hal.events import Key
from hal.pi.debounce import KEYS
from tests import golden
from tests.panel.chromium import NoBrowser, chromium

ROOT = Path(__file__).parent.parent
PDF = ROOT / "docs" / "bankers-card.pdf"
SOURCES = ROOT / "tools" / "card"
BUILD = ROOT / "build" / "card"
"""The page and its images stay here, to be opened in a browser."""
SIDES = ("front", "back")
SCALE = 4
"""Enlarges the OLED's pixels, because some viewers blur small images."""
ENTRY_WIDTH = 60
"""Pixels: the column of a list."""

RENT, MORTGAGE = "1,5M", "750K"
CARDS = "insert right 1\ninsert left 2"
THREE_PLAY = (
    "given cards none\ninsert left 1\nremove left\ninsert left 2\nremove left\n"
    f"insert left 3\nremove left\n{CARDS}\npress {RENT}\nremove left\nremove right\npress F9"
)
COUNTED = f"{THREE_PLAY}M\ninsert left 2\npress 3,2M\nexpect worth 2 19,7M"
SCRIPTS = {
    "ready": f"{CARDS}\nwait 1s\nexpect screen 15M",
    "typed": f"{CARDS}\npress {RENT[:-1]}\nexpect screen 1,5",
    "payer": f"{CARDS}\npress {RENT}\nexpect screen 13,5M",
    "payee": f"{CARDS}\npress {RENT}\nwait 2s\nexpect screen 16,5M",
    "mortgage": f"insert right 1\nwait 1s\npress F2{MORTGAGE}\nexpect message MORTGAGE? M",
    "balances": f"{THREE_PLAY}\nexpect message COUNT? M",
    "counted": f"{COUNTED}\nexpect screen 19,7M\nexpect message FINAL COUNT",
    "winner": f"{COUNTED}\nremove left\ninsert left 1\npress 4,1M\nremove left\n"
    "insert left 3\npress 2,9M\nremove left\nexpect message WINNER 2",
}
"""The screens of the card's own examples. All others are those of docs/screens.md."""

OVERFLOWING = """() => [...document.querySelectorAll("body, body *:not(svg *)")].filter(element => {
    const range = document.createRange()
    range.selectNodeContents(element)
    const [inside, around] = [range, element].map(each => each.getBoundingClientRect())
    return inside.width && (inside.left < around.left - 1 || inside.right > around.right + 1
        || inside.top < around.top - 1 || inside.bottom > around.bottom + 1)
}).map(element => element.innerText.replace(/\\s+/g, " ").slice(0, 60))"""
"""Returns how the text of each element begins whose contents are larger than its box."""


def words() -> dict[str, dict[str, Any]]:
    """The words of the card, by language."""
    return tomllib.loads((SOURCES / "words.toml").read_text(encoding="utf-8"))


@cache
def figures() -> dict[str, str]:
    """The amounts that the words mention, as the box writes them."""
    edition = editions.load(editions.DEFAULT)
    names = ("salary", "opening_balance", "entry_minimum", "entry_maximum", "jail_fine")
    amounts = {name: getattr(edition, name) for name in names}
    amounts["rounding"] = edition.mortgage_rounding
    return {name: edition.units.write(amount).text for name, amount in amounts.items()} | {
        "interest": str(edition.interest_percent),
        "rent": RENT,
        "mortgage": MORTGAGE,
        "edition": edition.name,
    }


def markup(language: str, text: str) -> str:
    """Turn a text into HTML, with its figures, bold words and no-break spaces."""
    text = escape(text.format(**figures()), quote=False)
    if language == "fr":
        text = re.sub(" (?=[:;!?%])", "\u00a0", text)
    text = re.sub(r"(?<=\d) (?=s\b)", "\u00a0", text)
    return re.sub(r"\*(.+?)\*", r"<b>\1</b>", text)


def page(texts: dict[str, dict[str, Any]]) -> str:
    """The whole card as HTML; its images are beside it."""
    style = (SOURCES / "card.css").read_text(encoding="utf-8")
    title = " · ".join(texts[language]["title"] for language in texts)
    html = f"<!DOCTYPE html><meta charset=utf-8><title>{title}</title><style>{style}</style>"
    for side in SIDES:
        template = Template((SOURCES / f"{side}.html").read_text(encoding="utf-8"))
        halves = (template.substitute(_fields(language, texts[language])) for language in texts)
        html += f"<main>{''.join(halves)}</main>"
    return re.sub('src="(.+?)"', lambda found: f'{found[0]} alt="{_alt(found[1])}"', html)


def _fields(language: str, texts: dict[str, Any]) -> dict[str, str]:
    pad = "".join(
        f"<kbd>{'←' if key is Key.GO else key.value}</kbd>" for row in KEYS for key in row
    )
    fields = {"language": language, "pad": pad}
    for name, text in texts.items():
        if isinstance(text, str):
            fields[name] = markup(language, text)
        else:
            image = "{}.line" if name == "messages" else "f-list.{}"
            fields[name] = "".join(
                f'<dt><img src="{language}/{image.format(key)}.png"><dd>{markup(language, meaning)}'
                for key, meaning in text.items()
            )
    return fields


@cache
def view_of(path: str) -> tuple[View, str]:
    """The view that an image shows, and which part of it. A list keeps only the entry shown."""
    language, name, *parts = path.removesuffix(".png").replace("/", ".").split(".")
    view = golden.play(SCRIPTS[name]) if name in SCRIPTS else golden.views()[name]
    view, part = view._replace(language=Language(language)), "".join(parts)
    if part.isdigit() and view.menu:
        entry = tuple(item for item in view.menu.shown if item.label == part)
        view = view._replace(menu=Menu((entry,)))
    return view, part


def _alt(path: str) -> str:
    view, _part = view_of(path)
    entries = ", ".join(entry.translated(view.language) for entry in golden.entries(view))
    return entries or view.said or view.field


def image(path: str) -> Image.Image:
    view, part = view_of(path)
    screen = draw(view)
    if part == "line":
        return screen.crop((-3, MESSAGE_TOP - 3, WIDTH + 3, HEIGHT + 1))
    if part:
        alone = ImageChops.logical_xor(screen, draw(view._replace(menu=Menu(((),)))))
        box = alone.getbbox()
        assert box, f"{path}: the list has no such entry"
        left, top, _right, bottom = box
        return alone.crop((left - 2, top - 2, left + ENTRY_WIDTH, bottom + 2))
    return screen.crop((-4, -4, WIDTH + 4, HEIGHT + 4))


def images(html: str) -> dict[str, Image.Image]:
    """The images of a page, by path."""
    return {path: image(path) for path in sorted(set(re.findall('src="(.+?)"', html)))}


def checksum(html: str) -> str:
    """Checksum of the PDF's sources. The PDF contains it, so that a test detects a stale one."""
    pixels = b"".join(each.tobytes() for each in images(html).values())
    return hashlib.sha256(html.encode() + pixels).hexdigest()


def page_count(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", pdf))


def print_pdf(browser: Browser, html: str, folder: Path) -> bytes:
    """Write a page and its images into a folder, and print it; refuse one that overflows."""
    for path, drawn in images(html).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        large = drawn.resize((drawn.width * SCALE, drawn.height * SCALE), Image.Resampling.NEAREST)
        large.save(folder / path)
    (folder / "index.html").write_text(html, encoding="utf-8")
    with browser.new_page() as tab:
        tab.emulate_media(media="print")
        tab.goto((folder / "index.html").as_uri())
        if overflowing := tab.evaluate(OVERFLOWING):
            raise SystemExit(
                "the card has no room for this; shorten it in tools/card/words.toml:\n"
                + "\n".join(overflowing)
            )
        pdf = tab.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
    # Without today's date, the same sources give the same file. "%" begins a comment.
    pdf = re.sub(rb"D:\d{14}", b"D:20250101000000", pdf)
    return pdf.replace(b"startxref", f"% {checksum(html)}\nstartxref".encode())


def main() -> None:
    try:
        with chromium() as browser:
            PDF.write_bytes(print_pdf(browser, page(words()), BUILD))
    except NoBrowser as reason:
        raise SystemExit(f"tellerbox: {reason}") from None
    print(f"{PDF.relative_to(ROOT)}: {page_count(PDF.read_bytes())} pages")


if __name__ == "__main__":
    main()
