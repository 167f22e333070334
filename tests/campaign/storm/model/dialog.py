"""The shape of whatever F opens, in the naive model of the box.

It is told the keys that are pressed in it, but for C and F, and is asked what it shows.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sim.storm.model.books import Books

if TYPE_CHECKING:
    from sim.storm.model.model import Model

Page: TypeAlias = dict[str, str]
"""Digits and names."""
Pages: TypeAlias = list[Page]
Table: TypeAlias = list[tuple[str, str]]


@dataclass
class Opened(ABC):
    """Something that F has opened."""

    box: "Model"
    page = 0

    @property
    def books(self) -> Books:
        return self.box.books

    @abstractmethod
    def press(self, key: str) -> None: ...

    def big_field(self) -> str:
        return ""

    def message(self) -> str:
        return ""

    def insists(self) -> bool:
        """Whether its message comes before what is wrong with the box."""
        return True

    def pages(self) -> Pages:
        return []

    def table(self) -> Table:
        return []
