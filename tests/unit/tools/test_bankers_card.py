"""The banker's card explains the box as it is, and fits on its sheet."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from html import unescape
from pathlib import Path

import pytest
from PIL import ImageChops
from playwright.sync_api import Browser

from hal.display.renderer import draw
from hal.display.view import Menu
from hal.pi.debounce import KEYS
from tests import golden
from tests.panel.chromium import NoBrowser, chromium
from tests.panel.conftest import missing
from tools import bankers_card

WORDS = bankers_card.words()
LANGUAGES = tuple(WORDS)
in_browser = pytest.mark.xdist_group("browser-1")


@pytest.fixture(scope="module")
def html() -> str:
    return bankers_card.page(WORDS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with ExitStack() as stack:
        try:
            found = stack.enter_context(chromium())
        except NoBrowser as reason:
            missing(str(reason))
        yield found


def text_of(html: str, language: str) -> str:
    halves = re.findall(f'<section lang="{language}">.*?</section>', html, re.DOTALL)
    assert len(halves) == len(bankers_card.SIDES)
    return unescape(re.sub("<.*?>", "", "".join(halves)))


def test_the_pdf_is_up_to_date(html: str) -> None:
    pdf = bankers_card.PDF.read_bytes()
    assert bankers_card.checksum(html).encode() in pdf, "run make card"
    assert bankers_card.page_count(pdf) == len(bankers_card.SIDES)


def test_both_languages_have_the_same_texts() -> None:
    french, english = (
        {name: list(text) for name, text in WORDS[language].items() if isinstance(text, dict)}
        for language in LANGUAGES
    )
    assert french == english
    assert list(WORDS["fr"]) == list(WORDS["en"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_on_the_card(html: str, language: str) -> None:
    texts = dict(WORDS[language])
    lists = [*texts.pop("messages").values(), *texts.pop("entries").values()]
    for text in (*texts.values(), *lists):
        assert bankers_card.markup(language, text) in html
    assert not re.search(r"[{}$*]", text_of(html, language)), "markup is left"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figures_are_those_of_the_edition(html: str, language: str) -> None:
    for figure in ("2M", "15M", "10K", "20M", "500K", "10", "banking"):
        assert re.search(rf"\b{figure}\b", text_of(html, language)), figure


def test_french_has_no_break_spaces_and_apostrophes(html: str) -> None:
    text = text_of(html, "fr")
    assert not re.search("[^\u00a0][:;!?%]", text)
    assert "'" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_of_the_f_key_is_explained(language: str) -> None:
    menu = golden.views()["f-list"].menu
    assert menu
    assert len(menu.pages) == 1
    assert [item.label for item in menu.shown] == list(WORDS[language]["entries"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_image_of_an_entry_shows_all_of_it(language: str) -> None:
    view, _part = bankers_card.view_of(f"{language}/f-list.png")
    listed = ImageChops.logical_xor(draw(view), draw(view._replace(menu=Menu(((),)))))
    entries = [bankers_card.image(f"{language}/f-list.{digit}.png") for digit in "1234567890"]
    assert sum(entry.histogram()[-1] for entry in entries) == listed.histogram()[-1]


@pytest.mark.parametrize("name", WORDS["en"]["messages"])
def test_every_message_is_one_that_the_box_shows(html: str, name: str) -> None:
    message = golden.views()[name].message
    assert message
    for language in LANGUAGES:
        view, _part = bankers_card.view_of(f"{language}/{name}.line.png")
        assert f'src="{language}/{name}.line.png" alt="{view.said}"' in html


def test_every_key_is_on_the_pad_and_explained(html: str) -> None:
    letters = "".join(key.value for row in KEYS for key in row).replace("G", "←")
    pads = re.findall('<div class="pad">(.*?)</div>', html)
    assert [re.sub("<.*?>", "", pad) for pad in pads] == [letters] * len(LANGUAGES)
    explained = "".join(re.findall("<dt>((?:<kbd>.</kbd>)+)", html))
    assert set(re.findall("<kbd>(.)", explained)) == {key for key in letters if not key.isdigit()}


@in_browser
def test_the_card_fits_on_two_pages(html: str, browser: Browser, tmp_path: Path) -> None:
    pdf = bankers_card.print_pdf(browser, html, tmp_path)
    assert bankers_card.page_count(pdf) == len(bankers_card.SIDES)
    assert bankers_card.checksum(html).encode() in pdf


@in_browser
@pytest.mark.parametrize("name", ["mistake", "counting", "left_slot", "title"])
@pytest.mark.parametrize("longer", ["more " * 200, "m" * 100], ids=["long", "wide"])
def test_a_text_that_does_not_fit_is_refused(
    browser: Browser, tmp_path: Path, name: str, longer: str
) -> None:
    words = WORDS | {"en": WORDS["en"] | {name: longer}}
    with pytest.raises(SystemExit, match="no room for this"):
        bankers_card.print_pdf(browser, bankers_card.page(words), tmp_path)
