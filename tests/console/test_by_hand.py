"""The acceptance test by hand: a person gets instructions, and the box's own parts detect them."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.user_error import UserError
from sim.console.report import About, report
from sim.console.wire import ConsoleClient
from sim.console.wire_play import WirePlayer
from sim.script.language import Script, read_script
from tests.console.lines import BoxOnLine, box_on_line

SCENARIOS = Path(__file__).parent.parent / "scenarios"


def script(text: str, name: str = "by-hand.box") -> Script:
    return read_script(name, text.split("\n"), editions.load(editions.DEFAULT))


def flow(name: str) -> Script:
    return script((SCENARIOS / name).read_text(), name)


class Talk:
    """Gives instructions to the simulated person, and keeps them."""

    def __init__(self, box: BoxOnLine) -> None:
        self._box = box
        self.told: list[str] = []
        self.instead: dict[str, str] = {}
        """Instructions that the person misunderstands once, with what they understand."""

    def __call__(self, what: str) -> None:
        self.told.append(what)
        assert self._box.process.stdin is not None
        print(self.instead.pop(what.strip(), what), file=self._box.process.stdin, flush=True)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoxOnLine]:
    with box_on_line(
        tmp_path_factory.mktemp("by-hand"), module="tests.console.box_by_hand"
    ) as made:
        yield made


@pytest.mark.long
def test_acceptance_test_passes(box: BoxOnLine) -> None:
    talk = Talk(box)
    player = WirePlayer(box.wire, talk, by_hand=True)
    scripts = [
        flow("flow-every-key-and-slot.box"),
        flow("flow-rent.box"),
        flow("flow-the-shortest-holds.box"),
        flow("s10-all-numbers-taken.box"),
        flow("p3-cards-at-power-on.box"),
        script("insert left uid:04A1B2C3", "stranger.box"),
    ]
    player.prepare(scripts)
    results = [player.play(one) for one in scripts]
    assert [(one.verdict, one.reason) for one in results] == [
        *[("ok", "")] * 5,
        ("–", "line 1 needs a card with the UID 04A1B2C3"),
    ]
    assert "    Put card 1 into the left slot." in talk.told
    assert "    Press 9  the comma  0  M." in talk.told
    assert "    Press GO (←)." in talk.told
    assert "    Press C and hold it for at least 3 seconds, then let go." in talk.told
    page = report(About.of(box.wire), results, len(results))
    assert "tellerbox 0." in page
    assert "left reader answers" in page
    assert "ok    flow-rent.box" in page
    assert "All 5 scripts passed; 1 not played." in page
    assert len(page.split("\n")) < 60
    # The box measures the time from each action to the changed screen.
    assert all(one.screens for one in results[:5])


def test_mistake_is_reported_and_the_script_starts_again(box: BoxOnLine) -> None:
    talk = Talk(box)
    player = WirePlayer(box.wire, talk, by_hand=True)
    rent = script("insert right 1\npress 2M\nexpect screen 13M\nremove right")
    player.prepare([rent, script("insert left 2")])
    talk.instead = {"Press 2  M.": "Press 3."}
    result = player.play(rent)
    assert (result.verdict, result.reason) == ("ok", "")
    assert "    No: expected key 2 down, got key 3 down. The script starts again." in talk.told


class ScriptedLine:
    """A box that answers each line with the next of these answers."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self._unread = b""
        self.lines: list[str] = []

    def send(self, content: bytes) -> None:
        self.lines.append(content.decode().rstrip("\n"))
        self._unread += f"{self._answers.pop(0)}\n".encode()

    def receive(self, seconds: float) -> bytes:
        del seconds
        content, self._unread = self._unread, b""
        return content

    def close(self) -> None: ...


def test_card_that_comes_back_is_taken_out_again() -> None:
    """A reader that is lost for a moment reports its card as out, and then as in."""
    here = "no: expected empty slots, got a card in the right one: take it out"
    line = ScriptedLine("ok", here, "ok", "ok", "ok")
    told: list[str] = []
    player = WirePlayer(ConsoleClient(line, "the box"), told.append, by_hand=True)
    assert player.play(script("press 2")).verdict == "ok"
    assert line.lines == ["empty", "new", "empty", "new", "press 2"]
    assert told[:2] == ["    Both slots must be empty now."] * 2

    line = ScriptedLine(*["ok", here] * 3)
    player = WirePlayer(ConsoleClient(line, "the box"), told.append, by_hand=True)
    with pytest.raises(UserError, match=r"^the box: new: no: expected empty slots"):
        player.play(script("press 2"))


def test_wrong_card_is_noticed(box: BoxOnLine) -> None:
    talk = Talk(box)
    player = WirePlayer(box.wire, talk, by_hand=True)
    both = script("insert left 1\nexpect card 1\nremove left\ninsert left 2\nremove left")
    player.prepare([both])
    talk.instead = {"Put card 1 into the left slot.": "Put card 2 into the left slot."}
    assert player.play(both).verdict == "ok"
    assert any("expected another card in the left slot" in told for told in talk.told)


def test_key_released_too_early_is_noticed(box: BoxOnLine) -> None:
    talk = Talk(box)
    player = WirePlayer(box.wire, talk, by_hand=True)
    new_game = script("hold C 3s\nexpect message NEW GAME")
    player.prepare([new_game])
    short = "Press C and hold it for at least 1.5 seconds, then let go."
    talk.instead = {"Press C and hold it for at least 3 seconds, then let go.": short}
    assert player.play(new_game).verdict == "ok"
    assert any("expected nothing yet, got key C up" in told for told in talk.told)


def test_wrong_box_fails(box: BoxOnLine) -> None:
    talk = Talk(box)
    player = WirePlayer(box.wire, talk, by_hand=True)
    wrong = script("insert right 1\npress 2M\nexpect screen 14M")
    player.prepare([wrong])
    result = player.play(wrong)
    assert result.verdict == "FAIL"
    assert result.reason == "by-hand.box:3: expected screen 14M, got 13M"
    assert "1 of 1 scripts failed: the box is not ready." in report(About.of(box.wire), [result], 1)


def test_parts_of_the_box_work_while_the_host_operates_it(box: BoxOnLine) -> None:
    talk = Talk(box)
    talk("Both slots must be empty now.")
    for line in ("hands wire", "clock real", "empty", "new", "given cards none"):
        assert box.wire.ask(line) == "ok"
    talk("Put card 3 into the left slot.")
    until_shown(box, "screen 15M")
    talk("Press 1  M.")
    until_shown(box, "screen 16M")
    assert box.wire.ask("expect balance 1 16M") == "ok"
    assert box.wire.ask("new").startswith("no: expected empty slots, got a card in the left one")
    assert box.wire.ask("power off") == "ok the power is off"
    assert box.wire.ask("power on") == "ok screen 1 | sound card"  # the card is still in
    talk("Take the card out of the left slot.")
    until_shown(box, "screen -----")


def until_shown(box: BoxOnLine, shown: str) -> None:
    give_up = time.monotonic() + 20
    while not box.wire.ask("").startswith(f"ok {shown}"):
        assert time.monotonic() < give_up, f"{shown} was never shown"
        time.sleep(1.5)  # the bank's clock runs again a second after each line


def test_bank_notices_a_removal_while_the_host_waits_for_empty_slots(box: BoxOnLine) -> None:
    talk = Talk(box)
    talk("Both slots must be empty now.")
    for line in ("hands wire", "clock real", "empty", "new"):
        assert box.wire.ask(line) == "ok"
    talk("Put card 9 into the right slot.")
    until_shown(box, "screen ----- | message UNKNOWN CARD")
    box.wire.say("empty")
    talk("Take the card out of the right slot.")
    assert box.wire.answer("empty") == "ok"
    assert box.wire.ask("expect message") == "ok"
