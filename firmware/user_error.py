"""The exception for errors that the user can fix, and texts that a terminal can show."""


class UserError(Exception):
    """The user's input is wrong. The text says what is wrong, where, and what to do.

    The command line prints it without a traceback and exits with ``status``. It is one line, also
    if it quotes a name with control characters. ``details`` are lines that another program wrote.
    """

    def __init__(self, sentence: str, status: int = 1, details: str = "") -> None:
        super().__init__(printable(sentence))
        self.status = status
        self.details = [printable(line) for line in details.splitlines()]


def printable(text: object) -> str:
    """Replace control characters, also line breaks, by spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in str(text))


def one_line(text: str) -> str:
    """Replace control characters by spaces, and shorten the text."""
    return printable(text)[:500]
