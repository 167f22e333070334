"""An edition's file: any text is an edition that can be played, or one sentence."""

import sqlite3
from functools import cache

from firmware import edition as editions
from firmware import schema
from firmware.audit import audit
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.mistake import Mistake
from firmware.store import Store
from hal.picture import draw
from hal.view import View
from sim.clocks import VirtualClock
from sim.kept_ledger import OpenStore
from sim.player import perform
from sim.rig import EPOCH, Rig
from sim.script import Action, Reader
from sim.software_stand import SoftwareStand
from sim.stock import players
from tests.fuzz.contract import names_its_place

FILE = "mine.toml"
LONGEST = 4_000
WORDS = (
    b"[own_rule]\n", b"fight_lost_factor = ", b"station_rents = [", b"9223372036854775807", b"10",
    b"100000000000", b"1", b"0", b"-1", b"0x", b"1e3", b"true", b'""', b"'''", b"\\u001b",
    b"{ a = 1 }",
)  # fmt: skip

AN_EVENING = """
insert left 1
press G
press 1M
press 99999K
press 1,5M
insert right 2
press 7M
press C
press F1M
remove right
insert right 3
press F2 2M M
press F3 2K M
press F4 7M M
press F4 2K M
press F5M
press F6 3M M
press F7M
press FF1 1M M
press FF2 M
press F8 G,MM
remove left
press FF2 1M M
remove right
press ,
press F9M
insert left 4
press 1M
remove left
press C
press F02
press F03 5M
hold C 4s
wait 6m
insert left 5
press 1M
remove left
press F04 1
press F05 2M
press F06M
hold C 4s
insert left 1
press 1K
wait 61s
press C
power off
power on
press F9
"""
"""Every key and every entry of F, with whatever figures the edition has."""


def fuzz_one(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # These are refused before a word is read.
        return
    try:
        edition = editions.parse(FILE, text)
    except Mistake as mistake:
        names_its_place(mistake, FILE, text, line_needed=False)
        return
    assert editions.parse(FILE, edition.source) == edition
    _can_be_played(edition)


def _can_be_played(edition: Edition) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    store = Store(connection, lambda: EPOCH)
    Ledger(store, edition).know(players(edition))
    rig = Rig(OpenStore(store), edition, SoftwareStand(VirtualClock()))
    drawn: set[View] = set()
    for step in _steps():
        perform(rig, step)
        if rig.view and rig.view not in drawn:
            draw(rig.view)
            drawn.add(rig.view)
    rig.put_away()
    ledger = rig.ledger
    assert sum(ledger.accounts.values()) == 0
    # The last of its games is in an edition that was chosen on the box; the audit sees to all.
    fullest = ledger.edition.fullest
    assert all(0 <= ledger.balance(card) <= fullest for card in ledger.cards)
    found = [fault for finding in audit(connection) for fault in finding.faults]
    assert not found, found


@cache
def _steps() -> list[Action]:
    """The same for all: keys mean something else in each edition, and are called the same."""
    reader = Reader(editions.load(editions.DEFAULT))
    steps = [reader.read(line) for line in AN_EVENING.splitlines()]
    return [step for step in steps if isinstance(step, Action)]
