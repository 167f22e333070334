"""An arm64 Debian tree like that of a Raspberry Pi, and temporary copies of it.

    with fresh_copy() as tree:
        tree.put_checkout("/root/tellerbox")
        print(tree.run("uname", "-m").stdout)

`python -m tests.pi.tree` builds it (about four minutes, once; mmdebstrap under qemu-user).
It is cached in the user's cache folder, with the packages that apt and pip have fetched,
until its recipe changes; `sudo rm -r ~/.cache/tellerbox` removes it.

Each command runs in its own mount and process namespaces, so nothing that it starts or
mounts is left behind. A copy is removed when it is closed; if its process was killed, the
next one removes it.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.pi import network_settings
from tests.pi.rights import (
    Failed,
    Unavailable,
    as_root,
    install,
    report,
    root_prefix,
    run_arm64_programs,
    run_logged,
)

CHECKOUT = Path(__file__).resolve().parents[2]

RELEASE = "bookworm"
PACKAGES = (
    # The packages of Raspberry Pi OS Lite that matter to the box or its installer.
    *("apt-utils", "build-essential", "ca-certificates", "dbus", "dialog", "e2fsprogs", "git"),
    *("iproute2", "kmod", "libpam-systemd", "less", "make", "nano", "procps", "psmisc", "python3"),
    *("sudo", "systemd", "systemd-sysv", "udev"),
    # For booting in an emulator.
    "busybox-static",
)
OPTIONS = (
    "--mode=root",
    "--architectures=arm64",
    "--variant=minbase",
    f"--include={','.join(PACKAGES)}",
    "--aptopt=Acquire::Languages none",
    "--aptopt=APT::Install-Recommends false",
    # An interrupted build is deleted, so it needs no fsync. Documentation is not needed.
    "--dpkgopt=force-unsafe-io",
    *(f"--dpkgopt=path-exclude=/usr/share/{what}/*" for what in ("doc", "man", "info", "locale")),
    "--skip=cleanup/apt/lists",
    # The groups of Raspberry Pi OS, a mount point for pip's settings, and the boot files.
    '--customize-hook=for group in gpio spi i2c; do chroot "$1" groupadd --system $group; done',
    '--customize-hook=mkdir -p "$1/boot/firmware" && touch "$1/etc/pip.conf"',
    '--customize-hook=touch "$1/boot/firmware/config.txt" "$1/boot/firmware/cmdline.txt"',
)

# Runs in its own namespaces: $1 is the tree, $2 the folder with the host's network settings,
# $3 pip's cache, $4 apt's cache; the rest is the command.
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
# Not "exec": process 1 ignores signals without a handler.
chroot ${user:-} "$tree" "$@"
"""


DEFAULT_SIGNALS = ("env", "--default-signal=HUP,INT,QUIT,TERM")
"""A job runner may ignore these signals; child processes would inherit that and never end."""


class CommandResult(NamedTuple):
    status: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tellerbox"


def built() -> Path:
    """Return the tree that all copies are based on; build it if the recipe has changed."""
    recipe = hashlib.sha256("\n".join((RELEASE, *OPTIONS)).encode()).hexdigest()[:12]
    path = cache_folder() / f"tree-{recipe}"
    _prepare_host()
    if not path.exists():
        with locked(cache_folder() / "building"):
            if not path.exists():
                _build(path)
    return path


def _prepare_host() -> None:
    if sys.platform != "linux":
        raise Unavailable("an arm64 tree needs Linux")
    root_prefix()
    run_arm64_programs()
    install(util_linux="unshare", mount="mount", git="git", tar="tar")
    for part in ("pip", "apt"):
        (cache_folder() / "fetched" / part).mkdir(parents=True, exist_ok=True)
    # pip runs as root in the tree, and ignores a cache that another user owns.
    as_root("chown", "root:", cache_folder() / "fetched/pip")


def _build(path: Path) -> None:
    install(
        mmdebstrap="mmdebstrap",
        arch_test="arch-test",
        debian_archive_keyring=str(network_settings.KEYRING),
    )
    partial = path.with_suffix(".partial")
    as_root("rm", "-rf", "--one-file-system", partial)
    sources = network_settings.apt_sources(RELEASE)
    with tempfile.NamedTemporaryFile("w", suffix=".list") as listed:
        listed.write(sources)
        listed.flush()
        command = ("mmdebstrap", *OPTIONS, RELEASE, str(partial), listed.name)
        run_logged("building the arm64 tree", command, path.with_suffix(".log"))
    # Each copy gets the current sources.
    as_root("rm", *(partial / "etc/apt/sources.list.d").iterdir())
    as_root("mv", partial, path)
    for old in path.parent.glob("tree-*"):
        if old.stem != path.stem:
            as_root("rm", "-rf", "--one-file-system", old)


def cached(name: str, outdated: str, build: Callable[[Path], None]) -> Path:
    """Return a file or folder of the cache, built once however many processes ask for it.

    OUTDATED is a pattern for the names of its predecessors, which are removed first.
    """
    path = cache_folder() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f"building-{outdated.strip('-*')}")):
        if not path.exists():
            for old in path.parent.glob(outdated):
                _remove_cached(old)
            partial = path.with_name(f"{name}.partial")
            build(partial)
            partial.rename(path)
    return path


def _remove_cached(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; wait for it if necessary."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a temporary folder in the cache; remove those of killed processes."""
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
    """A writable copy of the tree."""

    def __init__(self, home: Path, below: tuple[Path, ...]) -> None:
        self._home = home
        self._below = below
        """The lower folders of its overlay, the topmost first."""
        self.root = home / "root"
        """The root folder, as seen from the host."""

    # Commands

    def run(
        self,
        *words: str | Path,
        check: bool = True,
        env: dict[str, str] | None = None,
        input: str | None = None,  # noqa: A002 - named as in subprocess
        cwd: str = "/",
        user: str | None = None,
        timeout: float = 1800,
    ) -> CommandResult:
        """Run a command in the tree, as root unless a user is given.

        With `check`, raise Failed with its output if it fails.
        """
        process = self.start(*words, env=env, cwd=cwd, user=user)
        try:
            out, err = process.communicate(None if input is None else input.encode(), timeout)
        except BaseException:
            terminate(process)
            raise
        done = CommandResult(process.returncode, _text(out), _text(err))
        if check and done.status:
            line = " ".join(map(str, words))
            raise Failed(f"{line}: exit status {done.status}\n{done.output}")
        return done

    def run_long(self, what: str, *words: str | Path, cwd: str = "/") -> str:
        """Run a command that takes minutes, and report its progress."""
        log = self._home / "log"
        run_logged(what, self._wrapped(words, {}, cwd, None), log)
        return log.read_text(errors="replace")

    def start(
        self,
        *words: str | Path,
        env: dict[str, str] | None = None,
        cwd: str = "/",
        user: str | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command in the tree, with pipes; the caller must terminate it."""
        return subprocess.Popen(
            (*DEFAULT_SIGNALS, *root_prefix(), *self._wrapped(words, env or {}, cwd, user)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def _wrapped(
        self, words: tuple[str | Path, ...], env: dict[str, str], cwd: str, user: str | None
    ) -> tuple[str, ...]:
        """Return the command line that runs a command in the tree."""
        settings = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root" if user is None else "/",
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            "SSL_CERT_FILE": "/run/host/certificates.crt",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            **network_settings.proxies(),
            **env,
        }
        outside = self._write_host_settings()
        enter = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh")
        folders = (self.root, outside, cache_folder() / "fetched/pip", self._home / "apt")
        as_user = () if user is None else ("--as", user)
        inside = ("env", "-i", f"--chdir={cwd}", *(f"{k}={v}" for k, v in settings.items()))
        return tuple(map(str, (*enter, *folders, *as_user, *inside, *words)))

    def _write_host_settings(self) -> Path:
        folder = self._home / "outside"
        if not folder.exists():
            folder.mkdir()
            settings = network_settings.pip_settings("/run/host/certificates.crt")
            (folder / "pip.conf").write_text(settings)
            for file, source in (
                ("resolv.conf", Path("/etc/resolv.conf")),
                ("hosts", Path("/etc/hosts")),
                ("certificates.crt", network_settings.CERTIFICATES),
            ):
                (folder / file).write_bytes(source.read_bytes() if source.exists() else b"")
        return folder

    # Files

    def path(self, inside: str) -> Path:
        return self.root / inside.lstrip("/")

    def read(self, inside: str) -> str:
        return as_root("cat", self.path(inside)).decode()

    def write(self, inside: str, text: str, mode: str = "644") -> None:
        as_root("mkdir", "-p", self.path(inside).parent)
        as_root("tee", self.path(inside), stdin=text.encode())
        as_root("chmod", mode, self.path(inside))

    def exists(self, inside: str) -> bool:
        """Return True also for a dangling link."""
        path = str(self.path(inside))
        command = (*root_prefix(), "sh", "-c", 'test -e "$0" || test -L "$0"', path)
        return subprocess.run(command, check=False).returncode == 0

    def put_checkout(self, inside: str = "/root/tellerbox") -> str:
        """Copy this checkout, without ignored files, into the tree; return its path there."""
        git = ("git", "-C", str(CHECKOUT), "ls-files", "-z", "--cached", "--others")
        listed = subprocess.run((*git, "--exclude-standard"), capture_output=True, check=True)
        names = [name for name in listed.stdout.split(b"\0") if name]
        existing = [
            name for name in names if os.path.lexists(os.path.join(os.fsencode(CHECKOUT), name))
        ]
        packed = subprocess.run(
            ("tar", "-C", CHECKOUT, "--owner=0", "--group=0", "--null", "-T", "-", "-c"),
            input=b"\0".join(existing),
            capture_output=True,
            check=True,
        )
        as_root("mkdir", "-p", self.path(inside))
        as_root("tar", "-C", self.path(inside), "-x", stdin=packed.stdout)
        return inside

    # Copies

    @contextmanager
    def copy(self) -> Iterator["Tree"]:
        """Copy this copy; it must not change until the new one is closed."""
        with _copy_over((self._home / "upper", *self._below)) as tree:
            yield tree


@contextmanager
def fresh_copy() -> Iterator[Tree]:
    """Copy the tree as it was built; the copy is always removed at the end."""
    with _copy_over((built(),)) as tree:
        tree.write("/etc/apt/sources.list", network_settings.apt_sources(RELEASE))
        yield tree


@contextmanager
def _copy_over(below: tuple[Path, ...]) -> Iterator[Tree]:
    with temporary_folder() as home:
        _mount(home, below)
        _share_packages(cache_folder() / "fetched/apt", home / "apt")
        yield Tree(home, below)
        _share_packages(home / "apt", cache_folder() / "fetched/apt")


def _mount(home: Path, below: tuple[Path, ...]) -> None:
    """Mount an overlay; copy the files where overlays are not available."""
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
        # Without overlays the topmost lower folder is a complete copy.
        as_root("cp", "-a", "--reflink=auto", f"{below[0]}/.", home / "upper")
        as_root("rm", "-r", home / "root")
        (home / "root").symlink_to("upper")


def _share_packages(source: Path, target: Path) -> None:
    """Link the fetched packages; copies cannot share apt's folder, because apt locks it."""
    target.mkdir(exist_ok=True)
    as_root("find", source, "-name", "*.deb", "-exec", "ln", "-f", "-t", target, "{}", "+")


def _remove_abandoned(copies: Path) -> None:
    for home in copies.iterdir():
        try:
            with (home / "in-use").open("r") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(home)
        except OSError:
            continue  # in use, or being created


def _remove(home: Path) -> None:
    if os.path.ismount(home / "root"):
        as_root("umount", "--lazy", home / "root")
    as_root("rm", "-rf", "--one-file-system", home)


def terminate(process: subprocess.Popen[bytes]) -> None:
    """Terminate a command in a tree and all its children."""
    if process.poll() is None:
        # SIGHUP: sudo forwards it, and `unshare` does not block it.
        as_root("kill", "-HUP", str(process.pid))
    process.communicate()


def _text(printed: bytes) -> str:
    return printed.decode(errors="replace")


def main() -> int:
    """Build the tree; where that is impossible, report why and fail only in CI."""
    try:
        report(f"the arm64 tree is ready: {built()}")
    except Unavailable as reason:
        report(f"the arm64 tree is not available: {reason}")
        return 1 if os.environ.get("CI") else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
