"""A tree that is switched on: its service runs from one command to the next.

    with switched_on(tree) as pi:
        pi.run("make", "install", cwd="/root/tellerbox")
        pi.run("systemctl", "is-active", "tellerbox.service")

systemd cannot run in a tree; ``standin_systemctl.py`` stands in for it. Leaving is a pulled
plug: everything that runs ends at once. The next one that is switched on starts the
service, if it is enabled.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pi.rights import Failed
from tests.pi.tree import Done, Tree, end

STANDIN = Path(__file__).with_name("standin_systemctl.py")
COMMANDS = ("/usr/local/bin/systemctl", "/usr/local/bin/journalctl", "/usr/local/sbin/power-on")


class Machine:
    """A tree with a process in it that carries out commands."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._process = tree.start("power-on")

    def run(
        self,
        *words: str,
        check: bool = True,
        env: dict[str, str] | None = None,
        cwd: str = "/",
    ) -> Done:
        self.begin(*words, env=env, cwd=cwd)
        assert self._process.stdout
        answer = self._process.stdout.readline()
        if not answer:
            raise Failed(f"the machine went off: {self._process.communicate()[1].decode()}")
        done = Done(*json.loads(answer))
        if check and done.status:
            raise Failed(f"{' '.join(words)}: exit status {done.status}\n{done.said}")
        return done

    def begin(self, *words: str, env: dict[str, str] | None = None, cwd: str = "/") -> None:
        """Let a command run that nobody will see the end of, because the power goes."""
        assert self._process.stdin
        asked = {"words": words, "env": env or {}, "cwd": cwd}
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()

    def service(self) -> tuple[str, int]:
        """Its state, and the number of its process."""
        state = self.run("systemctl", "is-active", "tellerbox.service", check=False).stdout
        pid = self.run(
            "systemctl", "show", "--property=MainPID", "--value", "tellerbox.service"
        ).stdout
        return state.strip(), int(pid)

    def pull_the_plug(self) -> None:
        end(self._process)


def give_standin(tree: Tree) -> None:
    """Put the stand-in for systemd into a tree, before all copies are made of it."""
    for command in COMMANDS:
        tree.write(command, f"#!/usr/bin/python3\n{STANDIN.read_text()}", mode="755")


@contextmanager
def switched_on(tree: Tree) -> Iterator[Machine]:
    machine = Machine(tree)
    try:
        yield machine
    finally:
        machine.pull_the_plug()
