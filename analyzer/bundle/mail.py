"""A mail as it is saved (`.eml`, RFC 5322 and 2045): its text and its attachments are read like members of an archive.

Only a mail with parts or with an encoding needs that; any other is plain text. The bodies are decoded from base64 or
quoted-printable, so that an attached archive is opened as one.
"""

from __future__ import annotations

import email
import email.errors
import io
import re
from collections.abc import Iterator, Sequence
from email.header import decode_header, make_header
from email.message import Message

from analyzer.bundle.archive import ArchiveEntry
from analyzer.bundle.stream import ForwardStream

MAIL_HEAD_BYTES = 16 << 10
MAX_MAIL_BYTES = 64 << 20
MAX_NAME_CHARS = 2_000  # of an attachment's name: decoding it takes quadratic time
MAX_BOUNDARIES = 32  # of nested parts: the parser looks for each of them on every line
_match_header = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|MIME-Version|X-[\w-]{1,60}): "
).match
_is_encoded = re.compile(
    rb"^(?:Content-Type:\s{0,8}multipart/|Content-Transfer-Encoding:\s{0,8}(?:base64|quoted-printable))", re.I | re.M
).search


def is_mail(head: bytes) -> bool:
    """Return whether a file with this head is a mail that has to be decoded. MAIL_HEAD_BYTES are enough."""
    headers = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return _match_header(headers) is not None and b"\nFrom: " in b"\n" + headers and _is_encoded(headers) is not None


def parse_mail(data: bytes) -> list[ArchiveEntry] | None:
    """Return the text and the attachments of a mail; None if it cannot be parsed, so that it has to be read as text."""
    if data.count(b"boundary=") > MAX_BOUNDARIES:
        return None
    try:
        return list(_entries_of(list(email.message_from_bytes(data).walk())))
    except (RecursionError, ValueError, LookupError, email.errors.MessageError):
        return None


def _entries_of(parts: Sequence[Message]) -> Iterator[ArchiveEntry]:
    has_plain_text = any(part.get_content_type() == "text/plain" and not _filename(part) for part in parts)
    for number, part in enumerate(parts, 1):
        if part.is_multipart():
            continue
        name, kind = _filename(part), part.get_content_type()
        if kind == "text/html" and not name and has_plain_text:
            reason = "its text is in another part of the mail"
            yield ArchiveEntry(name=f"part-{number}.html", size=None, mtime=None, stream=None, reason=reason)
            continue
        body = part.get_payload(decode=True)
        if isinstance(body, bytes):
            stream = ForwardStream(io.BytesIO(body).read)
            yield ArchiveEntry(name=name or f"part-{number}.txt", size=len(body), mtime=None, stream=stream)


def _filename(part: Message) -> str:
    name = (part.get_filename() or "")[:MAX_NAME_CHARS]
    try:
        return str(make_header(decode_header(name)))
    except (email.errors.HeaderParseError, LookupError, UnicodeError):
        return name
