"""Writes the tables and the drawing of wiring.md from hal/wiring.py.

``make wiring`` runs it. The sections between two markers are generated, the rest is written by
hand. A test fails if the generated sections are stale.
"""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from hal.wiring import PHYSICAL, READER_CHIPS, SCREEN_CHIPS, Part, Wire, Wiring

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "wiring.md"
DRAWING = ROOT / "docs" / "wiring.svg"

GPIO_AT = {pin: gpio for gpio, pin in PHYSICAL.items()}
POWER_AT = {1: "3.3 V", 17: "3.3 V", 2: "5 V", 4: "5 V"}
GROUND_AT = (6, 9, 14, 20, 25, 30, 34, 39)
SHORT = {
    Part.LEFT_READER: "left",
    Part.RIGHT_READER: "right",
    Part.SCREEN: "screen",
    Part.KEYPAD: "keypad",
    Part.BUZZER: "buzzer",
}


# The tables


def part_table(part: Part, wiring: Wiring) -> str:
    rows = ["| pad | pin | GPIO | signal |", "|---|---|---|---|"]
    for wire in wiring.wires_of(part):
        gpio = "" if wire.gpio is None else str(wire.gpio)
        rows.append(f"| {wire.pad} | {wire.pin} | {gpio} | {wire.signal} |")
    return "\n".join(rows)


def header_plan(wiring: Wiring) -> str:
    """All forty pins in the layout of the header, with their connections."""
    lines = [_plan_line(pin, wiring) for pin in range(1, 41, 2)]
    return "\n".join(("```", *lines, "```"))


def _plan_line(odd: int, wiring: Wiring) -> str:
    left, right = _connections(odd, wiring), _connections(odd + 1, wiring)
    middle = f"{_pin_name(odd):>8} {odd:>2} | {odd + 1:<2} {_pin_name(odd + 1):<8}"
    return f"{left:>24} {middle} {right}".rstrip()


def _pin_name(pin: int) -> str:
    if pin in GROUND_AT:
        return "GND"
    return POWER_AT.get(pin) or f"GPIO {GPIO_AT[pin]}"


def _connections(pin: int, wiring: Wiring) -> str:
    by_pad: dict[str, list[str]] = {}
    for wire in wiring.wires():
        if wire.pin == pin:
            by_pad.setdefault(wire.pad, []).append(SHORT[wire.part])
    return ", ".join(f"{' + '.join(parts)} {pad}" for pad, parts in by_pad.items())


def config_defaults(wiring: Wiring) -> str:
    """The wiring in the format of the config file."""
    return "\n".join(
        (
            "```toml",
            "[pins]                 # GPIO numbers, not places on the header",
            f"left_reset = {wiring.left_reset}",
            f"right_reset = {wiring.right_reset}",
            f"rows = {list(wiring.rows)}",
            f"columns = {list(wiring.columns)}",
            f"buzzer = {wiring.buzzer}",
            "",
            "[buses]                # as the kernel counts them",
            f"spi = {wiring.spi_bus}",
            f"i2c = {wiring.i2c_bus}",
            "",
            "[left_reader]",
            f'chip = "{wiring.left_reader_chip}"{_others(READER_CHIPS, wiring.left_reader_chip)}',
            "",
            "[right_reader]",
            f'chip = "{wiring.right_reader_chip}"{_others(READER_CHIPS, wiring.right_reader_chip)}',
            "",
            "[screen]",
            f'chip = "{wiring.screen_chip}"{_others(SCREEN_CHIPS, wiring.screen_chip)}',
            f"address = {wiring.screen_address:#04x}         # some have 0x3d",
            "```",
        )
    )


def _others(chips: Iterable[str], chosen: str) -> str:
    """The comment that names the other chips; empty if there is no other."""
    others = ", ".join(f'"{chip}"' for chip in chips if chip != chosen)
    return f"       # or {others}" if others else ""


def sections(wiring: Wiring) -> dict[str, str]:
    """The generated sections, by the name of their markers."""
    tables = {part.value.replace(" ", "-"): part_table(part, wiring) for part in Part}
    return tables | {"header": header_plan(wiring), "config": config_defaults(wiring)}


def with_sections(page: str, generated: dict[str, str]) -> str:
    """Replace the generated sections of the page; exit if a marker is missing."""
    for name, text in generated.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            times = page.count(begin.strip())
            raise SystemExit(
                f"{PAGE.name}: the marker {begin.strip()} must occur once, found {times} times"
            )
        before, rest = page.split(begin)
        page = before + begin + text + "\n" + end + rest.split(end)[1]
    return page


# The drawing

PITCH = 26
TOP = 40
ODD_X, EVEN_X = 430, 490
MIDDLE_X = (ODD_X + EVEN_X) // 2
LEFT_EDGE, RIGHT_EDGE = 190, 730
BOX_WIDTH = 150
HEIGHT = TOP + 20 * PITCH + 30
COLOURS = {"3.3 V": "#d0312d", "ground": "#222222"}
SIGNAL_COLOURS = ("#1f77b4", "#2ca02c", "#9467bd", "#e08214", "#17a2a2", "#c2489c", "#8c6d31")
PLACES = {
    # The side of each part, and the row of the header next to its first pad.
    Part.SCREEN: ("left", 0.0),
    Part.LEFT_READER: ("left", 6.0),
    Part.KEYPAD: ("left", 14.2),
    Part.BUZZER: ("right", 4.0),
    Part.RIGHT_READER: ("right", 8.0),
}


def drawing(wiring: Wiring) -> str:
    """Draw the header in the middle, the parts around it, and a line for every wire."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 {HEIGHT}" '
        'font-family="sans-serif" font-size="13" role="img" '
        'aria-label="Every wire of the box, from the parts to the 40-pin header">',
        f'<rect width="920" height="{HEIGHT}" fill="#ffffff"/>',
        *_header(),
    ]
    for part in Part:
        lines += _part(part, wiring.wires_of(part))
    return "\n".join((*lines, "</svg>", ""))


def _header() -> list[str]:
    box = f'x="{ODD_X - 22}" y="{TOP - 16}" width="{EVEN_X - ODD_X + 44}" height="{20 * PITCH + 8}"'
    title = f'<text x="{MIDDLE_X}" y="{TOP - 22}" text-anchor="middle">Pi header</text>'
    drawn = [f'<rect {box} rx="6" fill="#e9ecef" stroke="#868e96"/>', title]
    for pin in range(1, 41):
        x, y = _pin_place(pin)
        shape = f'width="16" height="16" x="{x - 8}" y="{y - 8}"'
        drawn.append(f'<rect {shape} fill="#fff" stroke="#495057"/>')
        drawn.append(
            f'<text x="{x}" y="{y + 3.5}" text-anchor="middle" font-size="10">{pin}</text>'
        )
    return drawn


def _pin_place(pin: int) -> tuple[float, float]:
    return (ODD_X if pin % 2 else EVEN_X), TOP + (pin - 1) // 2 * PITCH


def _part(part: Part, wires: list[Wire]) -> list[str]:
    side, row = PLACES[part]
    edge = LEFT_EDGE if side == "left" else RIGHT_EDGE
    spacing = min(PITCH, (HEIGHT - 40 - TOP - row * PITCH) / len(wires))
    top = TOP + row * PITCH
    x = edge - BOX_WIDTH if side == "left" else edge
    height = spacing * len(wires) + 6
    drawn = [
        f'<rect x="{x}" y="{top - 14}" width="{BOX_WIDTH}" height="{height:.0f}" rx="8" '
        'fill="#f1f3f5" stroke="#495057"/>',
        f'<text x="{x + BOX_WIDTH / 2 - (15 if side == "left" else -15)}" '
        f'y="{top - 8 + height / 2:.0f}" text-anchor="middle" font-weight="bold">'
        f"{escape(part.value)}</text>",
    ]
    for index, wire in enumerate(wires):
        drawn += _wire(wire, edge, top + index * spacing, side, index)
    return drawn


def _wire(wire: Wire, edge: float, y: float, side: str, index: int) -> list[str]:
    colour = COLOURS.get(wire.signal, SIGNAL_COLOURS[index % len(SIGNAL_COLOURS)])
    anchor, inset = ("end", -8) if side == "left" else ("start", 8)
    place = f'x="{edge + inset}" y="{y + 4:.1f}" text-anchor="{anchor}"'
    return [
        f'<path d="M{edge} {y:.1f} {_path_to_pin(wire.pin, edge, y, side)}" '
        f'fill="none" stroke="{colour}" stroke-width="2.2" stroke-opacity="0.85"/>',
        f"<text {place}>{escape(wire.pad)}</text>",
    ]


def _path_to_pin(pin: int, edge: float, y: float, side: str) -> str:
    """A curve to the pin; to the far column it passes between two pins of the near one."""
    x, end = _pin_place(pin)
    near = ODD_X if side == "left" else EVEN_X
    outwards = -1 if side == "left" else 1
    if x == near:
        return _curve(edge, y, x + 8 * outwards, end)
    between = end + PITCH / 2
    return f"{_curve(edge, y, near + 22 * outwards, between)} H{MIDDLE_X} L{x + 8 * outwards} {end}"


def _curve(x: float, y: float, end_x: float, end_y: float) -> str:
    bend = (x + end_x) / 2
    return f"C{bend} {y:.1f} {bend} {end_y} {end_x} {end_y}"


def main() -> None:
    wiring = Wiring()
    page = with_sections(PAGE.read_text(encoding="utf-8"), sections(wiring))
    PAGE.write_text(page, encoding="utf-8")
    DRAWING.write_text(drawing(wiring), encoding="utf-8")
    print(f"{PAGE.name} and {DRAWING.name} are up to date")


if __name__ == "__main__":
    main()
