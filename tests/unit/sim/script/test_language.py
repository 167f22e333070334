"""The script language: its lines, and the errors for invalid ones."""

from copy import copy

import pytest

from firmware.bank import edition as editions
from firmware.bank.house_rules import HouseRules
from firmware.user_error import UserError
from hal.events import SECOND, Key, Slot
from sim.board.fault import (
    ClockJump,
    DiskCut,
    DiskFails,
    DiskRefusal,
    Fault,
    KeyStuck,
    Mishap,
    Noise,
    ReaderDead,
    lasting_name,
    script_words,
)
from sim.board.stock import STOCK
from sim.script.language import (
    Cause,
    Expect,
    ExpectBalance,
    Hold,
    Insert,
    Mend,
    Power,
    Press,
    Script,
    ScriptReader,
    Subject,
    Wait,
    read_script,
)
from sim.script.words import ScriptError

BANKING = editions.load("banking")


def read(text: str) -> Script:
    return read_script("a.box", text.split("\n"), BANKING)


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("insert left 1", Insert(Slot.LEFT, STOCK[0])),
        ("insert right 10", Insert(Slot.RIGHT, STOCK[9])),
        ("insert left uid:04a1B2C3", Insert(Slot.LEFT, b"\x04\xa1\xb2\xc3")),
        ("  press  1 , 5  M # rent", Press(tuple(Key(k) for k in "1,5M"))),
        ("press CGFK", Press(tuple(Key(k) for k in "CGFK"))),
        ("hold C 3s", Hold(Key.CANCEL, 3 * SECOND)),
        ("wait 500ms", Wait(SECOND // 2)),
        ("wait 2m", Wait(120 * SECOND)),
        ("wait 1h", Wait(3600 * SECOND)),
        ("power off", Power(on=False)),
        ("expect screen 14,98M", Expect(Subject.SCREEN, "14,98M")),
        ("expect screen", Expect(Subject.SCREEN, "")),
        ("expect message NO FUNDS", Expect(Subject.MESSAGE, "NO FUNDS")),
        ("expect message # empty", Expect(Subject.MESSAGE, "")),
        ("expect status 2>1 1,4M # a rent", Expect(Subject.STATUS, "2>1 1,4M")),
        ("expect status", Expect(Subject.STATUS, "")),
        ("expect card 1", Expect(Subject.CARD, "1")),
        ("expect card none", Expect(Subject.CARD, "none")),
        ("expect balance 1 155,456M", ExpectBalance(1, 155_456_000, "155,456M")),
        ("expect sound new-game", Expect(Subject.SOUND, "new-game")),
        ("expect sound none", Expect(Subject.SOUND, "none")),
        ("expect volume 3", Expect(Subject.VOLUME, "3")),
        ("expect asleep", Expect(Subject.ASLEEP, "")),
        ("expect awake\r", Expect(Subject.AWAKE, "")),
    ],
)
def test_lines(line: str, step: object) -> None:
    assert read(line).steps == ((1, step),)


def test_comments_blank_lines_and_givens() -> None:
    script = read("# a game\n\ngiven edition europe  # capitals\ngiven cards none\n\nwait 1s\n")
    assert script.edition.name == "europe"
    assert not script.stock_known
    assert script.steps == ((6, Wait(SECOND)),)
    assert read("").steps == ()
    assert read("").stock_known


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jump left", "1: there is no 'jump'; a line begins with given, insert,"),
        ("insert", "1: 'insert' takes a slot and a card"),
        ("insert left", "1: 'insert' takes a slot and a card, not 'left'"),
        ("insert left 1 2", "1: 'insert' takes a slot and a card"),
        ("insert middle 1", "1: there is no slot 'middle'; there are left and right"),
        ("insert left 0", "1: a card is 1 to 10 or uid:04A1B2C3, not '0'"),
        ("insert left 11", "1: a card is 1 to 10"),
        ("insert left ²", "1: a card is 1 to 10"),
        ("insert left uid:", "1: a UID has 4, 7 or 10 bytes in hexadecimal, not ''"),
        ("insert left uid:0102030405", "1: a UID has 4, 7 or 10 bytes"),
        ("insert left uid:xyzwxyzw", "1: a UID has 4, 7 or 10 bytes"),
        ("remove left", "1: the left slot holds no card"),
        ("insert left 1\ninsert left 2", "2: the left slot holds a card already"),
        ("insert left 1\nremove right", "2: the right slot holds no card"),
        ("press", "1: 'press' takes keys"),
        ("press 1x", "1: there is no key 'x'; keys are 0-9 , M K C G F"),
        ("press m", "1: there is no key 'm'"),
        ("hold C", "1: 'hold' takes a key and a duration, not 'C'"),
        ("hold CC 3s", "1: there is no key 'CC'"),
        ("wait 5", "1: '5' is not a duration such as 500ms, 3s, 2m or 1h"),
        ("wait 1,5s", "1: '1,5s' is not a duration"),
        ("wait -1s", "1: '-1s' is not a duration"),
        ("wait 9999999999s", "1: '9999999999s' is more than a hundred years"),
        ("wait ٣s", "is not a duration"),
        ("power", "1: 'power' takes 'on' or 'off'"),
        ("power on", "1: the power is on already"),
        ("power off\npower off", "2: the power is off already"),
        ("power off\npress 1", "2: 'press' makes no sense while the power is off"),
        ("power off\nhold C 3s", "2: 'hold' makes no sense while the power is off"),
        ("power off\nexpect message", "2: 'expect message' makes no sense while the power is off"),
        ("power off\nexpect asleep", "2: 'expect asleep' makes no sense"),
        ("power off\nexpect status", "2: 'expect status' makes no sense while the power is off"),
        ("wait 1s\ngiven cards none", "2: 'given' must come before every other line"),
        ("expect awake\ngiven cards none", "2: 'given' must come before every other line"),
        ("given cards some", "1: 'given' takes 'edition NAME', 'cards none', 'pot true', 'undo"),
        ("given name", "'undo rulebook' or 'name 1 Ana'"),
        ("given name Ana", "1: 'Ana' is not a card's number"),
        ("given name 1", "1: a name has up to 10 letters of Western Europe, also with single"),
        ("given name 1 Abcdefghijk", "hyphens or apostrophes between them; not 'Abcdefghijk'"),
        ("given name 1 Ana2", "1: a name has up to 10 letters"),
        ("given name 1 Ana_B", "1: a name has up to 10 letters"),
        ("given name 1 -Ana", "1: a name has up to 10 letters"),
        ("given name 1 Ana-", "1: a name has up to 10 letters"),
        ("given name 1 A--B", "1: a name has up to 10 letters"),
        ("given name 1 A - B", "1: a name has up to 10 letters"),
        ("given name 0 Ana", "1: edition banking has no card 0 to name; it has cards 1 to 6"),
        ("given name 7 Ana", "1: edition banking has no card 7 to name; it has cards 1 to 6, and"),
        ("given edition europe\ngiven name 9 Ana", "2: edition europe has no card 9 to name"),
        ("given name 1 Ana\ngiven name 1 Bo", "2: 'given name 1' is given twice"),
        ("given name 1 Ana\ngiven name 1 Ana", "2: 'given name 1' is given twice"),
        ("given cards none\ngiven name 1 Ana", "2: with 'given cards none' the box knows no card"),
        ("given name 1 Ana\ngiven cards none", "2: with 'given cards none' the box knows no card"),
        ("wait 1s\ngiven name 1 Ana", "2: 'given' must come before every other line"),
        ("given", "1: 'given' takes"),
        ("given edition", "1: 'given' takes"),
        ("given edition monaco", "1: there is no edition 'monaco'; there are banking, disney,"),
        ("given edition ../x", "1: there is no edition '../x'"),
        ("given cards none\ngiven cards none", "2: 'given cards' is given twice"),
        ("expect", "1: 'expect' takes one of screen, message, card, balance,"),
        ("expect luck now", "awake, menu, worth, status, not 'luck'"),
        ("expect card one", "1: 'one' is not a card's number"),
        ("expect card", "1: 'expect card' takes a card's number or 'none'"),
        ("expect balance 1", "1: 'expect balance' takes a card's number and an amount, not '1'"),
        ("expect balance x 1M", "1: 'x' is not a card's number"),
        ("expect balance 1 1.5M", "1: '1.5M' is not an amount such as"),
        ("expect balance 1 0,5", "1: '0,5' is not a whole number of currency units"),
        ("expect sound", "1: 'expect sound' takes 'none' or one of card, ok, undo, error,"),
        ("expect sound moo", "volume, alarm, not 'moo'"),
        ("expect volume 4", "1: the volume is from 0 to 3, not 4"),
        ("expect volume loud", "1: 'loud' is not a volume"),
        ("expect asleep now", "1: nothing follows 'expect asleep'"),
        ("expect worth 1", "1: 'expect worth' takes a card's number and an amount, not '1'"),
        ("expect worth x 1M", "1: 'x' is not a card's number"),
        ("power off\nexpect menu", "2: 'expect menu' makes no sense while the power is off"),
        ("given pot maybe", "1: 'given' takes"),
        ("given undo any\ngiven undo any", "2: 'given undo' is given twice"),
        ("fault", "1: 'fault' takes 'disk full', 'disk cut 7', 'reader left', 'screen',"),
        ("fault roof", "1: 'fault' takes 'disk full',"),
        ("fault screen now", "1: 'fault' takes"),
        ("fault disk", "1: 'fault' takes"),
        ("fault disk wet", "1: 'fault disk' takes 'full', 'read-only', 'write', 'sync' or 'cut 7'"),
        ("fault disk cut", "1: 'fault disk' takes"),
        ("fault disk cut 0", "1: the operations of a disk are counted from 1 to 999999, not '0'"),
        ("fault disk cut ٣", "1: the operations of a disk are counted from 1 to 999999"),
        ("fault disk cut 1000000", "1: the operations of a disk are counted from 1 to 999999"),
        ("fault reader middle", "1: there is no slot 'middle'; there are left and right"),
        ("fault key 55", "1: there is no key '55'; keys are 0-9 , M K C G F"),
        ("fault noise 51", "1: of 100 bits, 1 to 50 arrive wrong, not 51"),
        ("fault noise 0", "1: of 100 bits, 1 to 50 arrive wrong, not '0'"),
        ("fault clock", "1: 'fault' takes"),
        ("fault clock later", "1: 'later' is not a jump of a clock, such as -1h or 20s"),
        ("fault clock 0s", "1: a clock jumps by 1ms to ten years, not by '0s'"),
        ("fault clock -87601h", "1: a clock jumps by 1ms to ten years, not by '-87601h'"),
        ("fault screen\nfault screen", "2: 'fault screen' lasts already; 'mend screen' ends it"),
        ("fault noise 2\nfault noise 2", "2: 'fault noise 2' lasts already; 'mend noise' ends"),
        ("fault key 5\nfault key 6", "2: key 5 is stuck already; only one key can be stuck"),
        ("mend", "1: 'mend' has nothing to repair"),
        ("mend screen", "1: 'mend' has nothing to repair"),
        ("fault screen\nmend bus", "2: 'mend' takes 'screen' here, not 'bus'"),
        (
            "fault screen\nmend screen\nmend screen",
            "3: 'mend' has nothing to repair",
        ),
        ("fault reader left\nmend reader", "2: 'mend' takes 'reader left' here, not 'reader'"),
        (
            "fault disk cut 1\nmend disk",
            "'mend' has nothing to repair; a cut ends with the power",
        ),
        ("fault disk cut 1\npower on\npower on", "3: the power is on already"),
        ("fault disk cut 1\npower off\npower off", "3: the power is off already"),
        ("fault disk cut 1\npower off\npower on\npower on", "4: the power is on already"),
        ("fault disk cut 1\npower off\npress 1", "3: 'press' makes no sense while the power is"),
        ("power off\nfault disk cut 1\npress 1", "3: 'press' makes no sense while the power is"),
    ],
)
def test_an_invalid_line_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert str(caught.value).startswith("a.box:")
    assert sentence in str(caught.value)
    assert caught.value.status == 2


def test_lines_that_are_valid_without_power() -> None:
    read("power off\ninsert left 1\nremove left\nwait 1s\nexpect screen\npower on")
    read("power off\nexpect balance 1 15M")


@pytest.mark.parametrize("line", ["wait 1" + "0" * 5000 + "s", "insert left 1" + "0" * 5000])
def test_huge_numbers_are_errors_of_the_script(line: str) -> None:
    with pytest.raises(UserError, match=r"far\.box:1: "):
        read_script("far.box", [line], editions.load("banking"))


def test_house_rules() -> None:
    assert read("").house == HouseRules()
    assert read("given pot true").house == HouseRules(pot=True)
    assert read("given undo rulebook\ngiven pot false").house == HouseRules(strict_undo=True)


def test_names_of_cards() -> None:
    script = read("given name 2 Bo # her card\ngiven name  1  Mary  Ann\n")
    assert script.names == {2: "Bo", 1: "Mary Ann"}
    assert not script.steps
    assert read("").names == {}
    assert read("given edition europe\ngiven name 8 Zoë").names == {8: "Zoë"}
    for name in ("Jean-Luc", "D'Arcy", "Abcdefghij", "Ana", "A", "é"):
        assert read(f"given name 1 {name}").names == {1: name}


def test_two_cards_may_have_the_same_name() -> None:
    assert read("given name 1 Ana\ngiven name 2 Ana").names == {1: "Ana", 2: "Ana"}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("expect menu BANKRUPT GAME", "BANKRUPT GAME"),
        ("expect menu BANKRUPT, FIGHT LOST,GAME", "BANKRUPT FIGHT LOST GAME"),
        ("expect menu none", "none"),
        ("expect menu", "none"),
    ],
)
def test_a_menu_is_expected_by_the_names_of_its_entries(line: str, wanted: str) -> None:
    [(_, step)] = read(line).steps
    assert step == Expect(Subject.MENU, wanted)


def test_a_worth_may_be_expected_without_power() -> None:
    [_, (_, step)] = read("power off\nexpect worth 3 1,5M").steps
    assert step == ExpectBalance(3, 1_500_000, "1,5M", Subject.WORTH)


FAULTS = [
    ("disk full", DiskFails(DiskRefusal.FULL), "disk"),
    ("disk read-only", DiskFails(DiskRefusal.READ_ONLY), "disk"),
    ("disk write", DiskFails(DiskRefusal.WRITE), "disk"),
    ("disk sync", DiskFails(DiskRefusal.SYNC), "disk"),
    ("disk cut 7", DiskCut(7), None),
    ("reader right", ReaderDead(Slot.RIGHT), "reader right"),
    ("screen", Mishap.SCREEN, "screen"),
    ("key ,", KeyStuck(Key.COMMA), "key ,"),
    ("bus", Mishap.BUS, None),
    ("noise 2", Noise(2), "noise"),
    ("bounce", Mishap.BOUNCE, "bounce"),
    ("clock -1h", ClockJump(-3600 * SECOND), None),
    ("clock 90s", ClockJump(90 * SECOND), None),
    ("console", Mishap.CONSOLE, None),
]


@pytest.mark.parametrize(("words", "fault", "broken"), FAULTS, ids=[words for words, *_ in FAULTS])
def test_faults_and_their_mends(words: str, fault: Fault, broken: str | None) -> None:
    assert read(f"fault {words}").steps == ((1, Cause(fault)),)
    assert script_words(fault) == words
    assert lasting_name(fault) == broken
    if broken:
        mended = read(f"fault {words}\nwait 1s\nmend {broken}").steps[-1]
        assert mended == (3, Mend(fault))


def test_a_new_fault_of_the_disk_replaces_the_old_one() -> None:
    steps = read("fault disk full\nfault disk sync\nmend disk\nfault noise 1\nfault noise 2").steps
    assert steps[2] == (3, Mend(DiskFails(DiskRefusal.SYNC)))


@pytest.mark.parametrize(
    "text",
    [
        "fault disk cut 1\npress 1\nexpect screen\nexpect message\npower on\npress 1",
        "fault disk cut 1\npress 1\npower off\npower on\npress 1",
        "power off\nfault disk cut 1\npower on\npress 1\npower on\npress 1\npower off",
        "power off\nfault disk cut 1\npower on\nfault disk cut 2\npower off\npower on",
    ],
)
def test_after_a_cut_the_power_may_be_on_or_off(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    ("text", "needs_disk"),
    [("fault reader left", False), ("fault disk full", True), ("fault disk cut 3", True)],
)
def test_only_disk_faults_need_a_failing_disk(text: str, needs_disk: bool) -> None:
    assert read(text).needs_disk == needs_disk
    assert len(read(text).faults) == 1
    assert not read("wait 1s").faults


def test_a_copy_of_the_reader_does_not_share_its_faults() -> None:
    reader = ScriptReader(BANKING)
    before = copy(reader)
    reader.read("fault screen")
    with pytest.raises(ScriptError, match="lasts already"):
        reader.read("fault screen")
    before.read("fault screen")
