"""A fake systemd for a tree, where the real one cannot run; it manages one service.

It is installed in the tree under three names:

- ``power-on`` is the machine. It starts the service if it is enabled, then executes commands
  from its standard input, one JSON object per line, and answers each with one. When it ends,
  everything it started ends, as in a power cut.
- ``systemctl`` and ``journalctl`` pass their arguments to it. The real systemctl enables and
  disables the service, which works without a running systemd.

The unit is read when systemd would read it: at the first use and at daemon-reload. The
service gets its user, groups, folders and environment, must send READY=1 in time, and is
restarted when it ends, up to the start limit.
"""

import json
import os
import pwd
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

NAME = "tellerbox.service"
UNITS = Path("/etc/systemd/system")
CONTROL_SOCKET = "/run/standin.socket"
NOTIFY_SOCKET = "/run/systemd/notify"
LOG = Path("/run/standin.log")
REAL_SYSTEMCTL = "/usr/bin/systemctl"


class Settings:
    """The unit and its drop-ins."""

    def __init__(self) -> None:
        self._lists: dict[str, list[str]] = {}
        for file in (UNITS / NAME, *sorted((UNITS / f"{NAME}.d").glob("*.conf"))):
            self._read(file)

    def _read(self, file: Path) -> None:
        for line in file.read_text().splitlines():
            name, equals, value = line.strip().partition("=")
            if not equals or name.startswith(("#", ";")):
                continue
            if not value:
                self._lists.pop(name, None)
            else:
                self._lists.setdefault(name, []).append(value)

    def one(self, name: str) -> str:
        return self._lists[name][-1]

    def seconds(self, name: str) -> float:
        return float(self.one(name).removesuffix("s"))

    @property
    def command(self) -> list[str]:
        [line] = self._lists["ExecStart"]
        return shlex.split(line)

    @property
    def environment(self) -> dict[str, str]:
        pairs = [word for line in self._lists["Environment"] for word in shlex.split(line)]
        return dict(pair.split("=", 1) for pair in pairs)


class Service:
    """A service of Type=notify and Restart=always."""

    def __init__(self) -> None:
        self.state = "inactive"
        self._settings: Settings | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted = False  # started and not stopped
        self._starts: list[float] = []
        self._lock = threading.RLock()
        self._ready = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def main_pid(self) -> int:
        return self._process.pid if self._process and self.state != "inactive" else 0

    def reload(self) -> None:
        self._settings = Settings() if (UNITS / NAME).exists() else None

    def reset_failures(self) -> None:
        self._starts.clear()

    def start(self) -> int:
        with self._lock:
            self._wanted = True
            if self.state == "active":
                return 0
            if self._settings is None:
                self.reload()
            if self._settings is None:
                return 5
            return self._start(self._settings)

    def stop(self) -> int:
        self._wanted = False
        process = self._process
        if process and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                # Emulation is ten times slower; other tests measure the stop time.
                process.wait(10 * (self._settings or Settings()).seconds("TimeoutStopSec"))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        with self._lock:
            self.state = "inactive"
        return 0

    def _start(self, settings: Settings) -> int:
        limit = int(settings.one("StartLimitBurst"))
        window = time.monotonic() - settings.seconds("StartLimitIntervalSec")
        self._starts = [instant for instant in self._starts if instant > window]
        if len(self._starts) >= limit:
            self.state = "failed"
            log("start request repeated too quickly")
            return 1
        self._starts.append(time.monotonic())
        self._ready.clear()
        self.state = "activating"
        self._process = process = self._spawn(settings)
        threading.Thread(target=self._watch, args=(process, settings), daemon=True).start()
        end = time.monotonic() + settings.seconds("TimeoutStartSec")
        while time.monotonic() < end and process.poll() is None:
            if self._ready.wait(0.1):
                self.state = "active"
                return 0
        if process.poll() is None:
            log("start operation timed out")
            process.kill()
        self.state = "failed"
        return 1

    def _spawn(self, settings: Settings) -> "subprocess.Popen[bytes]":
        user = pwd.getpwnam(settings.one("User"))
        for top, setting in (("/run", "RuntimeDirectory"), ("/var/lib", "StateDirectory")):
            folder = Path(top, settings.one(setting))
            folder.mkdir(exist_ok=True)
            os.chown(folder, user.pw_uid, user.pw_gid)
        with LOG.open("ab") as out:
            return subprocess.Popen(
                settings.command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=settings.one("WorkingDirectory"),
                env={"NOTIFY_SOCKET": NOTIFY_SOCKET, "HOME": user.pw_dir, **settings.environment},
                user=user.pw_uid,
                group=user.pw_gid,
                extra_groups=settings.one("SupplementaryGroups").split(),
                umask=int(settings.one("UMask"), 8),
                start_new_session=True,
            )

    def _watch(self, process: "subprocess.Popen[bytes]", settings: Settings) -> None:
        status = process.wait()
        log(f"main process exited, status={status}")
        if not self._wanted:
            return
        self.state = "failed"
        time.sleep(settings.seconds("RestartSec"))
        with self._lock:
            if self._wanted and self._process is process and settings.one("Restart") == "always":
                self._start(self._settings or settings)

    def _listen(self) -> None:
        Path(NOTIFY_SOCKET).unlink(missing_ok=True)
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        receiver.bind(NOTIFY_SOCKET)
        os.chmod(NOTIFY_SOCKET, 0o777)
        while True:
            if b"READY=1" in receiver.recv(4096).splitlines():
                self._ready.set()


def log(line: str) -> None:
    with LOG.open("a") as file:
        file.write(f"{NAME}: {line}\n")


def execute(service: Service, arguments: list[str]) -> tuple[int, str]:
    """Execute a systemctl command; return its exit status and output."""
    options = [word for word in arguments if word.startswith("-")]
    match [word for word in arguments if not word.startswith("-") and word != NAME]:
        case ["start"]:
            return service.start(), ""
        case ["stop"]:
            return service.stop(), ""
        case ["restart"]:
            service.stop()
            return service.start(), ""
        case ["is-active"]:
            return 0 if service.state == "active" else 3, f"{service.state}\n"
        case ["show"] if "--property=MainPID" in options and "--value" in options:
            return 0, f"{service.main_pid}\n"
        case ["daemon-reload"]:
            service.reload()
            return 0, ""
        case ["reset-failed"]:
            service.reset_failures()
            return 0, ""
        case ["enable" | "disable" | "is-enabled" as command]:
            done = subprocess.run(
                (REAL_SYSTEMCTL, "--root=/", command, NAME),
                capture_output=True,
                text=True,
                check=False,
            )
            if "--now" in options:
                service.start() if command == "enable" else service.stop()
            return done.returncode, "" if "--quiet" in options else done.stdout + done.stderr
    return 64, f"the fake systemctl does not know: {arguments}\n"


def serve(service: Service) -> None:
    Path(CONTROL_SOCKET).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(CONTROL_SOCKET)
    listener.listen()

    def handle(client: socket.socket) -> None:
        with client, client.makefile("rw") as text:
            text.write(json.dumps(execute(service, json.loads(text.readline()))) + "\n")

    while True:
        threading.Thread(target=handle, args=(listener.accept()[0],), daemon=True).start()


def power_on() -> int:
    Path("/run/systemd/system").mkdir(parents=True, exist_ok=True)
    LOG.unlink(missing_ok=True)
    service = Service()
    threading.Thread(target=serve, args=(service,), daemon=True).start()
    if execute(service, ["is-enabled", NAME])[0] == 0:
        threading.Thread(target=service.start, daemon=True).start()
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        done = subprocess.run(
            request["command"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=request["cwd"],
            env={**os.environ, **request["env"]},
            check=False,
        )
        print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
    return 0


def call(arguments: list[str]) -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(CONTROL_SOCKET)
        with connection.makefile("rw") as text:
            text.write(json.dumps(arguments) + "\n")
            text.flush()
            status, output = json.loads(text.readline())
    sys.stdout.write(output)
    return int(status)


def main() -> int:
    match Path(sys.argv[0]).name:
        case "power-on":
            return power_on()
        case "journalctl":
            sys.stdout.write(
                "" if "--sync" in sys.argv else LOG.read_text(errors="replace")[-2000:]
            )
            return 0
        case _:
            return call(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
