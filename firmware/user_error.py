"""The exception for errors that the user can fix."""


class UserError(Exception):
    """The user's input is wrong. The text says what is wrong, where, and what to do.

    The command line prints it without a traceback and exits with ``status``.
    """

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def one_line(text: str) -> str:
    """Replace control characters by spaces, and shorten the text."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:500]
