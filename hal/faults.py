"""What is wrong with a board or its line, told to a person in one clear sentence."""

import os
import termios


class BoardFault(Exception):
    """The board cannot be used at all; the text says why, and what to do."""


NO_PORT = (OSError, ValueError, OverflowError, termios.error)
"""What pyserial lets through when a port cannot be opened."""


class PortFault(Exception):
    """The console's port cannot be used; the text names it and says why."""


def reason(error: Exception) -> str:
    """The system's own words for an error; pyserial wraps them in its own."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)
