"""The harness operates a box for a script: its cards, keys and power switch, and its ledger.

There is one for each simulated board, and one for the console.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from firmware.app import OpenedLedger, OpenLedger, Runner, Settings
from firmware.bank.edition import Edition
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.bank.ledger import Ledger
from firmware.bank.names import NO_NAMES
from firmware.bank.records import JournalFailed
from firmware.storage.store import Store
from hal.display.messages import Language
from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import SECOND, Instant, Key, Slot
from hal.parts import Board, Clock
from sim.board import stock
from sim.board.fault import ClockJump, Fault, Mishap, script_words
from sim.board.kept_ledger import KeptLedger
from sim.board.trace import Watcher, ignore

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random
    from typing import Self

EPOCH = 1_000_000_000
"""The calendar's time when a virtual clock starts."""

FAILING_DISK = "tests.campaign.disk.card_ledger"
"""It is not shipped; only the scripts of a checkout need it."""
NO_FAILING_DISK = "a disk that fails is part of the tests: play this script in a checkout"


class PowerGone(Exception):
    """The power failed while the firmware ran."""


class Harness(ABC):
    """A box on a board. Each input returns when the box has handled it."""

    kept: KeptLedger
    _edition: Edition

    def __init__(self, clock: Clock, played: list[Sound], watch: Watcher = ignore) -> None:
        self.played = played
        """The sounds since the last input."""
        self._clock = clock
        self._watch = watch
        self._runner: Runner | None = None
        self._refusal: JournalFailed | None = None
        """Why the ledger is refused, if it is."""
        self._settings = Settings()
        self._switched_on = False
        self._calendar_offset = 0
        self._occupied: set[Slot] = set()
        self._screen_plugged = True

    # Beginning

    # B008: settings are a value that cannot change.
    def begin(self, kept: KeptLedger, edition: Edition, settings: Settings = Settings()) -> "Self":  # noqa: B008
        """Switch on a box with this ledger and empty slots."""
        self.kept = kept
        self._edition = edition
        self._settings = settings
        self._switched_on = False
        self.power_on()
        return self

    def begin_new(
        self,
        edition: Edition,
        *,
        stock_known: bool,
        house: HouseRules = BY_THE_BOOK,
        names: Mapping[int, str] = NO_NAMES,
        language: Language = Language.ENGLISH,
        kept: KeptLedger | None = None,
    ) -> "Self":
        """Switch on a new box. Its ledger is in memory, unless another empty one is given."""
        kept = kept or KeptLedger(Store.in_memory(self._calendar))
        with ExitStack() as undo:
            undo.callback(kept.put_away)
            ledger = Ledger(kept.switch_on(), edition)
            if stock_known:
                ledger.know(stock.players(edition), names)
            kept.cut_power()
            self.begin(kept, edition, Settings(language, house))
            undo.pop_all()
        return self

    def failing_disk(self, folder: "Path | None" = None, rng: "Random | None" = None) -> KeptLedger:
        """An empty ledger on an SD card that can fail."""
        kept: KeptLedger = import_module(FAILING_DISK).CardLedger(folder, rng, self._calendar)
        return kept

    def _calendar(self) -> float:
        """The date for the ledger, in seconds."""
        return EPOCH + (self.now + self._calendar_offset) // SECOND

    # Input

    def insert(self, slot: Slot, uid: bytes) -> None:
        self._begin_input()
        assert not self.occupied(slot), f"the {slot.value} slot holds a card"
        self._put(slot, uid)
        self._occupied.add(slot)

    def remove(self, slot: Slot) -> None:
        self._begin_input()
        assert self.occupied(slot), f"the {slot.value} slot is empty"
        self._take(slot)
        self._occupied.discard(slot)

    def press(self, keys: tuple[Key, ...]) -> None:
        self._begin_input()
        for key in keys:
            self._hold(key, 0)

    def hold(self, key: Key, duration: int) -> None:
        self._begin_input()
        self._hold(key, duration)

    def wait(self, duration: int) -> None:
        self._begin_input()
        self._pass_time(duration)

    def power_off(self) -> None:
        """Switch the box off; a fault may have cut its power already."""
        assert self._switched_on, "the power is off"
        self._begin_input()
        self._switched_on = False
        self.stop()
        self.kept.cut_power()

    def power_on(self) -> None:
        assert not self.powered, "the power is on"
        self._begin_input()
        self._switched_on = True
        self.start(self._open_ledger, self._settings)

    def _open_ledger(self, _: ExitStack) -> OpenedLedger:
        return OpenedLedger(Ledger(self.kept.switch_on(), self._edition), self._edition)

    def cause(self, fault: Fault) -> None:
        self._begin_input()
        if isinstance(fault, ClockJump):
            self._calendar_offset += fault.by
        self.kept.cause(fault)
        self._note(f"fault  {script_words(fault)}")
        self._cause(fault)
        if fault is Mishap.SCREEN:
            self._screen_plugged = False

    def mend(self, fault: Fault) -> None:
        self._begin_input()
        if fault is Mishap.SCREEN:
            self._screen_plugged = True
        self.kept.mend(fault)
        self._note(f"mend   {script_words(fault)}")
        self._mend(fault)

    def put_away(self) -> None:
        """Switch the box off if it is on, and close its ledger."""
        if self._switched_on:
            self.power_off()
        self.kept.put_away()

    def _begin_input(self) -> None:
        self.played.clear()

    # The firmware

    def start(self, open_ledger: OpenLedger, settings: Settings) -> None:
        """Start the firmware, on a ledger that the caller keeps."""
        self._note("power  on")
        board = self._switch_on_board()
        try:
            self._runner = Runner(board, open_ledger, settings, self._started)
        except PowerGone:
            self._go_dark()
        self._settle()

    def _turn(self) -> None:
        assert self._runner, "there is no power"
        try:
            self._runner.turn()
        except PowerGone:
            self._go_dark()

    def stop(self) -> None:
        """End the firmware at once, if it runs."""
        if self._runner:
            self._go_dark()

    def _go_dark(self) -> None:
        self._note("power  off")
        self._runner = None
        self._switch_off_board()

    def _started(self, refusal: JournalFailed | None) -> None:
        self._refusal = refusal

    def _note(self, what: str) -> None:
        self._watch(self.now, what)

    # Output

    @property
    def powered(self) -> bool:
        """Whether the firmware runs; PowerGone, raised in it, stops it."""
        return self._runner is not None

    @property
    def now(self) -> Instant:
        return self._clock.now()

    def occupied(self, slot: Slot) -> bool:
        return slot in self._occupied

    @property
    def view(self) -> View | None:
        """What the screen shows; None without power, or when it is unplugged."""
        return self._view if self._screen_plugged else None

    @property
    def asleep(self) -> bool:
        return self._runner is not None and self._runner.asleep

    @property
    def sound(self) -> Sound | None:
        """The last sound since the last input, apart from key clicks."""
        played = [sound for sound in self.played if sound is not Sound.KEY]
        return played[-1] if played else None

    @property
    def ledger(self) -> Ledger:
        """The ledger, read from the store and not from the firmware's memory."""
        return self.kept.read(self._edition)

    def balance(self, card: int) -> int | None:
        """The ledger's balance of a card; None if it does not know the card."""
        ledger = self.ledger
        return ledger.balance(card) if card in ledger.cards else None

    # What each board does

    @abstractmethod
    def _switch_on_board(self) -> Board: ...

    @abstractmethod
    def _switch_off_board(self) -> None: ...

    @abstractmethod
    def _settle(self) -> None:
        """After the start: let the box notice the cards that are in its slots."""

    @abstractmethod
    def _cause(self, fault: Fault) -> None:
        """Break something; a board without such a part ignores it."""

    @abstractmethod
    def _mend(self, fault: Fault) -> None: ...

    @abstractmethod
    def _put(self, slot: Slot, uid: bytes) -> None: ...

    @abstractmethod
    def _take(self, slot: Slot) -> None: ...

    @abstractmethod
    def _hold(self, key: Key, duration: int) -> None:
        """Press a key and release it; a duration of 0 is a tap."""

    @abstractmethod
    def _pass_time(self, duration: int) -> None: ...

    @abstractmethod
    def catch_up(self) -> None:
        """On a wall clock: run the box up to now."""

    @property
    @abstractmethod
    def _view(self) -> View | None:
        """What the firmware shows; None without power."""


def failing_disk_exists() -> bool:
    try:
        return find_spec(FAILING_DISK) is not None
    except ModuleNotFoundError:
        return False
