"""The base class of what F opens in the naive model.

A dialog receives all keys except C and F, and says what it shows.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tests.campaign.storm.model.ledger import ModelLedger
from tests.campaign.storm.model.memory import Insertion

if TYPE_CHECKING:
    from tests.campaign.storm.model.model import Model

Page: TypeAlias = dict[str, str]
"""Names by digit."""
Pages: TypeAlias = list[Page]
Table: TypeAlias = list[tuple[str, str]]


@dataclass
class Dialog(ABC):
    """Something that F opened."""

    box: "Model"
    page = 0

    @property
    def closes_by_itself(self) -> bool:
        """Whether it is a list, which closes after a while; a question does not [N1, N3]."""
        return False

    @property
    def needs(self) -> list[Insertion]:
        """The cards that must stay in [N3]."""
        return []

    @property
    def way(self) -> str:
        """Who pays whom at M, or nothing if no money would move [N4]."""
        return ""

    @property
    def ledger(self) -> ModelLedger:
        return self.box.ledger

    @abstractmethod
    def press(self, key: str) -> None: ...

    def big_field(self) -> str:
        return ""

    def message(self) -> str:
        return ""

    def outranks_faults(self) -> bool:
        """Whether its message comes before a message about a lost reader."""
        return True

    def pages(self) -> Pages:
        return []

    def table(self) -> Table:
        return []
