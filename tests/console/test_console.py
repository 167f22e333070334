"""The console of a box in a process of its own: answers, errors, and lines that fail."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.cli import main
from hal.console.line import PtyLine
from hal.console.port import MAX_QUEUED
from sim.console.wire import ConsoleClient
from tests.console.lines import PATIENCE, BoxOnLine, box_on_line


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoxOnLine]:
    with box_on_line(tmp_path_factory.mktemp("box")) as box:
        yield box


@pytest.fixture
def box(shared: BoxOnLine) -> BoxOnLine:
    for line in ("hands wire", "clock skip", "new"):
        assert shared.wire.ask(line) == "ok"
    return shared


def ask_all(box: BoxOnLine, *lines: str) -> list[str]:
    return [box.wire.ask(line) for line in lines]


def test_greeting_says_where_inputs_enter(box: BoxOnLine) -> None:
    assert "insert and press simulate cards and keys" in box.wire.greeting
    assert "scratch ledger" in box.wire.greeting
    assert box.wire.greeting.startswith("tellerbox 0.")


def test_each_line_has_one_answer(box: BoxOnLine) -> None:
    assert ask_all(box, "insert left 1", "press 1,5M", "expect balance 1 16,5M") == [
        "ok screen 1 | sound card",
        "ok screen 16,5M | sound ok",
        "ok",
    ]
    assert ask_all(box, "expect screen 3", "press 9", "press C", "") == [
        "no: expected screen 3, got 16,5M",
        "ok screen 9",
        "ok screen 16,5M",
        "ok screen 16,5M",
    ]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("dance", "error: there is no 'dance'; a line begins with"),
        ("insert left 11", "error: a card is 1 to 10"),
        ("remove left", "error: the left slot holds no card"),
        ("hold C", "error: 'hold' takes a key and a duration"),
        ("clock", "error: 'clock' takes real or skip"),
        ("hands off", "error: 'hands' takes wire or box"),
        ("learn", "error: 'learn' takes a card"),
        ("press 1\x01", "error: the line is garbled"),
        ("# " + "x" * 300, "error: that line is longer than 200 characters"),
    ],
)
def test_invalid_line_is_refused_and_changes_nothing(
    box: BoxOnLine, line: str, answer: str
) -> None:
    assert box.wire.ask(line).startswith(answer)
    assert box.wire.ask("expect screen -----") == "ok"


def test_given_acts_on_the_scratch_ledger(box: BoxOnLine) -> None:
    assert ask_all(box, "given edition europe", "given cards none", "insert right 8") == [
        "ok",
        "ok",
        "ok screen 1 | message NEW CARD | sound card",
    ]
    assert box.wire.ask("expect balance 1 1500") == "ok"
    assert box.wire.ask("given edition banking").startswith("error: 'given' must come before")
    assert not box.ledger.exists()  # the real game is untouched


def test_power_off_and_on_restart_the_bank_from_disk(box: BoxOnLine) -> None:
    ask_all(box, "insert left 1", "press 2M", "press 5", "power off")
    assert box.wire.ask("") == "ok the power is off"
    assert box.wire.ask("press 1") == "error: 'press' makes no sense while the power is off"
    assert box.wire.ask("expect balance 1 17M") == "ok"
    assert box.wire.ask("power on") == "ok screen 1 | sound card"
    assert box.wire.ask("wait 1s") == "ok screen 17M"


def test_clock_stops_for_a_second_between_two_lines(box: BoxOnLine) -> None:
    ask_all(box, "clock real", "insert left 1", "wait 999ms")
    time.sleep(0.3)
    assert ask_all(box, "expect card 1", "wait 1ms", "expect card none") == [
        "ok",
        "ok screen 15M",
        "ok",
    ]
    ask_all(box, "remove left", "insert left 2")
    time.sleep(2.5)  # this test needs real time
    assert box.wire.ask("expect card none") == "ok"


def test_wait_of_0_s_changes_nothing(box: BoxOnLine) -> None:
    """As tuples, Wait(0) and Power(False) are equal; the power must stay on."""
    ask_all(box, "insert left 1", "wait 0s")
    assert box.wire.ask("press 1M") == "ok screen 16M | sound ok"


def test_fault_is_refused_and_forgotten(box: BoxOnLine) -> None:
    refusal = "'fault screen' needs a simulated box, not one on a serial line"
    assert ask_all(box, "fault screen", "fault screen") == [f"error: {refusal}"] * 2
    assert box.wire.ask("mend screen") == "error: 'mend' has nothing to repair"


def test_ctrl_c_ends_a_line_and_releases_its_key(box: BoxOnLine) -> None:
    box.wire.ask("clock real")
    box.wire.say("hold C 2h")
    box.until_read()
    box.line.send(b"\x03")
    assert box.wire.answer("hold C 2h") == "error: ended by Ctrl-C"
    box.wire.ask("clock skip")
    assert ask_all(box, "wait 60s", "expect asleep") == ["ok the box sleeps", "ok"]


def test_incomplete_line_of_an_earlier_host_is_discarded(box: BoxOnLine) -> None:
    box.line.send(b"insert ri")
    again = ConsoleClient(box.line, "the next host")
    again.greet()
    assert again.ask("insert left 3") == "ok screen 3 | sound card"


def test_each_line_of_a_flood_is_answered_or_refused(box: BoxOnLine) -> None:
    ask_all(box, "clock real", "insert left 1", "wait 1s")
    box.line.send(b"wait 300ms\n" + b"expect screen 15M\n" * 100)
    answers = [box.wire.answer("the flood") for _ in range(101)]
    assert answers.count("ok screen 15M") == 1
    refused = sum(answer.startswith("error: too many lines at once") for answer in answers)
    assert answers.count("ok") + refused == 100
    assert refused > 0
    assert box.wire.ask("press 1M") == "ok screen 16M | sound ok"


def test_host_that_does_not_read_only_loses_answers(box: BoxOnLine) -> None:
    for _ in range(100):
        box.line.send(b"help\n" * 30)
        time.sleep(0.005)
    again = ConsoleClient(box.line, "the next host")
    again.greet()
    assert again.ask("insert left 1") == "ok screen 1 | sound card"


def test_parts_are_listed(box: BoxOnLine) -> None:
    parts = box.wire.ask("parts")
    assert parts.startswith(
        "ok left reader answers | right reader answers | screen ssd1306 at 0x3c"
    )
    assert "keypad by its edges" in parts


def test_scratch_ledger_survives_a_kill_and_new_replaces_it(tmp_path: Path) -> None:
    with box_on_line(tmp_path) as box:
        ask_all(box, "new", "given edition france98", "insert left 8", "press 1K")
        box.process.send_signal(signal.SIGKILL)
        box.process.wait()
        box.start()
        assert ask_all(box, "expect balance 8 151K", "expect screen -----") == ["ok", "ok"]
        assert main(["ledger", "--ledger", str(box.scratch), "verify"]) == 0
        assert ask_all(box, "new", "expect balance 1 15M") == ["ok", "ok"]
        assert box.stop() == 0


def test_damaged_scratch_ledger_is_reported_and_kept_until_new(tmp_path: Path) -> None:
    (tmp_path / "box-scratch.db").write_text("this is no ledger")
    with box_on_line(tmp_path) as box:
        assert "not a ledger" in box.wire.ask("insert left 1")
        assert box.scratch.read_text() == "this is no ledger"
        assert ask_all(box, "new", "insert left 1") == ["ok", "ok screen 1 | sound card"]


def test_port_that_disappears_is_reopened(tmp_path: Path) -> None:
    """As with a USB gadget: the name stays, but refers to another line."""
    name = tmp_path / "port"
    with box_on_line(tmp_path, port=str(name)) as box:
        assert box.wire.ask("insert left 1") == "ok screen 1 | sound card"
        box.line.close()
        box.until_logged("the console is gone")
        box.line = PtyLine()
        name.unlink()
        name.symlink_to(box.line.port)
        again = ConsoleClient(box.line, "the next host")
        again.greet()
        assert again.ask("press 1M") == "ok screen 16M | sound ok"


def test_port_that_cannot_be_opened_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "--board", "virtual", "--ledger", str(tmp_path / "box.db")]
    assert main([*words, "--console", "/dev/nowhere"]) == 1
    error = capsys.readouterr().err
    assert "/dev/nowhere: the console cannot be opened: No such file" in error
    assert "Traceback" not in error
    assert "selftest" not in error


def test_unwritable_scratch_ledger_is_reported(tmp_path: Path) -> None:
    (tmp_path / "box-scratch.db").mkdir()  # not even root can write a file here
    with box_on_line(tmp_path) as box:
        assert box.wire.ask("insert left 1").startswith("error: ")
        assert "box-scratch.db: cannot be removed" in box.wire.ask("new")
        (tmp_path / "box-scratch.db").rmdir()
        assert ask_all(box, "new", "insert left 1") == ["ok", "ok screen 1 | sound card"]


def test_refused_line_changes_nothing(box: BoxOnLine) -> None:
    ask_all(box, "hands box")
    assert box.wire.ask("insert left 5").startswith("error: no real card stands for this card")
    assert box.wire.ask("remove left") == "error: the left slot holds no card"
    assert box.wire.ask("hands wire") == "ok"


def test_hands_begins_a_new_box(box: BoxOnLine) -> None:
    assert ask_all(box, "insert left 1", "hands wire", "remove left", "insert left 2") == [
        "ok screen 1 | sound card",
        "ok",
        "error: the left slot holds no card",
        "ok screen 2 | sound card",
    ]


def test_ctrl_c_discards_the_lines_before_it_only(box: BoxOnLine) -> None:
    box.wire.ask("clock real")
    box.line.send(b"wait 1h\n\x03expect awake\n")
    assert box.wire.answer("expect awake") == "ok"
    box.wire.say("wait 1h")
    box.until_read()
    box.line.send(b"press 5\n\x03expect screen -----\n")
    assert box.wire.answer("wait 1h") == "error: ended by Ctrl-C"
    assert box.wire.answer("expect screen -----") == "ok"
    box.line.send(b"\x03" * 1000)
    assert box.wire.ask("expect awake") == "ok"


def test_answers_are_sent_when_the_host_reads_again(box: BoxOnLine) -> None:
    box.line.send(b"help\n" * (MAX_QUEUED - 2))  # the line is full before the last answer
    box.until_read()
    answers = []
    while (answer := box.wire._next(0.5)) is not None:
        answers.append(answer)
    assert len(set(answers)) == 1
    box.wire.say("expect awake")
    while (answer := box.wire._next(PATIENCE)) in answers:
        pass
    assert answer == "ok"


def test_scratch_ledger_in_use_by_another_box_is_refused(box: BoxOnLine, tmp_path: Path) -> None:
    (tmp_path / "box-scratch.db").symlink_to(box.scratch)
    ask_all(box, "insert left 1", "press 2M")
    with box_on_line(tmp_path) as other:
        assert "in use by another box" in other.wire.ask("insert left 1")
        assert "in use by another box" in other.wire.ask("new")
    assert ask_all(box, "power off", "expect balance 1 17M", "power on") == [
        "ok the power is off",
        "ok",
        "ok screen 1 | sound card",
    ]


def test_port_that_disappears_during_a_line_is_reopened(tmp_path: Path) -> None:
    name = tmp_path / "port"
    with box_on_line(tmp_path, port=str(name)) as box:
        box.wire.say("wait 1h")
        box.until_read()
        box.line.close()
        box.until_logged("the console is gone")
        box.line = PtyLine()
        name.unlink()
        name.symlink_to(box.line.port)
        ConsoleClient(box.line, "the next host").greet()
