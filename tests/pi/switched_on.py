"""A tree whose service keeps running between commands.

    with switched_on(tree) as pi:
        pi.run("make", "install", cwd="/root/tellerbox")
        pi.run("systemctl", "is-active", "tellerbox.service")

systemd cannot run in a tree; ``standin_systemctl.py`` replaces it. Leaving the context is a
power cut: every process ends at once. The next ``switched_on`` starts the service if it is
enabled.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pi.rights import Failed
from tests.pi.tree import CommandResult, Tree, terminate

STANDIN = Path(__file__).with_name("standin_systemctl.py")
COMMANDS = ("/usr/local/bin/systemctl", "/usr/local/bin/journalctl", "/usr/local/sbin/power-on")


class PoweredTree:
    """A tree with a process in it that executes commands."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._process = tree.start("power-on")

    def run(
        self,
        *command: str,
        check: bool = True,
        env: dict[str, str] | None = None,
        cwd: str = "/",
    ) -> CommandResult:
        self.start(*command, env=env, cwd=cwd)
        assert self._process.stdout
        answer = self._process.stdout.readline()
        if not answer:
            raise Failed(f"the machine went off: {self._process.communicate()[1].decode()}")
        done = CommandResult(*json.loads(answer))
        if check and done.status:
            raise Failed(f"{' '.join(command)}: exit status {done.status}\n{done.output}")
        return done

    def start(self, *command: str, env: dict[str, str] | None = None, cwd: str = "/") -> None:
        """Start a command without waiting for its end; only a power cut may follow."""
        assert self._process.stdin
        request = {"command": command, "env": env or {}, "cwd": cwd}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def service(self) -> tuple[str, int]:
        """Return the state of the service and its process id."""
        state = self.run("systemctl", "is-active", "tellerbox.service", check=False).stdout
        pid = self.run(
            "systemctl", "show", "--property=MainPID", "--value", "tellerbox.service"
        ).stdout
        return state.strip(), int(pid)

    def pull_the_plug(self) -> None:
        terminate(self._process)


def install_standin(tree: Tree) -> None:
    """Install the fake systemd in a tree; call it before the tree is copied."""
    for command in COMMANDS:
        tree.write(command, f"#!/usr/bin/python3\n{STANDIN.read_text()}", mode="755")


@contextmanager
def switched_on(tree: Tree) -> Iterator[PoweredTree]:
    machine = PoweredTree(tree)
    try:
        yield machine
    finally:
        machine.pull_the_plug()
