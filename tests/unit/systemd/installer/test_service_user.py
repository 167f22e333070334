"""What the installer does as the user of the service, in a child process."""

import os
import pwd
import signal
import time
from pathlib import Path
from typing import NoReturn

import pytest

from systemd.installer import places, service_user
from systemd.installer.report import InstallError


@pytest.mark.usefixtures("service_user")
def test_it_has_the_rights_of_the_service() -> None:
    user = pwd.getpwnam(places.USER)
    found = service_user.run(lambda: [os.getresuid(), os.getresgid(), sorted(os.getgroups())])
    groups = sorted(os.getgrouplist(places.USER, user.pw_gid))
    own = groups if os.geteuid() == 0 else sorted(os.getgroups())
    assert found == [[user.pw_uid] * 3, [user.pw_gid] * 3, own]


@pytest.mark.usefixtures("service_user")
def test_what_it_returns_may_be_long() -> None:
    assert service_user.run(lambda: "x" * 200_000) == "x" * 200_000


@pytest.mark.usefixtures("service_user")
def test_a_call_that_never_returns_is_ended() -> None:
    reader, writer = os.pipe()  # the child keeps it open, too
    start = time.monotonic()
    with pytest.raises(InstallError, match=r"^it took more than 0\.2 seconds$"):
        service_user.run(lambda: os.read(reader, 1), 0.2)
    assert time.monotonic() - start < 10
    os.close(reader)
    os.close(writer)


def end_parent_and_sleep() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(3600)


def test_it_ends_by_itself_when_its_parent_is_gone() -> None:
    """As when the installer is killed: a pipe that the child inherits shows when it ends."""
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        places.USER = pwd.getpwuid(os.geteuid()).pw_name
        os.close(reader)
        service_user.run(end_parent_and_sleep, 0.1)
        os._exit(0)
    os.close(writer)
    os.waitpid(parent, 0)
    with open(reader, "rb") as pipe:
        assert pipe.read() == b""


def fail() -> NoReturn:
    raise PermissionError(13, "Permission denied", "/somewhere")


def end() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def recurse() -> NoReturn:
    recurse()


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (fail, "Permission denied"),
        (end, "its process ended"),
        (recurse, "maximum recursion depth exceeded"),
        (lambda: Path("a\0b").stat(), "embedded null byte"),
    ],
)
@pytest.mark.usefixtures("service_user")
def test_a_failure_is_one_sentence(
    action: object, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert callable(action)
    with pytest.raises(InstallError, match=f"^{sentence}"):
        service_user.run(action)
    assert capfd.readouterr() == ("", "")


def test_an_answer_that_ends_early_is_a_failure() -> None:
    with pytest.raises(InstallError, match=r"^its process ended$"):
        service_user._result(b'{"result": [1, ')


def test_a_missing_user_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "USER", "no-such-user")
    with pytest.raises(InstallError, match=r"^the user no-such-user is missing$"):
        service_user.run(lambda: None)


@pytest.mark.usefixtures("service_user")
def test_an_interrupt_is_the_parents() -> None:
    """Ctrl-C goes to both; the child must not leave a ledger half restored."""

    def interrupted() -> str:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        return "done"

    assert service_user.run(interrupted) == "done"
