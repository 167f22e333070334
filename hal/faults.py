"""The errors of a board or its line, each with a sentence for the user."""

import os
import termios


class BoardFault(Exception):
    """The board cannot be used; the text says why, and what to do."""


def missing_package(error: ImportError) -> BoardFault:
    return BoardFault(f"the package {error.name} is missing; `make pi` installs it")


NO_PORT = (OSError, ValueError, OverflowError, termios.error)
"""The errors with which pyserial fails to open a port."""


class PortFault(Exception):
    """The console's port cannot be used; the text names it and says why."""


def reason(error: Exception) -> str:
    """Return the system's text for an error, without what pyserial adds."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)
