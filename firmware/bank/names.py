"""The names of cards (N6)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

LONGEST_NAME = 10
NAME_RULE = (
    f"a name has up to {LONGEST_NAME} letters of Western Europe, "
    "also with single spaces, hyphens or apostrophes between them"
)
NO_NAMES: Mapping[int, str] = MappingProxyType({})
_BETWEEN = str.maketrans("-'", "  ")
"""Each may stand once between two letters, as a space may."""
_LAST_LATIN_1 = "ÿ"
"""The screen can draw the letters of Latin-1."""
_SIGNS = frozenset("ªµº")
"""Unicode calls them letters."""


class CardNames(NamedTuple):
    """The names of the known cards, for what is read from the ledger: a history or a report."""

    by_number: dict[int, str]
    forgotten: dict[int, int]
    """By number: the last posting of its previous card. Postings up to it belong to other cards."""

    def at(self, posting: int) -> dict[int, str]:
        """The names, by number, of the cards that had their numbers at this posting."""
        return self.at_the_end(dict.fromkeys(self.by_number, posting))

    def at_the_end(self, last: Mapping[int, int]) -> dict[int, str]:
        """The names by number, only of cards that still had their number at its last posting."""
        return {
            number: name
            for number, name in self.by_number.items()
            if last.get(number, 0) > self.forgotten.get(number, 0)
        }


def composed(typed: str) -> str:
    """A typed name with letter and accent as one character; some systems send them as two."""
    import unicodedata  # not at the start of the box, which types no names

    return unicodedata.normalize("NFC", typed)


def is_name(text: str) -> bool:
    """Whether a card may have this name (D48)."""
    words = text.translate(_BETWEEN).split(" ")
    return len(text) <= LONGEST_NAME and all(map(_is_word, words))


def _is_word(word: str) -> bool:
    return word.isalpha() and max(word) <= _LAST_LATIN_1 and _SIGNS.isdisjoint(word)
