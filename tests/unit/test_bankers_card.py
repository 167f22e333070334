"""The banker's card is what `make card` makes: two sides, two languages, real screens."""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from PIL import Image, ImageDraw

from hal.language import Language
from hal.picture import FIELD_TOP, HEIGHT, MESSAGE_TOP, SIZE, WIDTH, draw
from hal.view import Menu, View
from tools import bankers_card, typesetting
from tools.bankers_card import BACK, FRAMED_HEIGHT, FRAMED_WIDTH, FRONT, SIDES, Scene, Side
from tools.bankers_card_words import BOTH, ENGLISH, FRENCH, Words

SVG = "{http://www.w3.org/2000/svg}"
SCREENS = Path(__file__).parent.parent.parent / "docs" / "screens"


def drawn(side: Side) -> Element:
    return ElementTree.parse(side.file).getroot()


def name_of(param: object) -> str:
    """What a test calls what it is about."""
    match param:
        case Side(file=file):
            return file.stem
        case Words(language=language):
            return language
        case str(name):
            return name
    return ""


@pytest.fixture(scope="module", params=SIDES, ids=name_of)
def side(request: pytest.FixtureRequest) -> Side:
    found: Side = request.param
    return found


@pytest.fixture(scope="module")
def card(side: Side) -> Element:
    return drawn(side)


@pytest.fixture(scope="module")
def front() -> Element:
    return drawn(FRONT)


@pytest.fixture(scope="module")
def back() -> Element:
    return drawn(BACK)


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


def test_the_page_is_what_the_command_makes(side: Side) -> None:
    assert side.file.read_text(encoding="utf-8") == bankers_card.page(side), "run make card"


def test_the_command_draws_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = tuple(side._replace(file=tmp_path / side.file.name) for side in SIDES)
    monkeypatch.setattr(bankers_card, "SIDES", sides)
    bankers_card.main()
    written = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert written == {side.file.name: bankers_card.page(side) for side in SIDES}
    assert len(written) == 2


# A page


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


class Spot(NamedTuple):
    """What a thing covers on the page, and what it is."""

    left: float
    top: float
    right: float
    bottom: float
    what: str

    def overlaps(self, other: "Spot") -> bool:
        beside = self.right <= other.left or other.right <= self.left
        apart = self.bottom <= other.top or other.bottom <= self.top
        return not beside and not apart


def texts_in(half: Element) -> Iterator[Spot]:
    """All but the letters on keys and cards, in the widest font that a browser may choose."""
    for text in half.iter(f"{SVG}text"):
        if text.get("text-anchor") == "middle":
            continue
        x, baseline = float(text.attrib["x"]), float(text.attrib["y"])
        size = float(text.attrib["font-size"])
        width = typesetting.width_of(letters(text), size)
        left = x - width if text.get("text-anchor") == "end" else x
        what = "".join(text.itertext())
        yield Spot(left, baseline - size * 0.75, left + width, baseline + size * 0.22, what)


def screens_in(half: Element) -> Iterator[Spot]:
    """Whole screens, and pieces of them in a viewport of their own."""
    for piece in half.iter(f"{SVG}svg"):
        left, top, width, height = (
            float(piece.attrib[name]) for name in ("x", "y", "width", "height")
        )
        yield Spot(left, top, left + width, top + height, f"the piece at {left} {top}")
    for use in half.iter(f"{SVG}use"):
        if use.get("transform"):
            scale, left, top = place_of(use)
            right, bottom = left + FRAMED_WIDTH * scale, top + FRAMED_HEIGHT * scale
            yield Spot(left, top, right, bottom, use.attrib["href"])


def place_of(use: Element) -> tuple[float, float, float]:
    """How large a screen is drawn, and where the corner of its frame is."""
    placed = re.fullmatch(r"translate\((\S+) (\S+)\) scale\((\S+)\)", use.attrib["transform"])
    assert placed
    x, y, scale = map(float, placed.groups())
    return scale, x - bankers_card.FRAME * scale, y - bankers_card.FRAME * scale


def shapes_in(half: Element) -> Iterator[Spot]:
    """Keys, cards, the box, and the frames of pieces."""
    for rect in half.iter(f"{SVG}rect"):
        left, top, width, height = (
            float(rect.attrib[name]) for name in ("x", "y", "width", "height")
        )
        yield Spot(left, top, left + width, top + height, f"the shape at {left} {top}")


@pytest.mark.parametrize("words", BOTH, ids=name_of)
def test_nothing_lies_over_anything_else(card: Element, words: Words) -> None:
    half = half_of(card, words.language)
    texts, screens = list(texts_in(half)), list(screens_in(half))
    assert len(texts) > 40
    assert len(screens) > 10
    for one, other in combinations([*texts, *screens], 2):
        assert not one.overlaps(other), (one, other)
    for text in texts:
        assert not [shape for shape in shapes_in(half) if text.overlaps(shape)], text


@pytest.mark.parametrize("words", BOTH, ids=name_of)
def test_each_language_keeps_to_its_half(card: Element, words: Words) -> None:
    top, bottom = (4.0, 144.0) if words is FRENCH else (152.0, 293.0)
    half = half_of(card, words.language)
    for spot in (*texts_in(half), *screens_in(half), *shapes_in(half)):
        assert spot.left >= bankers_card.MARGIN - 0.01, spot
        assert spot.right < 206, spot
        assert top < spot.top < spot.bottom < bottom, spot


@pytest.mark.parametrize(
    ("side", "longer"),
    [
        (FRONT, ENGLISH._replace(mistake="more " * 200)),
        (BACK, ENGLISH._replace(function=ENGLISH.function._replace(counting="more " * 200))),
    ],
    ids=name_of,
)
def test_a_half_that_grows_too_long_is_refused(
    monkeypatch: pytest.MonkeyPatch, side: Side, longer: Words
) -> None:
    monkeypatch.setattr(bankers_card, "BOTH", (FRENCH, longer))
    with pytest.raises(SystemExit, match=r"half 'en' is \d+\.\d mm too long"):
        bankers_card.page(side)


# Both languages


def test_both_languages_show_the_same_pictures(side: Side, card: Element) -> None:
    """Each its own: those of the French half are a French box's."""
    shown = [
        [use.attrib["href"] for use in half_of(card, lang).iter(f"{SVG}use")]
        for lang in ("fr", "en")
    ]
    assert [href.replace("-fr-", "-en-", 1) for href in shown[0]] == shown[1]
    for lang, hrefs in zip(("fr", "en"), shown, strict=True):
        assert {f"#screen-{lang}-{name}" for name in side.scenes} == set(hrefs)


def texts_of(value: object) -> Iterator[str]:
    """Every text in some words, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts_of(tuple(value.values()))
    elif isinstance(value, tuple):
        for each in value:
            yield from texts_of(each)


def words_on(side: Side, words: Words) -> list[str]:
    """What a side has to say."""
    if side is BACK:
        return [words.edition, *texts_of(words.function)]
    own = words._asdict()
    del own["language"], own["function"]
    return list(texts_of(own))


def test_every_word_is_on_the_page(side: Side, card: Element) -> None:
    for words in BOTH:
        said = re.sub(r"\s+", " ", said_in(half_of(card, words.language)))
        assert len(words_on(side, words)) > 20
        for marked in words_on(side, words):
            wanted = bankers_card.spelt(words, marked).replace("*", "")
            assert re.sub(r"\s+", " ", wanted) in said


@pytest.mark.parametrize(
    ("side", "figures"),
    [(FRONT, ("2M", "15M", "10K", "20M", "banking")), (BACK, ("10", "10K", "500K", "banking"))],
    ids=name_of,
)
def test_the_figures_are_those_of_the_edition(side: Side, figures: tuple[str, ...]) -> None:
    for words in BOTH:
        said = said_in(half_of(drawn(side), words.language))
        assert all(re.search(rf"\b{figure}\b", said) for figure in figures)
        assert "{" not in said


def test_french_is_set_as_french(card: Element) -> None:
    said = said_in(half_of(card, "fr"))
    assert re.search("[:;!?»]", said)
    assert not re.search("[^\u00a0][:;!?»%]", said), "such a sign has a no-break space before it"
    assert not re.search("«[^\u00a0]", said)
    assert "'" not in said


# Real screens


def test_every_picture_is_a_screen_that_the_box_shows(side: Side, card: Element) -> None:
    found = screens_of(card)
    assert set(found) == {(words.language, name) for words in BOTH for name in side.scenes}
    for (language, name), picture in found.items():
        views = bankers_card.played(name, side.scenes[name].script)
        spoken = [view._replace(language=Language(language)) for view in views]
        assert picture.tobytes() in [draw(view).tobytes() for view in spoken], (language, name)


def documented(folder: Path) -> list[tuple[Side, str]]:
    """The screens of both sides that the documentation shows as well."""
    names = [(side, name) for side in SIDES for name in side.scenes]
    return [(side, name) for side, name in names if (folder / f"{name}.png").exists()]


def scaled_down(file: Path) -> Image.Image:
    with Image.open(file) as enlarged:
        small = enlarged.width // 3, enlarged.height // 3
        return enlarged.convert("1").resize(small, Image.Resampling.NEAREST)


@pytest.mark.parametrize(("side", "name"), documented(SCREENS), ids=name_of)
def test_it_is_the_screen_of_the_documentation(side: Side, name: str) -> None:
    """But for the status row: other cards may be in."""
    below = (0, FIELD_TOP, *SIZE)
    shown = scaled_down(SCREENS / f"{name}.png").crop(below)
    assert screens_of(drawn(side))["en", name].crop(below).tobytes() == shown.tobytes()


@pytest.mark.parametrize(("side", "name"), documented(SCREENS / "fr"), ids=name_of)
def test_the_french_screen_is_that_of_the_documentation(side: Side, name: str) -> None:
    """Which has a list whole, and of other screens the message line alone."""
    documentation = scaled_down(SCREENS / "fr" / f"{name}.png")
    top = max(HEIGHT - documentation.height, FIELD_TOP)
    assert top < MESSAGE_TOP
    shown = documentation.crop((0, documentation.height - (HEIGHT - top), *documentation.size))
    found = screens_of(drawn(side))["fr", name].crop((0, top, WIDTH, HEIGHT))
    assert found.tobytes() == shown.tobytes()


def test_the_countdown_is_the_one_before_a_new_game() -> None:
    countdown = FRONT.scenes["countdown"]
    views = bankers_card.played("countdown", countdown.script)
    assert bankers_card.shown("en", "countdown", countdown) in [
        view for view in views if str(view.message) == "NEW GAME IN 2"
    ]
    assert "NEW GAME" not in [str(view.message) for view in views], "C was let go in time"


@pytest.mark.parametrize(
    ("scene", "complaint"),
    [
        (Scene("insert left 1\nexpect card 2"), "'no-card':2: expected card 2, got 1"),
        (Scene("insert left 1", "PLEASE WAIT"), "'no-card': the box never says PLEASE WAIT"),
    ],
)
def test_a_screen_that_the_box_no_longer_has_is_refused(scene: Scene, complaint: str) -> None:
    with pytest.raises(SystemExit, match=complaint):
        bankers_card.page(FRONT._replace(scenes=FRONT.scenes | {"no-card": scene}))


def test_the_keys_are_where_they_are_on_the_pad(front: Element) -> None:
    for words in BOTH:
        keys = [
            (float(text.attrib["y"]) // 4, float(text.attrib["x"]), "".join(text.itertext()))
            for text in half_of(front, words.language).iter(f"{SVG}text")
            if text.get("text-anchor") == "middle" and float(text.attrib["x"]) < 60
        ]
        letters_in_order = "".join(letter for _row, _x, letter in sorted(keys))
        assert letters_in_order == "21+−123M456K789C,0F", "GO is an arrow"


# The list of F


def listing(words: Words) -> View:
    return bankers_card.shown(words.language, "f-list", BACK.scenes["f-list"])


def test_every_digit_of_the_list_is_explained() -> None:
    for words in BOTH:
        menu = listing(words).menu
        assert menu
        assert len(menu.pages) == 1
        assert [item.label for item in menu.shown] == list(words.function.meanings)
        assert "".join(words.function.meanings) == "1234567890"


@pytest.mark.parametrize("words", BOTH, ids=name_of)
def test_each_entry_stands_beside_what_it_means(back: Element, words: Words) -> None:
    """The piece of the list has that entry, the whole of it, and no other."""
    half = half_of(back, words.language)
    picture = screens_of(back)[words.language, "f-list"]
    view = listing(words)
    assert view.menu
    texts = list(texts_in(half))
    pieces = list(half.iter(f"{SVG}svg"))
    for piece, item in zip(pieces, view.menu.shown, strict=True):
        left, top, width, height = map(int, piece.attrib["viewBox"].split())
        area = (left, top, left + width, top + height)
        alone = draw(view._replace(menu=Menu(((item,),))))
        assert picture.crop(area).tobytes() == alone.crop(area).tobytes()
        alone.paste(0, area)
        assert alone.tobytes() == draw(view._replace(menu=Menu(((),)))).tobytes()
        y, tall = float(piece.attrib["y"]), float(piece.attrib["height"])
        meaning = bankers_card.spelt(words, words.function.meanings[item.label])
        [beside] = [t for t in texts if t.left > 106 and t.top < y + tall / 2 < t.bottom]
        assert meaning.replace("*", "").startswith(beside.what)


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
