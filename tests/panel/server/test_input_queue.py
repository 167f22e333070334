"""What is told all at once is done one after the other, so that the drivers notice it."""

from hal.events import MILLISECOND, SECOND, CardIn, Instant, Key, KeyDown, KeyUp, Slot
from hal.parts import StandingBoard
from sim.chips.picc import Picc
from sim.panel.steady_hands import SteadyHands
from sim.stock import STOCK
from sim.virtual import Hardware, VirtualAlarm, drivers


def box() -> tuple[Hardware, StandingBoard, SteadyHands]:
    hardware = Hardware()
    alarm = VirtualAlarm(hardware)
    board: StandingBoard = drivers(hardware).board_on(hardware, alarm, hardware.wiring)
    board.wait(Instant(200 * MILLISECOND))
    return hardware, board, SteadyHands()


def seen(board: StandingBoard, hands: SteadyHands, until: int) -> list[object]:
    events: list[object] = []
    while board.clock.now() < until:
        hands.work(board.clock.now())
        events += board.wait(min(Instant(until), hands.due or Instant(until)))
    return events


def test_a_word_typed_in_no_time_is_noticed_letter_by_letter() -> None:
    hardware, board, hands = box()

    def tap(key: Key) -> None:
        hands.press(key, lambda: hardware.press(key))
        hands.let_go(key, lambda: hardware.let_go(key))

    for letter in "1,55M137K":
        tap(Key(letter))
    events = seen(board, hands, 2 * SECOND)
    downs = [event.key.value for event in events if isinstance(event, KeyDown)]
    ups = [event.key.value for event in events if isinstance(event, KeyUp)]
    assert "".join(downs) == "1,55M137K"
    assert sorted(ups) == sorted(downs)


def test_a_card_that_comes_with_a_key_is_noticed_before_it() -> None:
    hardware, board, hands = box()
    hands.move_card(lambda: hardware.put(Slot.LEFT, Picc(STOCK[0])))
    hands.press(Key.FIVE, lambda: hardware.press(Key.FIVE))
    kinds = [type(event) for event in seen(board, hands, SECOND)]
    assert kinds == [CardIn, KeyDown]


def test_a_finger_that_rests_stays_for_as_long_as_it_rests() -> None:
    hardware, board, hands = box()
    hands.press(Key.CANCEL, lambda: hardware.press(Key.CANCEL))
    (down,) = seen(board, hands, 2 * SECOND)
    assert isinstance(down, KeyDown)
    hands.let_go(Key.CANCEL, lambda: hardware.let_go(Key.CANCEL))
    (up,) = seen(board, hands, 3 * SECOND)
    assert isinstance(up, KeyUp)
    assert abs(up.at - down.at - 1_800 * MILLISECOND) < 30 * MILLISECOND
