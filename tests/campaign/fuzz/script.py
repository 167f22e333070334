"""Fuzzes the script parser: any text is a script, or an error with its line."""

from firmware.bank import edition as editions
from firmware.user_error import UserError
from hal.events import MILLISECOND
from sim.board.fault import lasting_name, script_words
from sim.script.language import (
    Cause,
    Expect,
    ExpectBalance,
    Hold,
    Insert,
    Mend,
    Power,
    Press,
    Remove,
    Script,
    Step,
    Subject,
    Wait,
    read_script,
)
from tests.campaign.fuzz.contract import check_location, check_status

FILE = "mine.box"
LONGEST = 6_000
WORDS = tuple(
    word.encode()
    for word in (
        "given edition europe\n", "given cards none\n", "given pot true\n", "given undo rulebook\n",
        "given name 1 Ana\n", "given name 2 Jean-Luc\n",
        "insert left 1\n", "insert right uid:04A1B2C3\n", "remove left\n", "remove right\n",
        "press 1,5M\n", "hold C 3s\n", "wait 61s\n", "power off\n", "power on\n",
        *(f"expect {subject.value} " for subject in Subject), "none\n", " # ", "\t", "876000h",
        "fault disk full\n", "fault disk cut 7\n", "mend disk\n", "fault reader left\n",
        "mend reader left\n", "fault key 5\n", "mend key 5\n", "fault screen\n", "fault noise 2\n",
        "fault clock -1h\n", "fault bus\n", "fault bounce\n", "fault console\n",
    )
)  # fmt: skip
DEFAULT = editions.load(editions.DEFAULT)


def fuzz_one(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Not UTF-8: `tellerbox play` refuses it before parsing.
        return
    try:
        script = read_script(FILE, text.split("\n"), DEFAULT)
    except UserError as error:
        check_status(error, 2)
        check_location(error, FILE, text, line_needed=True)
        return
    again = read_script(FILE, reformat(script), DEFAULT)
    assert _without_locations(again) == _without_locations(script)


def _without_locations(script: Script) -> tuple[object, ...]:
    # With their types: Wait(0) and Power(False) are equal as tuples.
    steps = [(type(step), step) for _, step in script.steps]
    faults = [script_words(fault) for _, fault in script.faults]
    return script.edition.name, script.stock_known, script.house, script.names, steps, faults


def reformat(script: Script) -> list[str]:
    """An equivalent script, formatted from the parsed one."""
    lines = [
        f"given edition {script.edition.name}",
        f"given pot {str(script.house.pot).lower()}",
        f"given undo {'rulebook' if script.house.strict_undo else 'any'}",
    ]
    if not script.stock_known:
        lines.append("given cards none")
    lines += [f"given name {number} {name}" for number, name in script.names.items()]
    return lines + [_line(step) for _, step in script.steps]


def _line(step: Step) -> str:
    match step:
        case Insert(slot, uid):
            return f"insert {slot.value} uid:{uid.hex()}"
        case Remove(slot):
            return f"remove {slot.value}"
        case Press(keys):
            return f"press {''.join(key.value for key in keys)}"
        case Hold(key, duration):
            return f"hold {key.value} {duration // MILLISECOND}ms"
        case Wait(duration):
            return f"wait {duration // MILLISECOND}ms"
        case Power(on):
            return f"power {'on' if on else 'off'}"
        case Expect(subject, wanted):
            return f"expect {subject.value} {wanted}"
        case ExpectBalance(card, _, written, subject):
            return f"expect {subject.value} {card} {written}"
    return _fault_line(step)


def _fault_line(step: Step) -> str:
    match step:
        case Cause(fault):
            return f"fault {script_words(fault)}"
        case Mend(fault):
            return f"mend {lasting_name(fault)}"
    raise AssertionError(f"unknown step: {step}")
