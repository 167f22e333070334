"""Draws the box itself for an SVG: its slots, cards and keys, and which way money goes.

Lengths are millimetres. The proportions are those of a drawing and not of a case: wiring.md
has the figures for that.
"""

from hal.events import Key
from hal.pi.debounce import KEYS
from tools.typesetting import one_line, short

INK, PALE = "#1c1c1c", "#8a8a8a"
PAPER, CARD = "#ffffff", "#e4e4e4"

WIDTH, HEIGHT = 45.0, 64.0
"""Of the whole box, cards included."""
CARD_WIDTH, CARD_OUT = 13.5, 8.0
"""How wide a card is, and how much of it looks out of its slot."""
SLOTS = (("+", 10.5), ("−", WIDTH - 10.5))
"""What stands beside each slot, and where its middle is."""
SCREEN_PLACE = (8.5, CARD_OUT + 9)
SCREEN_WIDTH = 28.0


def box(x: float, y: float, cards: tuple[int, int]) -> list[str]:
    """The box from above, with two cards in it; whoever draws it puts a screen into its place."""
    body = y + CARD_OUT
    drawn = []
    for (_, middle), number in zip(SLOTS, cards, strict=True):
        left = x + middle - CARD_WIDTH / 2
        drawn.append(_rect(left, y, CARD_WIDTH, CARD_OUT + 3, 1, CARD))
        drawn.append(_letter(str(number), x + middle, y + 5.6, 4.2))
    drawn.append(_rect(x, body, WIDTH, HEIGHT - CARD_OUT, 3, PAPER))
    for sign, middle in SLOTS:
        drawn.append(_rect(x + middle - 8, body + 1.4, 16, 1.2, 0.6, INK))
        drawn.append(_letter(sign, x + middle, body + 7.2, 5.2))
    for row, keys in enumerate(KEYS):
        for column, each in enumerate(keys):
            drawn += key(each, x + 5.2 + column * 8.9, body + 25.8 + row * 7.5, 7.9, 6.5)
    return drawn


def key(which: Key, x: float, y: float, width: float, height: float) -> list[str]:
    """A key as it is printed."""
    drawn = [_rect(x, y, width, height, 1.2, PAPER)]
    centre, middle, size = x + width / 2, y + height / 2, height * 0.66
    if which is Key.GO:
        return [*drawn, _arrow(centre + 2.2, middle, centre - 2.2, middle)]
    # A comma hangs under its line; raised, it stands in the middle of its key.
    raised = 0.6 if which is Key.COMMA else 0
    return [*drawn, _letter(which.value, centre, middle + size * 0.36 - raised, size)]


def receiving(x: float, y: float) -> list[str]:
    """A card in the left slot: the box pays it."""
    left, _, body = _middles(x, y)
    return [*_top_of_box(x, y, left), _arrow(left, body + 3, left, body - 4.4)]


def paying(x: float, y: float) -> list[str]:
    """A card in the right slot: it pays the box."""
    _, right, body = _middles(x, y)
    return [*_top_of_box(x, y, right), _arrow(right, body - 4.4, right, body + 3)]


def paying_each_other(x: float, y: float) -> list[str]:
    """Two cards: the right one pays the left one."""
    left, right, body = _middles(x, y)
    across = _arrow(right + 0.6, body - 2.8, left - 0.6, body - 2.8)
    return [*_top_of_box(x, y, left, right), across]


def _middles(x: float, y: float) -> tuple[float, float, float]:
    """Of a sketch of the box's top: the middles of its slots, and where its body begins."""
    return x + 3.2, x + 9.8, y + 5.6


def _top_of_box(x: float, y: float, *cards: float) -> list[str]:
    drawn = [_rect(middle - 2.2, y, 4.4, 7, 0.5, CARD) for middle in cards]
    return [*drawn, _rect(x, y + 5.6, 13, 4.2, 1, PAPER)]


def _rect(x: float, y: float, width: float, height: float, corner: float, fill: str) -> str:
    return (
        f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}" '
        f'rx="{short(corner)}" fill="{fill}" stroke="{INK}" stroke-width="0.35"/>'
    )


def _letter(letter: str, x: float, baseline: float, size: float) -> str:
    return one_line(f"*{letter}*", x, baseline, size, f'text-anchor="middle" fill="{INK}"')


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """A straight arrow, along one of the axes."""
    length = abs(to_x - x) + abs(to_y - y)
    ahead_x, ahead_y = (to_x - x) / length, (to_y - y) / length
    neck_x, neck_y = to_x - 1.7 * ahead_x, to_y - 1.7 * ahead_y
    wing_x, wing_y = 1.1 * ahead_y, 1.1 * ahead_x
    corners = (
        (to_x, to_y),
        (neck_x + wing_x, neck_y + wing_y),
        (neck_x - wing_x, neck_y - wing_y),
    )
    tip = " ".join(f"{short(at_x)},{short(at_y)}" for at_x, at_y in corners)
    return (
        f'<path d="M{short(x)} {short(y)}L{short(neck_x)} {short(neck_y)}" stroke="{INK}" '
        f'stroke-width="0.7"/><polygon points="{tip}" fill="{INK}"/>'
    )
