"""Messages to the terminal."""

import pytest

from systemd.installer import report


def test_a_name_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    report.report_error("restored a\x1b[2Jb\x9b\udc80.db\n    a\tline of the log, été")
    printed = capsys.readouterr().err
    assert printed == "tellerbox: restored a\\x1b[2Jb\\x9b\\udc80.db\n    a\tline of the log, été\n"
