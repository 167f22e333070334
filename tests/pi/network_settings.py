"""How this machine reaches its package registries, so that a tree can go the same way.

All of it is read when it is used and nothing of it is kept in the tree: apt's sources,
pip's settings, the certificates, the name servers, the proxies.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlparse

from tests.pi.rights import Unavailable, as_root

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
PIP_KEYS = ("index-url", "extra-index-url", "trusted-host", "default-timeout", "timeout", "proxy")
"""What is carried over; a folder of this machine's own wheels is not for another machine."""


class Source(NamedTuple):
    """One line of an apt sources list."""

    uri: str
    suite: str

    def line(self) -> str:
        return f"deb [signed-by={KEYRING}] {self.uri} {self.suite} main\n"


def apt_sources(release: str) -> str:
    """The sources list of a Debian release, from where this machine gets its own packages."""
    known = _debian_sources()
    if not known:
        as_root("apt-get", "update", "-q")
        known = _debian_sources()
    own = [source for source in known if source.suite.partition("-")[0] == release]
    lines = [source.line() for source in own or [_renamed(source, release) for source in known]]
    if not lines:
        raise Unavailable("apt on this machine has no source of Debian's own packages")
    return "".join(dict.fromkeys(lines))


def _debian_sources() -> list[Source]:
    form = "$(CREATED_BY)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"
    listed = subprocess.run(
        ("apt-get", "indextargets", "--format", form), capture_output=True, text=True, check=False
    )
    rows = [line.split("|") for line in listed.stdout.splitlines()]
    wanted = [row for row in rows if row[0] == "Packages" and row[3:] == ["main", "Debian"]]
    return [Source(uri, suite) for _, uri, suite, *_ in wanted]


def _renamed(source: Source, release: str) -> Source:
    _, dash, pocket = source.suite.partition("-")
    return source._replace(suite=release + dash + pocket)


def pip_settings(certificates: str) -> str:
    """A pip.conf with this machine's index and the certificates at that path."""
    listed = subprocess.run(
        (sys.executable, "-m", "pip", "config", "list"), capture_output=True, text=True, check=False
    )
    pairs = re.findall(r"^(?:global|:env:)\.([\w-]+)='(.*)'$", listed.stdout, re.MULTILINE)
    lines = {f"{key} = {_remote(key, value)}" for key, value in pairs if key in PIP_KEYS}
    kept = sorted(line for line in lines if not line.endswith("= "))
    return "\n".join(["[global]", f"cert = {certificates}", *kept, ""])


def _remote(key: str, value: str) -> str:
    if not key.endswith("index-url"):
        return value
    return " ".join(url for url in value.split() if urlparse(url).scheme in ("http", "https"))


def proxies() -> dict[str, str]:
    return {name: os.environ[name] for name in PROXIES if name in os.environ}
