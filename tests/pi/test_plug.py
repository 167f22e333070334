"""The instruments of `make test-plug`: each of them notices what it is there to notice."""

import random
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from firmware.mistake import Mistake
from tests.pi import aftermath, table
from tests.pi.card import BLOCK, Card, Forgotten, short
from tests.pi.line import Cut, box_at
from tests.pi.plug import Lost, Play, Trial
from tests.pi.rights import Unavailable, install

OLD, NEW, NEWER = (bytes([byte]) * BLOCK for byte in (1, 2, 3))
SBIN = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}


# The card


class Slot:
    """What the emulator does with a card, by hand."""

    def __init__(self, path: Path) -> None:
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(short(path))
        assert self._read(18)[:16] == b"NBDMAGICIHAVEOPT"
        self._line.sendall(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">IIIH", 7, 6, 0, 0))
        info = self._read(20 + 12 + 20)
        self.size = int(struct.unpack(">Q", info[22:30])[0])

    def ask(self, kind: int, offset: int = 0, content: bytes = b"", length: int = 0) -> bytes:
        head = struct.pack(">IHHQQI", 0x25609513, 0, kind, 7, offset, length or len(content))
        self._line.sendall(head + content)
        assert struct.unpack(">IIQ", self._read(16)) == (0x67446698, 0, 7)
        return self._read(length)

    def write(self, offset: int, content: bytes) -> None:
        self.ask(1, offset, content)

    def read(self, offset: int, length: int) -> bytes:
        return self.ask(0, offset, length=length)

    def flush(self) -> None:
        self.ask(3)

    def power_off(self) -> None:
        self._line.close()

    def _read(self, length: int) -> bytes:
        parts = b""
        while len(parts) < length:
            part = self._line.recv(length - len(parts))
            if not part:
                raise ConnectionResetError
            parts += part
        return parts


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image"
    path.write_bytes(OLD * 4)
    return path


@pytest.fixture
def card(image: Path) -> Iterator[Card]:
    with Card(image, image.with_name("card")) as card:
        yield card


def test_a_card_gives_back_what_it_was_given(card: Card, image: Path) -> None:
    slot = Slot(card.path)
    assert slot.size == len(OLD * 4)
    slot.write(BLOCK, NEW)
    assert slot.read(0, 3 * BLOCK) == OLD + NEW + OLD
    slot.power_off()
    assert card.lose_power(random.Random(1), 0) == Forgotten(unflushed=1, lost=0)
    assert image.read_bytes() == OLD + NEW + OLD * 2


def test_a_card_forgets_what_it_was_not_told_to_flush(card: Card, image: Path) -> None:
    slot = Slot(card.path)
    slot.write(0, NEW + NEW)
    slot.flush()
    slot.write(BLOCK, NEWER + NEWER)
    slot.power_off()
    assert card.lose_power(random.Random(1), 1) == Forgotten(unflushed=2, lost=2)
    assert image.read_bytes() == NEW + NEW + OLD + OLD


def test_a_block_that_was_written_twice_may_be_in_any_of_its_states(image: Path) -> None:
    found = set()
    for seed in range(20):
        image.write_bytes(OLD * 4)
        with Card(image, image.with_name("card")) as card:
            slot = Slot(card.path)
            slot.write(0, NEW)
            slot.write(0, NEWER)
            slot.power_off()
            card.lose_power(random.Random(seed), 0.5)
        found.add(image.read_bytes()[:1])
    assert found == {OLD[:1], NEW[:1], NEWER[:1]}


def test_a_cut_comes_before_the_write_that_it_was_set_to(card: Card, image: Path) -> None:
    slot = Slot(card.path)
    slot.write(0, NEW)
    pulled = threading.Event()
    card.cut_at_write(2, pulled.set)
    slot.write(BLOCK, NEW)
    with pytest.raises(ConnectionResetError):
        slot.write(2 * BLOCK, NEW)
    assert pulled.is_set()
    card.lose_power(random.Random(1), 0)
    assert image.read_bytes() == NEW + NEW + OLD + OLD


# The line


def test_a_greeting_sees_through_noise_echoes_and_old_answers() -> None:
    ours, theirs = socket.socketpair()
    said: list[bytes] = []

    def answer() -> None:
        with theirs.makefile("rb") as heard:
            theirs.sendall(b"\xff\x00[    1.2] boot noise\r\nok screen\r\n")
            for line in heard:
                said.append(line)
                theirs.sendall(line)  # an echo
                if len(said) == 4:
                    theirs.sendall(b"tellerbox 1 | " + said[1][6:] + b"tellerbox 1 | " + line[6:])
                if line == b"new\n":
                    theirs.sendall(b"ok\r\n")
                    return

    box = threading.Thread(target=answer)
    box.start()
    with ours:
        line = box_at(ours)
        line.greet(30)
        assert line.greeting == "tellerbox 1"
        line.ask("new")
        box.join(30)
    theirs.close()


def test_a_line_that_is_dead_or_silent_says_so() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with pytest.raises(Mistake, match="no box answers"):
            box_at(ours).greet(0.1)
        theirs.close()
        with pytest.raises(Cut):
            box_at(ours).ask("new")


def test_a_line_that_nobody_reads_yet_is_not_dead() -> None:
    """The emulator holds what is sent before the box listens; a slow boot is full of greetings."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                ours.send(b"\x03\nhello\n")
        with pytest.raises(Mistake, match="no box answers"):
            box_at(ours).greet(0.1)


# The table


@pytest.mark.parametrize(
    ("thousands", "text"),
    [(0, "0"), (10, "10K"), (990, "990K"), (1000, "1M"), (14_980, "14,98M"), (15_500, "15,5M")],
)
def test_an_amount_is_written_as_the_box_shows_it(thousands: int, text: str) -> None:
    assert table.written(thousands) == text


def test_a_long_game_keeps_to_the_rules() -> None:
    dice, balances = random.Random(1), table.OPENING
    for _ in range(2000):
        slots: set[str] = set()
        for step in table.turn(balances, dice):
            verb, where, *_ = step.line.split()
            if verb == "insert":
                slots.add(where)
            elif verb == "remove":
                slots.remove(where)
            if step.after is not None:
                assert all(0 <= balance <= table.MOST for balance in step.after)
                balances = step.after
        assert not slots, "a card was forgotten in its slot"


# What is left after the cut


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    try:
        install(e2fsprogs="mke2fs")
    except Unavailable as reason:
        pytest.skip(str(reason))
    path = tmp_path / "disk"
    (tmp_path / "files").mkdir()
    (tmp_path / "files/rent").write_text("1,4M")
    files = ("-d", tmp_path / "files")
    _run("mke2fs", "-q", "-t", "ext4", *files, path, "16M")
    return path


def _run(*words: str | Path) -> None:
    subprocess.run(words, env=SBIN, check=True, capture_output=True)


def test_a_file_system_in_order_needs_no_repair(disk: Path, tmp_path: Path) -> None:
    verdict = aftermath.look_at(disk, tmp_path)
    assert verdict.repairs == ""
    assert "there is no" in verdict.ledger


@pytest.mark.parametrize(
    "damage", ["clri /rent", "setb 16000", "sif /rent links_count 3", "ssv free_blocks_count 7"]
)
def test_damage_is_noticed_but_not_totals(damage: str, disk: Path, tmp_path: Path) -> None:
    _run("debugfs", "-w", "-R", damage, disk)
    totals = "free_blocks_count" in damage
    assert (aftermath.look_at(disk, tmp_path).repairs == "") == totals


MOVE = "insert left 1\npress 2M\nquit\n"
AMOUNT, ANOTHER = (amount.to_bytes(3, "big") for amount in (2_000_000, 2_000_001))
"""As SQLite writes them."""


@pytest.mark.parametrize(
    ("amount", "said"),
    [(AMOUNT, ""), (ANOTHER, "the ledger is not sound")],
    ids=["sound", "altered"],
)
def test_a_ledger_that_does_not_verify_is_noticed(
    amount: bytes, said: str, disk: Path, tmp_path: Path
) -> None:
    played = tmp_path / "played.db"
    play = (sys.executable, "-m", "firmware", "sim", "--text", "--ledger", played)
    subprocess.run(play, input=MOVE, text=True, check=True, capture_output=True)
    content = played.read_bytes()
    assert AMOUNT in content
    played.write_bytes(content.replace(AMOUNT, amount))
    place = Path(aftermath.LEDGER)
    for folder in reversed(place.parents[:-1]):
        _run("debugfs", "-w", "-R", f"mkdir {folder}", disk)
    _run("debugfs", "-w", "-R", f"write {played} {place}", disk)
    verdict = aftermath.look_at(disk, tmp_path)
    assert verdict.repairs == ""
    assert said in verdict.ledger
    assert bool(verdict.ledger) == bool(said)


# The verdict


class Says:
    """A line to a box with these balances."""

    def __init__(self, balances: table.Balances) -> None:
        self._has = {
            f"expect balance {card} {table.written(have)}" for card, have in enumerate(balances, 1)
        }

    def ask(self, text: str) -> str:
        return "ok" if text in self._has else "no: expected that, got something else"


BEFORE, AFTER, OTHER = (
    (x, 15_000, 15_000, 15_000, 15_000, 15_000) for x in (14_000, 16_000, 17_000)
)


@pytest.mark.parametrize(
    ("under_way", "found", "said"),
    [
        (None, BEFORE, "all there"),
        (AFTER, BEFORE, "the one under way not there"),
        (AFTER, AFTER, "the one under way kept"),
    ],
)
def test_what_may_be_found(
    under_way: table.Balances | None, found: table.Balances, said: str, tmp_path: Path
) -> None:
    trial = _after(Play(3, BEFORE, under_way), tmp_path)
    assert trial.compare(Says(found)).endswith(said)
    assert trial.figures.good


@pytest.mark.parametrize(("under_way", "found"), [(None, AFTER), (AFTER, OTHER)])
def test_what_may_not(
    under_way: table.Balances | None, found: table.Balances, tmp_path: Path
) -> None:
    trial = _after(Play(3, BEFORE, under_way), tmp_path)
    with pytest.raises(Lost):
        trial.compare(Says(found))
    assert not trial.figures.good
    assert trial.figures.lost == 1


def _after(play: Play, folder: Path) -> Trial:
    trial = Trial(folder / "disk", folder, random.Random(1), print)
    trial.count(play, Forgotten(0, 0))
    return trial
