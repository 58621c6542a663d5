"""A mail as it is saved (`.eml`, RFC 5322 and 2045): its text and its attachments are read like members of an archive.

Only a mail with parts or with an encoding needs that; any other is plain text. The bodies are decoded from base64 or
quoted-printable, so that an attached archive is opened as one. A mailbox (`.mbox`, RFC 4155) with such a mail is opened
in the same way: its mails begin at lines `From SENDER DATE`.
"""

from __future__ import annotations

import email
import email.errors
import io
import re
from collections.abc import Iterator, Sequence
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32, Policy

from analyzer.bundle.archive import ArchiveEntry
from analyzer.bundle.stream import ForwardStream

MAIL_HEAD_BYTES = 16 << 10
MAX_MAIL_BYTES = 64 << 20
MAX_MAIL_LINES = 2 << 20  # each becomes a string: an attachment of the largest mail has a million
MAX_PARTS = 1_000  # each becomes an object and a source
MAX_HEADER_CHARS = 2_000  # of a header: parameters and encoded words are decoded in quadratic time
MAX_BOUNDARIES = 32  # of nested parts: the parser looks for each of them on every line
MIN_BESIDE_CHARS = 200  # before the first part or behind the last; shorter ones say "This is a multi-part message"
_match_header = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|MIME-Version|X-[\w-]{1,60}): "
).match
_SEPARATOR = rb"From \S{1,320} [^\r\n]{8,60}\d{4}[^\r\n]{0,8}\r?\n"
_match_separator = re.compile(_SEPARATOR).match
_find_separators = re.compile(rb"^" + _SEPARATOR, re.M).finditer
_is_encoded = re.compile(
    rb"^(?:Content-Type:\s{0,8}multipart/|Content-Transfer-Encoding:\s{0,8}(?:base64|quoted-printable))", re.I | re.M
).search


def may_be_mail(head: bytes) -> bool:
    """Return whether a file with this head is a mail to be decoded, or a mailbox. MAIL_HEAD_BYTES are enough."""
    if first := _match_separator(head):
        return _match_header(head, first.end()) is not None
    return _is_encoded_mail(head)


def _is_encoded_mail(head: bytes) -> bool:
    headers = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return _match_header(headers) is not None and b"\nFrom: " in b"\n" + headers and _is_encoded(headers) is not None


def parse_mail(data: bytes) -> list[ArchiveEntry] | None:
    """Return the texts and the attachments of a mail or of the mails of a mailbox.

    None if one cannot be parsed, or if no mail of a mailbox has to be decoded: then all of it has to be read as text.
    """
    mails = _split_mailbox(data) if _match_separator(data) else [data]
    if not any(_is_encoded_mail(mail[:MAIL_HEAD_BYTES]) for mail in mails):
        return None
    if data.count(b"\n") + data.count(b"\r") > MAX_MAIL_LINES:
        return None
    if any(mail.count(b"boundary=") > MAX_BOUNDARIES for mail in mails):
        return None
    make_message = _MessageFactory()
    entries: list[ArchiveEntry] = []
    try:
        for number, mail in enumerate(mails, 1):
            # The factory makes one message for each part.
            message = email.message_from_bytes(mail, _class=make_message, policy=_ShortHeaders())  # type: ignore[arg-type]
            entries += _entries_of(list(message.walk()), f"{number}." if len(mails) > 1 else "")
    except (RecursionError, ValueError, LookupError, email.errors.MessageError):
        return None
    return entries


def _split_mailbox(data: bytes) -> list[bytes]:
    """Return the mails without the lines that separate them."""
    starts = [match for match in _find_separators(data) if _match_header(data, match.end())]
    ends = [match.start() for match in starts[1:]] + [len(data)]
    return [data[match.end() : end] for match, end in zip(starts, ends, strict=True)]


class _ShortHeaders(Compat32):
    """Cut the headers while they are read: the parser itself looks at their parameters."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MAX_HEADER_CHARS]


class _MessageFactory:
    """Make the parts of all mails of a file. Raises MessageError beyond MAX_PARTS."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self, policy: Policy[Message]) -> Message:
        self._made += 1
        if self._made > MAX_PARTS:
            raise email.errors.MessageError(f"more than {MAX_PARTS} parts")
        return Message(policy)


def _entries_of(parts: Sequence[Message], prefix: str) -> Iterator[ArchiveEntry]:
    """Yield the parts of a mail. `prefix` is the mail's number in its mailbox, for the names of texts."""
    has_plain_text = any(part.get_content_type() == "text/plain" and not _filename(part) for part in parts)
    for number, part in enumerate(parts, 1):
        for beside, text in (("before", part.preamble), ("behind", part.epilogue)):
            if text and len(text.strip()) > MIN_BESIDE_CHARS:
                yield _entry(f"part-{prefix}{number}-{beside}.txt", text.encode("ascii", "surrogateescape"))
        if part.is_multipart():
            continue
        name, kind = _filename(part), part.get_content_type()
        if kind == "text/html" and not name and has_plain_text:
            reason = "its text is in another part of the mail"
            yield ArchiveEntry(name=f"part-{prefix}{number}.html", size=None, mtime=None, stream=None, reason=reason)
            continue
        body = part.get_payload(decode=True)
        if isinstance(body, bytes):
            yield _entry(name or f"part-{prefix}{number}.txt", body)


def _entry(name: str, body: bytes) -> ArchiveEntry:
    return ArchiveEntry(name=name, size=len(body), mtime=None, stream=ForwardStream(io.BytesIO(body).read))


def _filename(part: Message) -> str:
    name = part.get_filename() or ""
    try:
        return str(make_header(decode_header(name)))
    except (email.errors.HeaderParseError, LookupError, UnicodeError):
        return name
