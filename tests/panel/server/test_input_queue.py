"""Input that arrives all at once is spread out, so that the drivers notice it."""

from hal.events import MILLISECOND, SECOND, CardIn, Instant, Key, KeyDown, KeyUp, Slot
from hal.parts import RunnableBoard
from sim.board.stock import STOCK
from sim.chips.picc import Picc
from sim.panel.box.input_queue import InputQueue
from sim.virtual.hardware import Hardware, VirtualAlarm, drivers


def box() -> tuple[Hardware, RunnableBoard, InputQueue]:
    hardware = Hardware()
    alarm = VirtualAlarm(hardware)
    board: RunnableBoard = drivers(hardware).board_on(hardware, alarm, hardware.wiring)
    board.wait(Instant(200 * MILLISECOND))
    return hardware, board, InputQueue()


def events_of(board: RunnableBoard, inputs: InputQueue, until: int) -> list[object]:
    events: list[object] = []
    while board.clock.now() < until:
        inputs.run_due(board.clock.now())
        events += board.wait(min(Instant(until), inputs.due or Instant(until)))
    return events


def test_keys_typed_at_once_are_all_noticed() -> None:
    hardware, board, inputs = box()

    def tap(key: Key) -> None:
        inputs.press(key, lambda: hardware.press(key))
        inputs.release(key, lambda: hardware.let_go(key))

    for letter in "1,55M137K":
        tap(Key(letter))
    events = events_of(board, inputs, 2 * SECOND)
    downs = [event.key.value for event in events if isinstance(event, KeyDown)]
    ups = [event.key.value for event in events if isinstance(event, KeyUp)]
    assert "".join(downs) == "1,55M137K"
    assert sorted(ups) == sorted(downs)


def test_a_card_is_noticed_before_a_key_that_follows_at_once() -> None:
    hardware, board, inputs = box()
    inputs.move_card(lambda: hardware.put(Slot.LEFT, Picc(STOCK[0])))
    inputs.press(Key.FIVE, lambda: hardware.press(Key.FIVE))
    kinds = [type(event) for event in events_of(board, inputs, SECOND)]
    assert kinds == [CardIn, KeyDown]


def test_a_held_key_stays_down() -> None:
    hardware, board, inputs = box()
    inputs.press(Key.CANCEL, lambda: hardware.press(Key.CANCEL))
    (down,) = events_of(board, inputs, 2 * SECOND)
    assert isinstance(down, KeyDown)
    inputs.release(Key.CANCEL, lambda: hardware.let_go(Key.CANCEL))
    (up,) = events_of(board, inputs, 3 * SECOND)
    assert isinstance(up, KeyUp)
    assert abs(up.at - down.at - 1_800 * MILLISECOND) < 30 * MILLISECOND
