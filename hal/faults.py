"""What is wrong with a board, told to the person who built it in one clear sentence."""


class BoardFault(Exception):
    """The board cannot be used at all; the text says why, and what to do."""
