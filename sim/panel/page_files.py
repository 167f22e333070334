"""Answers requests for the files of the page.

A file is read into memory, and sent from there: they are small, and ``sendfile``, which aiohttp
would use, fails with an error of asyncio's own if the connection is closed while it waits.
"""

from pathlib import Path
from zlib import crc32

from aiohttp import web

PAGE = Path(__file__).parent / "page"
CONTENT_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


def content_of(name: str) -> bytes | None:
    """The content of a file of the page; None if there is no such file."""
    found = {file.name: file for file in PAGE.iterdir() if file.suffix in CONTENT_TYPES}
    return found[name].read_bytes() if name in found else None


def answer(request: web.Request, name: str, content: bytes) -> web.Response:
    """The file, or 304 if the browser has it already."""
    etag = f"{crc32(content):08x}-{len(content):x}"
    known = request.if_none_match or ()
    if any(each.value in (etag, "*") for each in known):
        response = web.Response(status=304)
    else:
        content_type = CONTENT_TYPES[Path(name).suffix]
        response = web.Response(body=content, content_type=content_type, charset="utf-8")
    response.etag = etag
    return response
