"""docs/bankers-card.svg is what `make card` makes: one page, two languages, real screens."""

import re
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from PIL import Image, ImageDraw

from hal.language import Language
from hal.picture import FIELD_TOP, HEIGHT, MESSAGE_TOP, SIZE, WIDTH, draw
from tools import bankers_card, typesetting
from tools.bankers_card import SCENES, Scene
from tools.bankers_card_words import BOTH, ENGLISH, FRENCH

SVG = "{http://www.w3.org/2000/svg}"
SCREENS = Path(__file__).parent.parent.parent / "docs" / "screens"


@pytest.fixture(scope="module")
def card() -> Element:
    return ElementTree.parse(bankers_card.CARD).getroot()


def half_of(card: Element, language: str) -> Element:
    [half] = [group for group in card.iter(f"{SVG}g") if group.get("lang") == language]
    return half


def said_in(half: Element) -> str:
    return "\n".join("".join(text.itertext()) for text in half.iter(f"{SVG}text"))


def screens_of(card: Element) -> dict[tuple[str, str], Image.Image]:
    """The screens that the page carries, by language and name, as pixels again."""
    found = {}
    for group in card.iter(f"{SVG}g"):
        if group.get("id", "").startswith("screen-"):
            [path] = group.iter(f"{SVG}path")
            _screen, language, name = group.attrib["id"].split("-", 2)
            found[language, name] = pixels(path.attrib["d"])
    return found


def pixels(path: str) -> Image.Image:
    picture = Image.new("1", SIZE)
    pen = ImageDraw.Draw(picture)
    piece = re.compile(r"M(\d+) (\d+)H(\d+)V(\d+)H\1z")
    assert piece.sub("", path) == "", "the path has something else than rectangles"
    for left, top, right, bottom in (map(int, found) for found in piece.findall(path)):
        pen.rectangle((left, top, right - 1, bottom - 1), fill=1)
    return picture


def test_the_page_is_what_the_command_makes() -> None:
    assert bankers_card.CARD.read_text(encoding="utf-8") == bankers_card.page(), "run make card"


# One page


def test_it_fills_one_sheet_of_whatever_paper(card: Element) -> None:
    """With a size of its own it would run over onto a second sheet that has wide margins."""
    assert card.get("viewBox") == "0 0 210 297"
    assert card.get("width") is None
    assert card.get("height") is None
    [style] = card.iter(f"{SVG}style")
    assert "size: A4" in (style.text or "")


def test_it_needs_nothing_from_elsewhere(card: Element) -> None:
    links = [value for each in card.iter() for name, value in each.items() if "href" in name]
    assert links
    assert all(link.startswith("#") for link in links)
    assert not {each.tag for each in card.iter()} & {f"{SVG}image", f"{SVG}script"}


def test_no_text_runs_over_the_edge_or_into_the_other_column(card: Element) -> None:
    """Even in the widest font that a browser may choose."""
    for text in card.iter(f"{SVG}text"):
        if text.get("text-anchor"):
            continue
        left, size = float(text.attrib["x"]), float(text.attrib["font-size"])
        width = typesetting.width_of(letters(text), size)
        edge = 106 if left < 105 and size < bankers_card.TITLE else 206
        assert left + width < edge, "".join(text.itertext())


def letters(text: Element) -> list[typesetting.Letter]:
    plain = [(letter, False) for letter in text.text or ""]
    for span in text:
        plain += [(letter, True) for letter in span.text or ""]
        plain += [(letter, False) for letter in span.tail or ""]
    return plain


@pytest.mark.parametrize("words", BOTH, ids=lambda words: words.language)
def test_each_language_keeps_to_its_half(card: Element, words: object) -> None:
    above = words is FRENCH
    half = half_of(card, "fr" if above else "en")
    for text in half.iter(f"{SVG}text"):
        assert (float(text.attrib["y"]) < 144) if above else (150 < float(text.attrib["y"]) < 292)


def test_a_half_that_grows_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bankers_card, "BOTH", (FRENCH, ENGLISH._replace(mistake="more " * 200)))
    with pytest.raises(SystemExit, match=r"half 'en' is \d+\.\d mm too long"):
        bankers_card.page()


# Both languages


def test_both_languages_show_the_same_pictures(card: Element) -> None:
    """Each its own: those of the French half are a French box's."""
    shown = [
        [use.attrib["href"] for use in half_of(card, lang).iter(f"{SVG}use")]
        for lang in ("fr", "en")
    ]
    assert [href.replace("-fr-", "-en-", 1) for href in shown[0]] == shown[1]
    for lang, hrefs in zip(("fr", "en"), shown, strict=True):
        assert {f"#screen-{lang}-{name}" for name in SCENES} == set(hrefs)


def test_every_word_is_on_the_page(card: Element) -> None:
    for words in BOTH:
        said = re.sub(r"\s+", " ", said_in(half_of(card, words.language)))
        for marked in (words.title, words.amount, words.salary, words.mistake, words.new_game,
                       words.volume, words.asleep, words.new_card, *words.meanings.values(),
                       *words.steps, *(part for rule in words.slots for part in rule)):  # fmt: skip
            wanted = bankers_card.spelt(words, marked).replace("*", "")
            assert re.sub(r"\s+", " ", wanted) in said


def test_the_figures_are_those_of_the_edition(card: Element) -> None:
    for words in BOTH:
        said = said_in(half_of(card, words.language))
        assert all(figure in said for figure in ("2M", "15M", "10K", "20M", "banking"))
        assert "{" not in said


def test_french_is_set_as_french(card: Element) -> None:
    said = said_in(half_of(card, "fr"))
    assert re.search("[:;!?»]", said)
    assert not re.search("[^\u00a0][:;!?»]", said), "such a sign has a no-break space before it"
    assert not re.search("«[^\u00a0]", said)
    assert "'" not in said


# Real screens


def test_every_picture_is_a_screen_that_the_box_shows(card: Element) -> None:
    found = screens_of(card)
    assert set(found) == {(words.language, name) for words in BOTH for name in SCENES}
    for (language, name), picture in found.items():
        views = bankers_card.played(name, SCENES[name].script)
        spoken = [view._replace(language=Language(language)) for view in views]
        assert picture.tobytes() in [draw(view).tobytes() for view in spoken], (language, name)


@pytest.mark.parametrize("name", [n for n in SCENES if (SCREENS / f"{n}.png").exists()])
def test_it_is_the_screen_of_the_documentation(card: Element, name: str) -> None:
    """But for the status row: other cards may be in."""
    with Image.open(SCREENS / f"{name}.png") as drawn:
        small = drawn.convert("1").resize(SIZE, Image.Resampling.NEAREST)
    below = (0, FIELD_TOP, *SIZE)
    assert screens_of(card)["en", name].crop(below).tobytes() == small.crop(below).tobytes()


@pytest.mark.parametrize("name", [n for n in SCENES if (SCREENS / "fr" / f"{n}.png").exists()])
def test_the_french_message_is_that_of_the_documentation(card: Element, name: str) -> None:
    with Image.open(SCREENS / "fr" / f"{name}.png") as drawn:
        small = drawn.convert("1").resize((drawn.width // 3, drawn.height // 3))
    line = (0, HEIGHT - small.height, WIDTH, HEIGHT)
    assert line[1] < MESSAGE_TOP
    assert screens_of(card)["fr", name].crop(line).tobytes() == small.tobytes()


def test_the_countdown_is_the_one_before_a_new_game() -> None:
    views = bankers_card.played("countdown", SCENES["countdown"].script)
    assert bankers_card.screen("en", "countdown").tobytes() in [
        draw(view).tobytes() for view in views if str(view.message) == "NEW GAME IN 2"
    ]
    assert "NEW GAME" not in [str(view.message) for view in views], "C was let go in time"


@pytest.mark.parametrize(
    ("scene", "complaint"),
    [
        (Scene("insert left 1\nexpect card 2"), "'no-card':2: expected card 2, got 1"),
        (Scene("insert left 1", "PLEASE WAIT"), "'no-card': the box never says PLEASE WAIT"),
    ],
)
def test_a_screen_that_the_box_no_longer_has_is_refused(
    monkeypatch: pytest.MonkeyPatch, scene: Scene, complaint: str
) -> None:
    monkeypatch.setitem(SCENES, "no-card", scene)
    with pytest.raises(SystemExit, match=complaint):
        bankers_card.page()


def test_the_keys_are_where_they_are_on_the_pad(card: Element) -> None:
    for words in BOTH:
        keys = [
            (float(text.attrib["y"]) // 4, float(text.attrib["x"]), "".join(text.itertext()))
            for text in half_of(card, words.language).iter(f"{SVG}text")
            if text.get("text-anchor") == "middle" and float(text.attrib["x"]) < 60
        ]
        letters_in_order = "".join(letter for _row, _x, letter in sorted(keys))
        assert letters_in_order == "21+−123M456K789C,0F", "GO is an arrow"


# Setting texts


def test_a_line_ends_where_the_next_word_would_not_fit() -> None:
    broken = typesetting.lines("one two\u00a0three *four* five", 25, 4)
    assert ["".join(letter for letter, _ in line) for line in broken] == [
        "one",
        "two\u00a0three",
        "four five",
    ]


def test_what_follows_a_bold_word_without_a_space_stays_with_it() -> None:
    set_text = typesetting.one_line("now *at once*.", 1, 2, 3)
    assert set_text.endswith('>now <tspan font-weight="bold">at once</tspan>.</text>')


def test_a_letter_of_unknown_width_is_named() -> None:
    with pytest.raises(ValueError, match="the width of '€' is not known"):
        typesetting.lines("15 €", 25, 4)
