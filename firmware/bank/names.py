"""The names of cards (N6)."""

LONGEST_NAME = 10
NAME_RULE = f"a name has up to {LONGEST_NAME} letters"
_BETWEEN = " -'"
"""Each may stand once between two letters."""
_LAST_LATIN_1 = "ÿ"
"""The screen can draw the letters of Latin-1."""


def is_name(text: str) -> bool:
    """Whether a card may have this name (D48)."""
    words = text.translate(str.maketrans(_BETWEEN, " " * len(_BETWEEN))).split(" ")
    return len(text) <= LONGEST_NAME and all(map(_is_word, words))


def _is_word(word: str) -> bool:
    return word.isalpha() and max(word) <= _LAST_LATIN_1
