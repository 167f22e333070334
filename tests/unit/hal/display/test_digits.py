"""The figures of the big field."""

import pytest

from hal.display.digits import (
    FIGURES,
    NARROW,
    WIDE,
    Face,
    face_of_amount,
    face_of_entry,
)
from hal.display.renderer import SIZE
from hal.display.view import IDLE

FACES = {"wide": WIDE, "narrow": NARROW}
LONGEST_ENTRIES = ["44444,", "88,888", "60000,", "0,88888", "0,44444"]


@pytest.fixture(params=FACES)
def face(request: pytest.FixtureRequest) -> Face:
    return FACES[request.param]


@pytest.mark.parametrize("figure", "0123456789MK")
def test_figures_are_at_least_28_pixels_high(face: Face, figure: str) -> None:
    box = face.glyph(figure).getbbox()
    assert box
    _left, top, _right, bottom = box
    assert bottom - top >= 28


def test_all_figures_stand_on_the_same_line(face: Face) -> None:
    boxes = [face.glyph(figure).getbbox() for figure in "0123456789MK"]
    assert len({(box[1], box[3]) for box in boxes if box}) == 1


def test_the_comma_extends_below_the_line(face: Face) -> None:
    comma, digit = (face.glyph(figure).getbbox() for figure in ",0")
    assert comma
    assert digit
    assert comma[3] > digit[3]


@pytest.mark.parametrize("field", ["99,999M", "88,888K", "44,444M", "44444,", "88888M"])
def test_the_widest_amounts_fit(field: str) -> None:
    assert NARROW.width(field) <= SIZE[0]


@pytest.mark.parametrize("field", ["15M", "9,5M", "750K", "88,8M", "1500", "99999", IDLE])
def test_short_amounts_are_wide(field: str) -> None:
    assert face_of_amount(field, SIZE[0]) is WIDE


@pytest.mark.parametrize("entry", LONGEST_ENTRIES)
def test_an_entry_grows_without_changing_what_is_there(entry: str) -> None:
    face = face_of_entry(entry)
    for length in range(1, len(entry)):
        begun = entry[:length]
        assert face_of_entry(begun) is face
        assert face.lefts(begun) == face.lefts(entry)[:length]
    assert 10 + face.width(entry) <= SIZE[0]


def test_the_comma_is_closer_than_a_digit(face: Face) -> None:
    def gap(pair: str) -> int:
        return face.width(pair) - sum(face.glyph(figure).width for figure in pair)

    assert 0 < gap("2,") < gap("22")
    assert 0 < gap(",2") < gap("22")
    assert 0 < gap("1,") <= gap("11")


def test_spacing_is_proportional(face: Face) -> None:
    assert face.width("11,1M") < face.width("44,4M") - 6


def test_all_figures_differ() -> None:
    pictures = {face.glyph(figure).tobytes() for face in FACES.values() for figure in FIGURES}
    assert len(pictures) == 2 * len(FIGURES) - 1  # the dash is the same


def test_nothing_has_no_width(face: Face) -> None:
    assert face.width("") == 0
    assert face.lefts("") == []
