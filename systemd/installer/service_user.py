"""Does something as the user of the service, in a child process with a time limit.

The service's folders may be in the hands of an attacker: with its rights, a link or a FIFO there
gains or blocks nothing that the service could not gain or block itself.
"""

import json
import os
import pwd
import select
import signal
import time
from collections.abc import Callable
from typing import Any, NoReturn

from systemd.installer import places
from systemd.installer.report import InstallError

LIMIT = 60.0
"""Seconds: a microSD card may be slow."""
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The parent decides what an interrupt means; the action is never left half-way without need."""


def run(action: Callable[[], object], limit: float = LIMIT) -> Any:
    """Return what the action returns, which must fit into JSON. Raises InstallError."""
    reader, writer = os.pipe()
    # An interrupt between the fork and the child's own handlers would run the parent's code twice.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _IGNORED)
    child = _fork()
    if child == 0:
        _be_the_child(action, writer, limit, mask)
    try:
        os.close(writer)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        answer = _read(reader, time.monotonic() + limit) if child else b""
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        os.close(reader)
    if answer is None:
        raise InstallError(f"it took more than {limit:g} seconds")
    return _result(answer)


def _fork() -> int | None:
    """Return None if this machine cannot run another process."""
    try:
        return os.fork()
    except OSError:
        return None


def _result(answer: bytes) -> Any:
    try:
        found: dict[str, Any] = json.loads(answer)
    except ValueError:  # incomplete
        raise InstallError("its process ended") from None
    if "error" in found:
        raise InstallError(found["error"])
    return found["result"]


def _read(reader: int, deadline: float) -> bytes | None:
    """Return all that the child writes, or None when its time is up."""
    answer = b""
    while True:
        left = max(deadline - time.monotonic(), 0)
        if not select.select([reader], [], [], left)[0]:
            return None
        part = os.read(reader, 65536)
        if not part:
            return answer
        answer += part


def _be_the_child(
    action: Callable[[], object], writer: int, limit: float, mask: set[int | signal.Signals]
) -> NoReturn:
    try:
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        # It must also end if the parent was killed, even in a call that never returns.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 1.5 * limit)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        answer = json.dumps(_answer(action)).encode()
        while answer:
            answer = answer[os.write(writer, answer) :]
    finally:
        os._exit(0)


def _answer(action: Callable[[], object]) -> dict[str, object]:
    try:
        _become(places.USER)
        return {"result": action()}
    except Exception as error:  # the parent reports it
        return {"error": str(getattr(error, "strerror", None) or error)}


def _become(name: str) -> None:
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        raise InstallError(f"the user {name} is missing") from None
    if os.geteuid() == user.pw_uid:
        return
    os.setgroups(os.getgrouplist(name, user.pw_gid))
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
