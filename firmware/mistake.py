"""A person's mistake, told to that person in one clear sentence."""


class Mistake(Exception):
    """Something the user gave us is wrong; the text says what and where.

    The command line prints it and ends with ``status``; nobody sees a traceback.
    """

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status
