"""The environment of the installer and of every program that it runs as root.

The caller's settings may be those of an ordinary user, as with ``sudo -E``: a folder for temporary
files, a pip.conf, search paths. None of them may decide what root runs or where it writes.
"""

import os
import pwd
from collections.abc import Mapping

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PROXIES = {"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"}
_KEPT = {
    *_PROXIES,
    *(name.upper() for name in _PROXIES),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("LANG", "LANGUAGE", "TERM"),
}


def apply() -> None:
    """Replace the environment and the working folder, which Python would search for modules."""
    cleaned = clean(os.environ)
    os.environ.clear()
    os.environ.update(cleaned)
    os.chdir("/")
    # The service must be able to read what root installs.
    os.umask(0o022)


def clean(given: Mapping[str, str]) -> dict[str, str]:
    kept = {name: given[name] for name in given if name in _KEPT or name.startswith("LC_")}
    return {**kept, "PATH": PATH, "HOME": pwd.getpwuid(os.geteuid()).pw_dir}
