"""Short sequences on the naive model alone, derived from the rules by hand.

They need a key or a card that moves while another key is down, or an exact instant; the scripts of
the rules cover the rest.
"""

import pytest

from sim.board.stock import STOCK
from tests.campaign.storm.model.lines import new_model, play
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.model.screen import Screen


def played(*lines: str) -> Model:
    """The model after some lines."""
    model = new_model([line for line in lines if line.startswith("given")], STOCK)
    for line in lines:
        if not line.startswith("given"):
            play(model, line, STOCK)
    return model


BANKRUPT = ("insert left 1", "insert right 2", "press F1")
HALF = ("insert left 1", "press 5", "remove left")
C_MEANWHILE = ("fault key C", "insert right 2", "mend key C")
COUNTED = ("insert left 1", "press 1M", "press F9M", "press 2M")
UNDONE = ("insert left 1", "press 1M", "press F8MM")
FORGOTTEN = ("insert left 1", "press 1M", "press F052MM")
TIME_UP = ("press F031M", "hold C 3s", "insert left 1", "wait 50s", "press 5", "wait 12s")

CASES: dict[str, tuple[tuple[str, ...], str, str, str]] = {
    # name: lines, then the big field, the message and the status row
    "a card taken out interrupts an entry [N3]": (HALF, "-----", "NOT DONE", "banking"),
    "after 999 ms without a card it still waits [N2]": (
        (*HALF, "wait 999ms", "insert left 1", "press 5"),
        "15M",
        "NOT DONE",
        "banking",
    ),
    "after exactly a second it is acknowledged [N2, G4]": (
        (*HALF, "wait 1s", "insert left 1", "press 5"),
        "5",
        "",
        "B>1",
    ),
    "the second starts anew with each card [N2]": (
        (*HALF, "wait 999ms", "insert left 1", "remove left", "wait 999ms", "insert left 1"),
        "1",
        "NOT DONE",
        "banking",
    ),
    "it also runs while the box sleeps [N2]": (
        ("insert left 1", "press F", "wait 61s", "remove left", "wait 1s", "insert left 1"),
        "1",
        "",
        "B>1",
    ),
    "a lost reader's slot is occupied [N2]": (
        ("insert left 1", "press 5", "fault reader left", "wait 5s", "press 5"),
        "-----",
        "NOT DONE",
        "banking",
    ),
    "an interruption while C is down is not acknowledged by it [N2]": (
        ("insert left 1", "press 5", "fault key C", "remove left", "mend key C"),
        "-----",
        "NOT DONE",
        "banking",
    ),
    "C takes back nothing if a new card came meanwhile [C2]": (
        ("given cards none", "insert left 1", "press G", *C_MEANWHILE),
        "2",
        "NEW CARD",
        "2>1",
    ),
    "a refusal stays [G2]": (("press 5", "wait 59s"), "-----", "NO CARD", "banking"),
    "C clears the entry at CLEAR FIRST [S7]": (
        ("insert left 1", "press 5G", "press C"),
        "15M",
        "",
        "B>1",
    ),
    "M held for less than a second does nothing [F5]": (
        (*BANKRUPT, "hold M 999ms"),
        "15M",
        "BANKRUPT? HOLD M",
        "2>1",
    ),
    "M held for a second pays all, and the payee's balance follows [F5, S3]": (
        ("insert left 3", "press G", "remove left", *BANKRUPT, "hold M 3s"),
        "30M",
        "",
        "2>1 15M",
    ),
    "another key lets go of M first [F5]": (
        (*BANKRUPT, "fault key M", "wait 999ms", "press K", "wait 5s", "mend key M"),
        "15M",
        "BANKRUPT? HOLD M",
        "2>1",
    ),
    "an interruption ends the hold [F5]": (
        (*BANKRUPT, "fault key M", "remove right", "wait 5s", "mend key M"),
        "15M",
        "NOT DONE",
        "banking",
    ),
    "a question has no time limit of its own [N3]": (
        (*BANKRUPT, "wait 59s"),
        "15M",
        "BANKRUPT? HOLD M",
        "2>1",
    ),
    "UNDO? M is a question, too [N3]": (
        ("insert left 1", "press G", "press F8M", "wait 59s"),
        "2M",
        "UNDO? M",
        "1>B",
    ),
    "a list closes after fifteen seconds [N3]": (
        ("insert left 1", "press F0", "wait 15s"),
        "15M",
        "NOT DONE",
        "banking",
    ),
    "a card put in restarts the fifteen seconds [N3]": (
        ("insert left 1", "press F0", "wait 14s", "insert right 2", "wait 14s"),
        "",
        "",
        "banking",
    ),
    "a card put in changes nothing in a question [N3]": (
        ("insert right 2", "press F5", "insert left 1"),
        "500K",
        "FINE? M",
        "2>B",
    ),
    "G on a sleeping box only wakes [P2]": (
        ("insert left 1", "wait 60s", "press G"),
        "15M",
        "PRESS AGAIN",
        "B>1",
    ),
    "after F on a sleeping box nothing is typed [P2, N2]": (
        ("insert left 1", "wait 60s", "press F", "wait 2s"),
        "15M",
        "NOT DONE",
        "banking",
    ),
    "a comma on a sleeping box counts [P2]": (
        ("insert left 1", "wait 60s", "press ,5M"),
        "15,5M",
        "",
        "B>1 500K",
    ),
    "an older move is out of reach behind a new number [C2, S10]": (
        (
            "given cards none",
            "insert left 1",
            "press G",
            "insert right 2",
            "remove right",
            "press C",
        ),
        "17M",
        "NOTHING TO UNDO",
        "B>1",
    ),
    "after an undo the payer's balance shows [C2]": (
        ("insert left 1", "press G", "insert right 2", "press C"),
        "15M",
        "",
        "UNDO 2M",
    ),
    "time up waits for what is half done [F22]": (TIME_UP, "5", "", "B>1"),
    "the count opens as soon as nothing is [F22]": (
        (*TIME_UP, "press C"),
        "15M",
        "FINAL COUNT",
        "COUNT",
    ),
    "C takes no amount back if the card was changed meanwhile [F16]": (
        (*COUNTED, "fault key C", "remove left", "insert left 1", "mend key C"),
        "1",
        "FINAL COUNT",
        "COUNT",
    ),
    "nor does it leave the count if the card has left meanwhile [F16]": (
        (*COUNTED, "fault key C", "remove left", "mend key C"),
        "",
        "WINNER 1",
        "COUNT",
    ),
    "WINNER? M is taken back when C is pressed, not when it is released [D45]": (
        ("insert left 1", "press G", "remove left", "press F9MM", "fault key C"),
        "-----",
        "STILL 1",
        "COUNT",
    ),
    "time that is up leaves the question WINNER? M open [F22, D45]": (
        (
            *("press F031M", "hold C 3s", "insert left 1", "press G", "remove left"),
            *("wait 55s", "press F9MM", "wait 7s"),
        ),
        "-----",
        "WINNER? M",
        "COUNT",
    ),
    "C makes nothing again if a card came meanwhile [C5]": (
        (*UNDONE, "fault key C", "insert right 2", "mend key C"),
        "2",
        "",
        "2>1",
    ),
    "nor if C was held for a second [C5]": ((*UNDONE, "hold C 1s"), "15M", "", "B>1"),
    "a key pressed while C is down lets C make it again first [C5, D14]": (
        (*UNDONE, "fault key C", "press M"),
        "16M",
        "NO AMOUNT",
        "B>1",
    ),
    "a reader that is lost without a card leaves C = AGAIN [C5]": (
        (*UNDONE, "fault reader right"),
        "15M",
        "C = AGAIN",
        "UNDO 1M",
    ),
    "and what C would restore [D46]": (
        (*FORGOTTEN, "fault reader right", "press C", "mend reader right", "press F052M"),
        "15M",
        "FORGET 2? M",
        "2>B",
    ),
    "C restores nothing if a card came meanwhile [D46]": (
        (*FORGOTTEN, "fault key C", "insert right 2", "mend key C"),
        "2",
        "NEW CARD",
        "2>1",
    ),
    "time that is up and opens the count leaves what C would restore [D46]": (
        (
            *("press F031M", "hold C 3s", "insert right 1", "press 1M", "wait 50s"),
            *("press F052MM", "wait 11s", "press C"),
        ),
        "-----",
        "STILL 1",
        "COUNT",
    ),
    "one player is left [F25]": (
        ("given cards none", *BANKRUPT[:2], "press F1", "hold M 1s", "wait 30s"),
        "30M",
        "WINNER 1",
        "2>1 15M",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_model_follows_rule(name: str) -> None:
    lines, field, message, status = CASES[name]
    screen = Screen(played(*lines))
    assert (screen.big_field, screen.message, screen.status) == (field, message, status)


def test_ranking_has_the_bankrupt_players_last() -> None:
    model = played(
        *("insert left 3", "insert right 5", "press F1", "hold M 1s", "remove right"),
        *("insert right 2", "press F1", "hold M 1s", "remove right", "remove left"),
        *("insert left 4", "press G", "remove left", "insert left 1", "press G", "remove left"),
        *("press F9M", "press MM"),
    )
    assert Screen(model).table == [
        *(("3", "45M"), ("1", "17M"), ("4", "17M")),
        *(("2", "OUT"), ("5", "OUT")),
    ]
    assert Screen(model).message == "WINNER 3"


def test_time_up_leaves_a_card_to_restore() -> None:
    model = played(
        *("press F031M", "hold C 3s", "insert right 1", "press 1M", "wait 50s"),
        *("press F052MM", "wait 11s"),
    )
    assert 2 not in model.ledger.known
    play(model, "press C", STOCK)
    assert 2 in model.ledger.known
    assert model.count is not None
