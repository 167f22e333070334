"""Fuzzes the panel's code form: any charset, headers and body, in an otherwise valid request.

The first line of an input is the charset, the lines up to an empty one are more headers, and the
rest is the body.
"""

from tests.campaign.fuzz import panel_http

LONGEST = 3_000
WORDS = (
    b"utf-8", b"utf-7", b"utf-16", b"unicode_escape", b"idna", b"punycode", b"hex", b"zip", b"\x00",
    b"code=", b"&", b"%", b"%ED%A0%80", b"+2AA-", b"\\ud800", b"\xed\xa0\x80", b"123456", b"\n",
    b"Content-Encoding: deflate\n", b"Content-Encoding: gzip\n", b"Cookie: tellerbox=x\n",
    b"Expect: 100-continue\n", b"Connection: close\n", b"X-Forwarded-For: 192.0.2.7\n",
    b"Content-Type: text/plain\n", b"Origin: http://localhost\n",
)  # fmt: skip
HEAD = (
    b"POST /code HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded; charset="
)


def fuzz_one(data: bytes) -> None:
    head, _, body = data.partition(b"\n\n")
    length = b"Content-Length: %d" % len(body)
    lines = [*head.split(b"\n"), length]
    panel_http.check([HEAD + b"\r\n".join(lines) + b"\r\n\r\n" + body])
