"""An arm64 Debian tree, as a Raspberry Pi has it, and throw-away copies to work in.

    with fresh_copy() as tree:
        tree.put_checkout("/root/tellerbox")
        print(tree.run("uname", "-m").stdout)

`python -m tests.pi.tree` builds it (about four minutes, once; mmdebstrap under
qemu-user). It is kept in the user's cache folder, with the packages that apt and pip
have fetched for it, until its recipe changes; `sudo rm -r ~/.cache/tellerbox` forgets it.

A command runs in mounts and processes of its own, which end with it: whatever it
started or mounted, nothing is left behind. All of a copy is removed when it is closed,
and a copy whose process was killed is removed by the next one.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.pi import ways_out
from tests.pi.rights import (
    Failed,
    Unavailable,
    as_root,
    install,
    prefix,
    run_arm64_programs,
    say,
    watched,
)

CHECKOUT = Path(__file__).resolve().parents[2]

RELEASE = "bookworm"
PACKAGES = (
    # What Raspberry Pi OS Lite comes with, as far as the box or its installer could notice.
    *("apt-utils", "build-essential", "ca-certificates", "dbus", "dialog", "e2fsprogs", "git"),
    *("iproute2", "kmod", "libpam-systemd", "less", "make", "nano", "procps", "psmisc", "python3"),
    *("sudo", "systemd", "systemd-sysv", "udev"),
    # To boot it in an emulator.
    "busybox-static",
)
OPTIONS = (
    "--mode=root",
    "--architectures=arm64",
    "--variant=minbase",
    f"--include={','.join(PACKAGES)}",
    "--aptopt=Acquire::Languages none",
    "--aptopt=APT::Install-Recommends false",
    # A build that is cut short is thrown away; and pages nobody reads need not be unpacked.
    "--dpkgopt=force-unsafe-io",
    *(f"--dpkgopt=path-exclude=/usr/share/{what}/*" for what in ("doc", "man", "info", "locale")),
    "--skip=cleanup/apt/lists",
    # The groups that Raspberry Pi OS has, a place for pip's settings, and its boot partition.
    '--customize-hook=for group in gpio spi i2c; do chroot "$1" groupadd --system $group; done',
    '--customize-hook=mkdir -p "$1/boot/firmware" && touch "$1/etc/pip.conf"',
    '--customize-hook=touch "$1/boot/firmware/config.txt" "$1/boot/firmware/cmdline.txt"',
)

# Runs in mounts and processes of its own: $1 is the tree, $2 the folder with what comes
# from outside, $3 pip's cache, $4 apt's; the rest is the command.
ENTER = """
set -e
tree=$1; outside=$2; pip=$3; apt=$4; shift 4
mount --make-rprivate /
mount -t proc proc "$tree/proc"
mount -t sysfs -o ro sysfs "$tree/sys"
mount -t tmpfs -o mode=755 dev "$tree/dev"
for node in null zero full random urandom tty; do
    touch "$tree/dev/$node"; mount --bind "/dev/$node" "$tree/dev/$node"
done
mkdir "$tree/dev/pts" "$tree/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$tree/dev/pts"
mount -t tmpfs -o mode=1777 shm "$tree/dev/shm"
ln -s pts/ptmx "$tree/dev/ptmx"
ln -s /proc/self/fd "$tree/dev/fd"
ln -s fd/0 "$tree/dev/stdin"; ln -s fd/1 "$tree/dev/stdout"; ln -s fd/2 "$tree/dev/stderr"
for folder in run/host root/.cache/pip var/cache/apt/archives; do mkdir -p "$tree/$folder"; done
mount --bind "$outside" "$tree/run/host"
mount --bind "$pip" "$tree/root/.cache/pip"
mount --bind "$apt" "$tree/var/cache/apt/archives"
for file in pip.conf resolv.conf hosts; do
    touch "$tree/etc/$file"; mount --bind "$outside/$file" "$tree/etc/$file"
done
if [ "$1" = --as ]; then user=--userspec=$2; shift 2; fi
# Not "exec": a process of number 1 would not be ended by a signal as others are.
chroot ${user:-} "$tree" "$@"
"""


class Done(NamedTuple):
    """What came of a command."""

    status: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        return self.stdout + self.stderr


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tellerbox"


def built() -> Path:
    """The tree that all copies are made from; built now when there is none of this recipe."""
    recipe = hashlib.sha256("\n".join((RELEASE, *OPTIONS)).encode()).hexdigest()[:12]
    path = cache_folder() / f"tree-{recipe}"
    _ready_to_run()
    if not path.exists():
        with locked(cache_folder() / "building"):
            if not path.exists():
                _build(path)
    return path


def _ready_to_run() -> None:
    if sys.platform != "linux":
        raise Unavailable("an arm64 tree needs Linux")
    prefix()
    run_arm64_programs()
    install(util_linux="unshare", mount="mount", git="git", tar="tar")
    for part in ("pip", "apt"):
        (cache_folder() / "fetched" / part).mkdir(parents=True, exist_ok=True)
    # pip uses no cache that belongs to somebody else, and inside it is root who runs it.
    as_root("chown", "root:", cache_folder() / "fetched/pip")


def _build(path: Path) -> None:
    install(
        mmdebstrap="mmdebstrap", arch_test="arch-test", debian_archive_keyring=str(ways_out.KEYRING)
    )
    partial = path.with_suffix(".partial")
    as_root("rm", "-rf", "--one-file-system", partial)
    sources = ways_out.apt_sources(RELEASE)
    with tempfile.NamedTemporaryFile("w", suffix=".list") as listed:
        listed.write(sources)
        listed.flush()
        words = ("mmdebstrap", *OPTIONS, RELEASE, str(partial), listed.name)
        watched("building the arm64 tree", words, path.with_suffix(".log"))
    # Where packages come from is for each copy to be told anew.
    as_root("rm", *(partial / "etc/apt/sources.list.d").iterdir())
    as_root("mv", partial, path)
    for old in path.parent.glob("tree-*"):
        if old.stem != path.stem:
            as_root("rm", "-rf", "--one-file-system", old)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Alone with what that file stands for: whoever else wants it waits."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def throw_away_folder() -> Iterator[Path]:
    """In the cache folder, where there is room; whoever is killed leaves it to the next one."""
    copies = cache_folder() / "copies"
    copies.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(copies)
    home = Path(tempfile.mkdtemp(dir=copies))
    with locked(home / "in-use"):
        try:
            yield home
        finally:
            _remove(home)


class Tree:
    """A copy of the tree, which may be changed at will."""

    def __init__(self, home: Path, below: tuple[Path, ...]) -> None:
        self._home = home
        self._below = below
        """The folders this copy lies over, the topmost first."""
        self.root = home / "root"
        """Where its files can be looked at from outside."""

    # What happens in it

    def run(
        self,
        *words: str | Path,
        check: bool = True,
        env: dict[str, str] | None = None,
        input: str | None = None,  # noqa: A002 - as subprocess calls it
        cwd: str = "/",
        user: str | None = None,
        timeout: float = 1800,
    ) -> Done:
        """Run a command in the tree, as root unless a user is named.

        Raises Failed, with all that it printed, when `check` and it does not succeed.
        """
        process = self.start(*words, env=env, cwd=cwd, user=user)
        try:
            out, err = process.communicate(None if input is None else input.encode(), timeout)
        except BaseException:
            end(process)
            raise
        done = Done(process.returncode, _text(out), _text(err))
        if check and done.status:
            command = " ".join(map(str, words))
            raise Failed(f"{command}: exit status {done.status}\n{done.said}")
        return done

    def run_long(self, what: str, *words: str | Path, cwd: str = "/") -> str:
        """The same for what takes minutes: tells now and then how far it is."""
        log = self._home / "log"
        watched(what, self._entered(words, {}, cwd, None), log)
        return log.read_text(errors="replace")

    def start(
        self,
        *words: str | Path,
        env: dict[str, str] | None = None,
        cwd: str = "/",
        user: str | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command in the tree, with pipes to it; whoever starts it ends it."""
        return subprocess.Popen(
            (*prefix(), *self._entered(words, env or {}, cwd, user)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def _entered(
        self, words: tuple[str | Path, ...], env: dict[str, str], cwd: str, user: str | None
    ) -> tuple[str, ...]:
        """The command that runs a command in the tree, and nowhere else."""
        settings = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root" if user is None else "/",
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            "SSL_CERT_FILE": "/run/host/certificates.crt",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            **ways_out.proxies(),
            **env,
        }
        outside = self._write_what_comes_from_outside()
        enter = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh")
        places = (self.root, outside, cache_folder() / "fetched/pip", self._home / "apt")
        who = () if user is None else ("--as", user)
        inside = ("env", "-i", f"--chdir={cwd}", *(f"{k}={v}" for k, v in settings.items()))
        return tuple(map(str, (*enter, *places, *who, *inside, *words)))

    def _write_what_comes_from_outside(self) -> Path:
        folder = self._home / "outside"
        if not folder.exists():
            folder.mkdir()
            settings = ways_out.pip_settings("/run/host/certificates.crt")
            (folder / "pip.conf").write_text(settings)
            for file, source in (
                ("resolv.conf", Path("/etc/resolv.conf")),
                ("hosts", Path("/etc/hosts")),
                ("certificates.crt", ways_out.CERTIFICATES),
            ):
                (folder / file).write_bytes(source.read_bytes() if source.exists() else b"")
        return folder

    # Its files

    def path(self, inside: str) -> Path:
        return self.root / inside.lstrip("/")

    def read(self, inside: str) -> str:
        return as_root("cat", self.path(inside)).decode()

    def write(self, inside: str, text: str, mode: str = "644") -> None:
        as_root("mkdir", "-p", self.path(inside).parent)
        as_root("tee", self.path(inside), given=text.encode())
        as_root("chmod", mode, self.path(inside))

    def exists(self, inside: str) -> bool:
        """True for a link that leads nowhere, too."""
        path = str(self.path(inside))
        words = (*prefix(), "sh", "-c", 'test -e "$0" || test -L "$0"', path)
        return subprocess.run(words, check=False).returncode == 0

    def put_checkout(self, inside: str = "/root/tellerbox") -> str:
        """This checkout as it lies here, without what is ignored; gives where it was put."""
        git = ("git", "-C", str(CHECKOUT), "ls-files", "-z", "--cached", "--others")
        listed = subprocess.run((*git, "--exclude-standard"), capture_output=True, check=True)
        names = [name for name in listed.stdout.split(b"\0") if name]
        there = [
            name for name in names if os.path.lexists(os.path.join(os.fsencode(CHECKOUT), name))
        ]
        packed = subprocess.run(
            ("tar", "-C", CHECKOUT, "--owner=0", "--group=0", "--null", "-T", "-", "-c"),
            input=b"\0".join(there),
            capture_output=True,
            check=True,
        )
        as_root("mkdir", "-p", self.path(inside))
        as_root("tar", "-C", self.path(inside), "-x", given=packed.stdout)
        return inside

    # Copies of it

    @contextmanager
    def copy(self) -> Iterator["Tree"]:
        """A copy of this copy as it is now, which must not change while the other one lives."""
        with _copy_over((self._home / "upper", *self._below)) as tree:
            yield tree


@contextmanager
def fresh_copy() -> Iterator[Tree]:
    """A copy of the tree as it was built; gone when this is left, however that comes."""
    with _copy_over((built(),)) as tree:
        tree.write("/etc/apt/sources.list", ways_out.apt_sources(RELEASE))
        yield tree


@contextmanager
def _copy_over(below: tuple[Path, ...]) -> Iterator[Tree]:
    with throw_away_folder() as home:
        _lay(home, below)
        _share_packages(cache_folder() / "fetched/apt", home / "apt")
        yield Tree(home, below)
        _share_packages(home / "apt", cache_folder() / "fetched/apt")


def _lay(home: Path, below: tuple[Path, ...]) -> None:
    """An overlay costs nothing; where there is none, or not here, the files are copied."""
    for folder in ("root", "upper", "work"):
        (home / folder).mkdir()
    as_root("chown", "root:", home / "root", home / "upper")
    as_root("chmod", "755", home, home / "upper")
    layers = (
        f"lowerdir={':'.join(map(str, below))},upperdir={home / 'upper'},workdir={home / 'work'}"
    )
    try:
        as_root("mount", "-t", "overlay", "-o", layers, "tellerbox", home / "root")
    except Failed:
        # A folder below that is itself a copy was filled, not laid over: it is the whole.
        as_root("cp", "-a", "--reflink=auto", f"{below[0]}/.", home / "upper")
        as_root("rm", "-r", home / "root")
        (home / "root").symlink_to("upper")


def _share_packages(source: Path, goal: Path) -> None:
    """Link what apt has fetched; apt locks its folder, and several copies may be at work."""
    goal.mkdir(exist_ok=True)
    as_root("find", source, "-name", "*.deb", "-exec", "ln", "-f", "-t", goal, "{}", "+")


def _remove_abandoned(copies: Path) -> None:
    for home in copies.iterdir():
        try:
            with (home / "in-use").open("r") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(home)
        except OSError:
            continue  # in use, or just being made


def _remove(home: Path) -> None:
    if os.path.ismount(home / "root"):
        as_root("umount", "--lazy", home / "root")
    as_root("rm", "-rf", "--one-file-system", home)


def end(process: subprocess.Popen[bytes]) -> None:
    """End what was started in a tree, and with it all that it has started itself."""
    if process.poll() is None:
        # Hang up: sudo passes it on, and `unshare` neither holds it back nor outlives it.
        as_root("kill", "-HUP", str(process.pid))
    process.communicate()


def _text(printed: bytes) -> str:
    return printed.decode(errors="replace")


def main() -> int:
    """Build the tree, or say in one sentence why not: a failure only where CI must not skip."""
    try:
        say(f"the arm64 tree is ready: {built()}")
    except Unavailable as reason:
        say(f"the arm64 tree is left out: {reason}")
        return 1 if os.environ.get("CI") else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
