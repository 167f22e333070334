"""Legibility: how many texts an off-the-shelf OCR reads from small, blurred pictures.

A picture is blurred by one pixel, scaled to half its size, enlarged six times, and read by
Debian's tesseract. The amounts are read a second time in an off-the-shelf face of the same height.
"""

import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from os import cpu_count, environ
from pathlib import Path
from string import ascii_uppercase, digits

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from hal.display.digits import FIGURE_HEIGHT, WIDE
from hal.display.messages import Message, Text
from hal.display.renderer import FIELD_TOP, HEIGHT, MESSAGE_TOP, WIDTH, draw
from hal.display.view import Occupant, View

AMOUNTS = 500
SEED = 20_260
MOST_DIGITS = 5
LEAST_AMOUNTS, LEAST_MESSAGES = 0.98, 0.95
FACE = Path("/usr/share/fonts/truetype/dejavu/DejaVuSansCondensed-Bold.ttf")
IN_AMOUNTS = digits + ",MK"
IN_MESSAGES = ascii_uppercase + digits + "?- "
MARGIN = 16
"""Dark pixels around a picture, like those around the field on the screen."""
FOLLOWED: dict[Text, str | Text] = {
    Text.MIN: "10K",
    Text.MAX: "20M",
    Text.STEP: "1K",
    Text.NEW_GAME_IN: "2",
    Text.VOLUME: "2",
    Text.DICE: "2-12",
    Text.NEXT: "EUROPE",
    Text.NEXT_GAME: Text.FAST,
    Text.WINNER: "2",
}
"""The text that follows a message which never shows alone."""
ASKED = Text.PRESS_M, Text.HOLD_M


def random_amounts(how_many: int, seed: int) -> list[str]:
    """Amounts as the box writes them: one to five digits, with and without comma and unit."""
    chance = random.Random(seed)
    amounts: list[str] = []
    while len(amounts) < how_many:
        length = chance.randint(1, MOST_DIGITS)
        decimals = chance.randint(0, length - 1)
        number = "".join(chance.choice(digits) for _ in range(length))
        whole, rest = number[: length - decimals].lstrip("0") or "0", number[length - decimals :]
        unit = chance.choice("MMKK" if rest else ["M", "M", "K", "K", ""])
        if not rest.endswith("0") and (rest or whole != "0"):
            amounts.append(f"{whole},{rest}{unit}" if rest else whole + unit)
    return amounts


def messages() -> list[Message]:
    """Every text of the message line, with what belongs to it."""
    asking = [Message(Text.MORTGAGE, ask=Text.PRESS_M), Message(Text.BANKRUPT, ask=Text.HOLD_M)]
    alone = [text for text in Text if text.english and text not in ASKED]
    return [Message(text, FOLLOWED.get(text, "")) for text in alone] + asking


def amount_picture(text: str) -> Image.Image:
    return _screen(text, None).crop((0, FIELD_TOP, WIDTH, FIELD_TOP + FIGURE_HEIGHT))


def message_picture(message: Message) -> Image.Image:
    return _screen("", message).crop((0, MESSAGE_TOP - 3, WIDTH, HEIGHT))


def _screen(field: str, message: Message | None) -> Image.Image:
    return draw(View(field, message, None, (Occupant.NONE, Occupant.NONE), 2, "banking"))


def off_the_shelf() -> Callable[[str], Image.Image]:
    """Return what draws a text in the other face, at the height of our figures."""
    box = WIDE.glyph("1").getbbox()
    assert box, "the figures are empty"
    height = box[3] - box[1]
    sized = (ImageFont.truetype(FACE, size) for size in range(height, 3 * height))
    face = next(face for face in sized if _height(face) >= height)

    def picture(text: str) -> Image.Image:
        left, top, right, bottom = map(round, face.getbbox(text))
        drawn = Image.new("1", (right - left, bottom - top))
        ImageDraw.Draw(drawn).text((-left, -top), text, font=face, fill=1)
        return drawn

    return picture


def _height(face: ImageFont.FreeTypeFont) -> float:
    _left, top, _right, bottom = face.getbbox("1")
    return bottom - top


def worsened(picture: Image.Image) -> Image.Image:
    """Blur a picture by one pixel, scale it to half, enlarge it six times; dark on light."""
    width, height = picture.size
    framed = Image.new("L", (width + 2 * MARGIN, height + 2 * MARGIN))
    framed.paste(picture.convert("L"), (MARGIN, MARGIN))
    blurred = ImageChops.invert(framed).filter(ImageFilter.GaussianBlur(1))
    half = blurred.resize((framed.width // 2, framed.height // 2))
    return half.resize((half.width * 6, half.height * 6))


def read(pictures: Iterable[Image.Image], letters: str) -> list[str]:
    """Let tesseract read pictures of one line each; one process for each core."""
    names = []
    with tempfile.TemporaryDirectory(prefix="tellerbox-") as folder:
        for number, picture in enumerate(pictures):
            names.append(f"{folder}/{number}.png")
            worsened(picture).save(names[-1])
        cores = cpu_count() or 1
        readers = [
            _tesseract(names[core::cores], f"{folder}/{core}", letters)
            for core in range(min(cores, len(names)))
        ]
        found = [""] * len(names)
        for core, reader in enumerate(readers):
            assert reader.wait() == 0, "tesseract failed"
            pages = Path(f"{folder}/{core}.txt").read_text(encoding="utf-8").split("\f")
            found[core::cores] = [page.strip() for page in pages[: len(found[core::cores])]]
    return found


def _tesseract(names: list[str], output: str, letters: str) -> "subprocess.Popen[bytes]":
    listed = Path(f"{output}.list")
    listed.write_text("\n".join(names) + "\n", encoding="utf-8")
    allowed = f"tessedit_char_whitelist={letters}"
    return subprocess.Popen(
        ["tesseract", listed, output, "--psm", "7", "-c", allowed],
        stderr=subprocess.DEVNULL,
        env={**environ, "OMP_THREAD_LIMIT": "1"},
    )


def misread(texts: list[str], pictures: Iterable[Image.Image], letters: str) -> dict[str, str]:
    """Return what was read for each text that was not read exactly."""
    found = read(pictures, letters)
    return {text: said for text, said in zip(texts, found, strict=True) if text != said}


def _report(what: str, total: int, wrong: dict[str, str], least: float | None) -> None:
    share = 1 - len(wrong) / total
    verdict = "reached" if least is None or share >= least else "MISSED"
    limit = f" (to reach: at least {least:.0%}, {verdict})" if least else ""
    examples = ", ".join(f"{text} as {said or 'nothing'}" for text, said in wrong.items())
    print(f"{what}\n    {total - len(wrong)} of {total}, {share:.1%}{limit}")
    print(f"    misread: {examples or 'none'}\n")


def main() -> None:
    if not shutil.which("tesseract"):
        print("legibility: skipped, because tesseract is missing (apt-get install tesseract-ocr)\n")
        return
    amounts = random_amounts(AMOUNTS, SEED)
    ours = misread(amounts, map(amount_picture, amounts), IN_AMOUNTS)
    _report("amounts read exactly, blurred and at half size", AMOUNTS, ours, LEAST_AMOUNTS)
    if FACE.exists():
        theirs = misread(amounts, map(off_the_shelf(), amounts), IN_AMOUNTS)
        _report("the same in DejaVu Sans Condensed Bold of the same height", AMOUNTS, theirs, None)
    else:
        print("legibility: no comparison, because fonts-dejavu-extra is missing\n")
    texts = {str(message): message for message in messages()}
    wrong = misread(list(texts), map(message_picture, texts.values()), IN_MESSAGES)
    _report("message texts read exactly, the same way", len(texts), wrong, LEAST_MESSAGES)


if __name__ == "__main__":
    main()
