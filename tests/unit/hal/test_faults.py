"""The reason of an error, for a message."""

import errno

from serial import SerialException

from hal.faults import reason


def test_the_systems_text_without_that_of_pyserial() -> None:
    wrapped = SerialException(errno.EACCES, "could not open port /dev/ttyS0: [Errno 13]")
    assert reason(wrapped) == "Permission denied"
    assert reason(OSError(errno.ENOENT, "whatever")) == "No such file or directory"


def test_an_error_without_a_number() -> None:
    assert reason(ValueError("not a valid baudrate: 7")) == "not a valid baudrate: 7"
