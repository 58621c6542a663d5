"""Saved mails: whatever they hold, they are parsed in time that grows with their size, and their parts can be read."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage
from functools import cache

from analyzer.bundle.mail import MAX_PARTS, may_be_mail, parse_mail
from tests.fuzz.facts import repeat
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.target import Target

LOG = "2026-03-01 10:00:00 step 1 größer\n" * 20


@cache
def seeds() -> Sequence[bytes]:
    mails = []
    for encoding in ("quoted-printable", "base64", "8bit"):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "a@x.example", "b@x.example", "=?utf-8?q?job_g=C3=B6ne?="
        mail.set_content("see the attachments\n")
        mail.add_alternative("<html><pre>see</pre></html>", subtype="html")
        mail.add_attachment(LOG, subtype="plain", filename="train größe.log", cte=encoding)
        mail.add_attachment(b"\x1f\x8b" + bytes(200), maintype="application", subtype="gzip", filename="x.gz")
        mails.append(bytes(mail))
    forward = EmailMessage()
    forward["From"], forward["To"] = "c@x.example", "d@x.example"
    forward.set_content("forwarded\n")
    forward.add_attachment(mail)
    return [*mails, bytes(forward), mails[0].replace(b"\n", b"\r\n")]


def check(data: bytes) -> None:
    may_be_mail(data)
    entries = parse_mail(data) or []
    assert len(entries) <= 3 * MAX_PARTS
    for entry in entries:
        assert isinstance(entry.name, str) and (entry.reason or entry.stream)
        assert entry.stream is None or len(entry.stream.read()) == entry.size


TARGET = Target("mails", seeds, check, (respell, shuffle_lines, repeat))
