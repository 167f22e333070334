"""The tools of `make test-plug` detect the faults they are for."""

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

from firmware.user_error import UserError
from tests.pi import disk_check, table
from tests.pi.card import BLOCK, LostWrites, MemoryCard, short
from tests.pi.line import LineClosed, box_at
from tests.pi.plug import BalanceError, Play, Trial
from tests.pi.rights import Unavailable, install

OLD, NEW, NEWER = (bytes([byte]) * BLOCK for byte in (1, 2, 3))
SBIN = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}


# The memory card


class BlockClient:
    """An NBD client, as in the emulator."""

    def __init__(self, path: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(short(path))
        assert self._read(18)[:16] == b"NBDMAGICIHAVEOPT"
        self._connection.sendall(
            struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">IIIH", 7, 6, 0, 0)
        )
        info = self._read(20 + 12 + 20)
        self.size = int(struct.unpack(">Q", info[22:30])[0])

    def ask(self, kind: int, offset: int = 0, content: bytes = b"", length: int = 0) -> bytes:
        head = struct.pack(">IHHQQI", 0x25609513, 0, kind, 7, offset, length or len(content))
        self._connection.sendall(head + content)
        assert struct.unpack(">IIQ", self._read(16)) == (0x67446698, 0, 7)
        return self._read(length)

    def write(self, offset: int, content: bytes) -> None:
        self.ask(1, offset, content)

    def read(self, offset: int, length: int) -> bytes:
        return self.ask(0, offset, length=length)

    def flush(self) -> None:
        self.ask(3)

    def power_off(self) -> None:
        self._connection.close()

    def _read(self, length: int) -> bytes:
        parts = b""
        while len(parts) < length:
            part = self._connection.recv(length - len(parts))
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
def card(image: Path) -> Iterator[MemoryCard]:
    with MemoryCard(image, image.with_name("card")) as card:
        yield card


def test_a_card_returns_what_was_written(card: MemoryCard, image: Path) -> None:
    client = BlockClient(card.path)
    assert client.size == len(OLD * 4)
    client.write(BLOCK, NEW)
    assert client.read(0, 3 * BLOCK) == OLD + NEW + OLD
    client.power_off()
    assert card.lose_power(random.Random(1), 0) == LostWrites(unflushed=1, lost=0)
    assert image.read_bytes() == OLD + NEW + OLD * 2


def test_a_card_loses_unflushed_writes(card: MemoryCard, image: Path) -> None:
    client = BlockClient(card.path)
    client.write(0, NEW + NEW)
    client.flush()
    client.write(BLOCK, NEWER + NEWER)
    client.power_off()
    assert card.lose_power(random.Random(1), 1) == LostWrites(unflushed=2, lost=2)
    assert image.read_bytes() == NEW + NEW + OLD + OLD


def test_a_block_that_was_written_twice_can_have_any_of_its_states(image: Path) -> None:
    found = set()
    for seed in range(20):
        image.write_bytes(OLD * 4)
        with MemoryCard(image, image.with_name("card")) as card:
            client = BlockClient(card.path)
            client.write(0, NEW)
            client.write(0, NEWER)
            client.power_off()
            card.lose_power(random.Random(seed), 0.5)
        found.add(image.read_bytes()[:1])
    assert found == {OLD[:1], NEW[:1], NEWER[:1]}


def test_a_cut_prevents_its_write(card: MemoryCard, image: Path) -> None:
    client = BlockClient(card.path)
    client.write(0, NEW)
    cut = threading.Event()
    card.cut_at_write(2, cut.set)
    client.write(BLOCK, NEW)
    with pytest.raises(ConnectionResetError):
        client.write(2 * BLOCK, NEW)
    assert cut.is_set()
    card.lose_power(random.Random(1), 0)
    assert image.read_bytes() == NEW + NEW + OLD + OLD


# The line


def test_a_greeting_is_found_among_noise_echoes_and_old_answers() -> None:
    ours, theirs = socket.socketpair()
    received: list[bytes] = []

    def answer() -> None:
        with theirs.makefile("rb") as lines:
            theirs.sendall(b"\xff\x00[    1.2] boot noise\r\nok screen\r\n")
            for line in lines:
                received.append(line)
                theirs.sendall(line)  # an echo
                if len(received) == 4:
                    old = b"tellerbox 1 | " + received[1][6:]
                    theirs.sendall(old + b"tellerbox 1 | " + line[6:])
                if line == b"new\n":
                    theirs.sendall(b"ok\r\n")
                    return

    box = threading.Thread(target=answer)
    box.start()
    with ours:
        console = box_at(ours)
        console.greet(30)
        assert console.greeting == "tellerbox 1"
        console.ask("new")
        box.join(30)
    theirs.close()


def test_a_silent_or_closed_line_is_an_error() -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with pytest.raises(UserError, match="no box answers"):
            box_at(ours).greet(0.1)
        theirs.close()
        with pytest.raises(LineClosed):
            box_at(ours).ask("new")


def test_a_line_that_is_not_read_yet_is_not_closed() -> None:
    """The emulator buffers what is sent before the box listens; a slow boot fills the buffer."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                ours.send(b"\x03\nhello\n")
        with pytest.raises(UserError, match="no box answers"):
            box_at(ours).greet(0.1)


# The model of the players


@pytest.mark.parametrize(
    ("thousands", "text"),
    [(0, "0"), (10, "10K"), (990, "990K"), (1000, "1M"), (14_980, "14,98M"), (15_500, "15,5M")],
)
def test_an_amount_is_formatted_as_the_box_shows_it(thousands: int, text: str) -> None:
    assert table.format_amount(thousands) == text


def test_a_long_game_follows_the_rules() -> None:
    rng, balances = random.Random(1), table.OPENING
    for _ in range(2000):
        slots: set[str] = set()
        for step in table.turn(balances, rng):
            verb, where, *_ = step.line.split()
            if verb == "insert":
                slots.add(where)
            elif verb == "remove":
                slots.remove(where)
            if step.after is not None:
                assert all(0 <= balance <= table.MAX_BALANCE for balance in step.after)
                balances = step.after
        assert not slots, "a card was left in its slot"


# The disk after the cut


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


def _run(*command: str | Path) -> None:
    subprocess.run(command, env=SBIN, check=True, capture_output=True)


def test_a_clean_file_system_needs_no_repair(disk: Path, tmp_path: Path) -> None:
    found = disk_check.check(disk, tmp_path)
    assert found.repairs == ""
    assert "is missing" in found.ledger


@pytest.mark.parametrize(
    "damage", ["clri /rent", "setb 16000", "sif /rent links_count 3", "ssv free_blocks_count 7"]
)
def test_damage_is_found_but_wrong_totals_are_not_damage(
    damage: str, disk: Path, tmp_path: Path
) -> None:
    _run("debugfs", "-w", "-R", damage, disk)
    totals = "free_blocks_count" in damage
    assert (disk_check.check(disk, tmp_path).repairs == "") == totals


MOVE = "insert left 1\npress 2M\nquit\n"
AMOUNT, ANOTHER = (amount.to_bytes(3, "big") for amount in (2_000_000, 2_000_001))
"""As SQLite stores them."""


@pytest.mark.parametrize(
    ("amount", "error"),
    [(AMOUNT, ""), (ANOTHER, "the ledger is not sound")],
    ids=["sound", "altered"],
)
def test_a_ledger_that_does_not_verify_is_found(
    amount: bytes, error: str, disk: Path, tmp_path: Path
) -> None:
    played = tmp_path / "played.db"
    play = (sys.executable, "-m", "firmware", "sim", "--text", "--ledger", played)
    subprocess.run(play, input=MOVE, text=True, check=True, capture_output=True)
    content = played.read_bytes()
    assert AMOUNT in content
    played.write_bytes(content.replace(AMOUNT, amount))
    place = Path(disk_check.LEDGER)
    for folder in reversed(place.parents[:-1]):
        _run("debugfs", "-w", "-R", f"mkdir {folder}", disk)
    _run("debugfs", "-w", "-R", f"write {played} {place}", disk)
    found = disk_check.check(disk, tmp_path)
    assert found.repairs == ""
    assert error in found.ledger
    assert bool(found.ledger) == bool(error)


# The balances after the cut


class FakeConsole:
    """A console of a box with the given balances."""

    def __init__(self, balances: table.Balances) -> None:
        self._true = {
            f"expect balance {card} {table.format_amount(have)}"
            for card, have in enumerate(balances, 1)
        }

    def ask(self, line: str) -> str:
        return "ok" if line in self._true else "no: expected that, got something else"


BEFORE, AFTER, OTHER = (
    (x, 15_000, 15_000, 15_000, 15_000, 15_000) for x in (14_000, 16_000, 17_000)
)


@pytest.mark.parametrize(
    ("pending", "found", "result"),
    [
        (None, BEFORE, "all moves kept"),
        (AFTER, BEFORE, "the pending one dropped"),
        (AFTER, AFTER, "the pending one kept"),
    ],
)
def test_valid_balances(
    pending: table.Balances | None, found: table.Balances, result: str, tmp_path: Path
) -> None:
    trial = _trial_after(Play(3, BEFORE, pending), tmp_path)
    assert trial.compare(FakeConsole(found)).endswith(result)
    assert trial.totals.good


@pytest.mark.parametrize(("pending", "found"), [(None, AFTER), (AFTER, OTHER)])
def test_invalid_balances(
    pending: table.Balances | None, found: table.Balances, tmp_path: Path
) -> None:
    trial = _trial_after(Play(3, BEFORE, pending), tmp_path)
    with pytest.raises(BalanceError):
        trial.compare(FakeConsole(found))
    assert not trial.totals.good
    assert trial.totals.wrong == 1


def _trial_after(play: Play, folder: Path) -> Trial:
    trial = Trial(folder / "disk", folder, random.Random(1), print)
    trial.count(play, LostWrites(0, 0))
    return trial
