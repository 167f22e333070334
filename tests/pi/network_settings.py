"""The host's network settings for a tree: apt sources, pip index, certificates, proxies.

They are read when they are used, and are not stored in the tree.
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
"""The settings that are copied; a local folder of wheels is of no use in the tree."""


class Source(NamedTuple):
    """One line of an apt sources list."""

    uri: str
    suite: str

    def line(self) -> str:
        return f"deb [signed-by={KEYRING}] {self.uri} {self.suite} main\n"


def apt_sources(release: str) -> str:
    """Return the sources list of a Debian release, from the mirrors of this machine."""
    known = _debian_sources()
    if not known:
        as_root("apt-get", "update", "-q")
        known = _debian_sources()
    own = [source for source in known if source.suite.partition("-")[0] == release]
    lines = [source.line() for source in own or [_renamed(source, release) for source in known]]
    if not lines:
        raise Unavailable("apt on this machine has no Debian sources")
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
    """Return a pip.conf with this machine's index and the given certificates."""
    listed = subprocess.run(
        (sys.executable, "-m", "pip", "config", "list"), capture_output=True, text=True, check=False
    )
    pairs = re.findall(r"^(?:global|:env:)\.([\w-]+)='(.*)'$", listed.stdout, re.MULTILINE)
    lines = {f"{key} = {_remote(key, value)}" for key, value in pairs if key in PIP_KEYS}
    kept = sorted(line for line in lines if not line.endswith("= "))
    return "\n".join(["[global]", f"cert = {certificates}", *kept, ""])


def _remote(key: str, value: str) -> str:
    """Drop the URLs of an index that are not remote."""
    if not key.endswith("index-url"):
        return value
    return " ".join(url for url in value.split() if urlparse(url).scheme in ("http", "https"))


def proxies() -> dict[str, str]:
    return {name: os.environ[name] for name in PROXIES if name in os.environ}
