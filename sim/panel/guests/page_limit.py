"""Decides which page makes room for another one when too many are open.

A guest is a visitor with a token of its own, or without codes an address (``client_address``). The
guest with the most pages gives one up, the one that it has used least recently; a page that leaves
heartbeats unanswered goes first. The new page counts: who has the most pages, together with
others, replaces one of its own. So

- whoever reloads a page replaces an old page of its own, or one of somebody who has more;
- a guest who opens many pages takes no page from others who have fewer;
- the only page of a guest is replaced only if all guests have one page, the new one is that of
  another guest, and it has not been used for a minute.

If nothing can be replaced, the new page is refused, and tries again.
"""

from collections import Counter
from collections.abc import Collection
from typing import Protocol, TypeVar

MAX_PAGES = 20
RECENTLY = 60.0
"""Seconds; a page that was used since then is not a stranger's to replace."""
SILENT = 2
"""Unanswered heartbeats."""


class OpenPage(Protocol):
    @property
    def guest(self) -> str: ...

    @property
    def used_at(self) -> float:
        """When it was opened, or last did something; in seconds."""

    @property
    def unanswered(self) -> int:
        """Heartbeats."""


Page = TypeVar("Page", bound=OpenPage)


def page_to_replace(pages: Collection[Page], guest: str, now: float) -> Page | None:
    """The page that makes room for a new one of this guest; None if there is none."""
    held = Counter([guest, *(page.guest for page in pages)])
    most = max(held.values())
    if most == 1:
        found = [page for page in pages if _is_silent(page) or now - page.used_at > RECENTLY]
    elif held[guest] == most:
        found = [page for page in pages if page.guest == guest]
    else:
        found = [page for page in pages if held[page.guest] == most]
    return min(found, key=lambda page: (not _is_silent(page), page.used_at), default=None)


def _is_silent(page: OpenPage) -> bool:
    return page.unanswered >= SILENT
