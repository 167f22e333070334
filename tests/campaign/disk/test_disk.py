"""What is durable on the simulated disk, what is lost without a sync, and what tears."""

import random

import pytest

from tests.campaign.disk.calls import Call, Kind
from tests.campaign.disk.surface import Kept, Lost, RandomFate, Spoilt, Surface, Torn


def disk(*calls: Call, **image: bytes) -> Surface:
    surface = Surface(image)
    for call in calls:
        surface.apply(call)
    return surface


def write(offset: int, content: bytes) -> Call:
    return Call(Kind.WRITE, "a", offset, content)


SYNC = Call(Kind.SYNC, "a")
SYNC_FOLDER = Call(Kind.SYNC_FOLDER, "")


def test_unsynced_write_may_be_lost() -> None:
    surface = disk(write(2, b"xy"), a=b"12345")
    assert surface.surviving(Lost()) == {"a": b"12345"}
    assert surface.surviving(Kept()) == {"a": b"12xy5"}


def test_synced_write_is_durable() -> None:
    surface = disk(write(2, b"xy"), SYNC, write(0, b"z"), a=b"12345")
    assert surface.surviving(Lost()) == {"a": b"12xy5"}


def test_sync_covers_only_its_own_file() -> None:
    surface = disk(write(0, b"x"), Call(Kind.SYNC, "b"), a=b"1", b=b"2")
    assert surface.surviving(Lost()) == {"a": b"1", "b": b"2"}


def test_unsynced_truncation_may_be_lost() -> None:
    surface = disk(Call(Kind.TRUNCATE, "a", 2), a=b"12345")
    assert surface.surviving(Lost()) == {"a": b"12345"}
    assert surface.surviving(Kept()) == {"a": b"12"}
    assert disk(Call(Kind.TRUNCATE, "a", 7), SYNC, a=b"12345").surviving(Lost()) == {
        "a": b"12345\0\0"
    }


def test_later_sync_does_not_write_dropped_data() -> None:
    surface = disk(write(0, b"x"), Call(Kind.DROP, "a"), SYNC, a=b"12345")
    assert surface.surviving(Lost()) == {"a": b"12345"}
    assert surface.surviving(Kept()) == {"a": b"x2345"}


def test_rewriting_a_page_writes_its_dropped_data() -> None:
    pages = b"o" * 8192
    failed = (write(0, b"x"), write(5000, b"y"), Call(Kind.DROP, "a"))
    surface = disk(*failed, write(100, b"z"), SYNC, a=pages)
    survived = surface.surviving(Lost())["a"]
    assert (survived[0], survived[100], survived[5000]) == (ord("x"), ord("z"), ord("o"))


def test_gap_reads_as_zeros() -> None:
    assert disk(write(3, b"x"), SYNC, a=b"1").surviving(Lost()) == {"a": b"1\0\0x"}


def test_new_name_is_durable_after_folder_sync() -> None:
    new = Call(Kind.CREATE, "a")
    assert disk(new, write(0, b"x"), SYNC).surviving(Lost()) == {}
    assert disk(new, write(0, b"x"), SYNC, SYNC_FOLDER).surviving(Lost()) == {"a": b"x"}
    assert disk(new, SYNC_FOLDER, write(0, b"x")).surviving(Lost()) == {"a": b""}


def test_deletion_is_durable_after_folder_sync() -> None:
    delete = Call(Kind.DELETE, "a")
    assert disk(delete, a=b"1").surviving(Lost()) == {"a": b"1"}
    assert disk(delete, SYNC_FOLDER, a=b"1").surviving(Lost()) == {}


def test_new_file_of_same_name_is_separate() -> None:
    recreate = (Call(Kind.DELETE, "a"), Call(Kind.CREATE, "a"), write(0, b"new"), SYNC)
    assert disk(*recreate, a=b"old").surviving(Lost()) == {"a": b"old"}
    assert disk(*recreate, SYNC_FOLDER, a=b"old").surviving(Lost()) == {"a": b"new"}


def test_rename_is_atomic() -> None:
    renamed = Call(Kind.RENAME, "a", target="b")
    assert disk(renamed, a=b"1", b=b"2").surviving(Lost()) == {"a": b"1", "b": b"2"}
    assert disk(renamed, SYNC_FOLDER, a=b"1", b=b"2").surviving(Lost()) == {"b": b"1"}
    surface = disk(renamed, a=b"1", b=b"2")
    images = [surface.surviving(RandomFate(random.Random(seed))) for seed in range(20)]
    assert all(image in ({"a": b"1", "b": b"2"}, {"b": b"1"}) for image in images)


OLD, NEW = b"o" * 2048, b"n" * 1536


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("first", [True, False])
def test_write_tears_at_sector_boundaries(at: int, first: bool) -> None:
    """The write starts in the middle of a sector, so its first part is half a sector long."""
    surface = disk(write(256, NEW), a=OLD)
    before, after = (NEW, OLD) if first else (OLD, NEW)
    boundary = at * 512
    expected = OLD[:256] + before[: boundary - 256] + after[: 256 + 1536 - boundary] + OLD[:256]
    assert surface.surviving(Torn(at, first))["a"] == expected


def test_only_last_write_tears() -> None:
    surface = disk(write(0, b"x" * 1024), write(1024, b"y" * 1024), a=OLD)
    assert surface.surviving(Torn(1, True, Kept()))["a"] == (b"x" * 1024 + b"y" * 512 + b"o" * 512)
    assert surface.surviving(Torn(1, True, Lost()))["a"] == (b"o" * 1024 + b"y" * 512 + b"o" * 512)


def test_random_fate_reorders_and_tears_by_sector() -> None:
    surface = disk(write(0, b"x" * 1024), write(1024, b"y" * 1024), a=OLD)
    results = {surface.surviving(RandomFate(random.Random(seed)))["a"] for seed in range(200)}
    sectors = {tuple(content[at : at + 512] for at in range(0, 2048, 512)) for content in results}
    x, y, o = b"x" * 512, b"y" * 512, b"o" * 512
    assert {(o, o, y, y), (x, x, o, o), (o, o, o, o), (x, x, y, y), (x, o, y, y)} <= sectors
    assert all(a in (x, o) and c in (y, o) for a, _, c, _ in sectors)


def test_spoilt_write_destroys_whole_sector() -> None:
    surface = disk(write(600, b"n" * 600), a=OLD)
    spoilt = surface.surviving(Spoilt(0))["a"]
    assert spoilt == OLD[:512] + b"\xa5" * 512 + OLD[:1024]
