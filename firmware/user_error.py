"""A person's mistake, told to that person in one clear sentence."""


class Mistake(Exception):
    """Something the user gave us is wrong; the text says what and where.

    The command line prints it and ends with ``status``; nobody sees a traceback.
    """

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def one_line(text: str) -> str:
    """What a file quotes of itself, as one line that no terminal obeys."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:500]
