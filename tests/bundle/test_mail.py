"""A saved mail is read like an archive of its parts."""

from __future__ import annotations

import io
import tarfile
import time
from email.message import EmailMessage
from pathlib import Path

import pytest

from analyzer.bundle import open_bundle
from analyzer.bundle.mail import parse_mail
from analyzer.bundle.types import Loss, Member

LOG = "2026-03-01 10:00:00 größer = größer\n" * 40


def read(path: Path) -> dict[str, bytes | str]:
    return {
        item.path: item.stream.read() if isinstance(item, Member) else item.reason
        for item in open_bundle([path])
        if isinstance(item, Member | Loss)
    }


def packed() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        member = tarfile.TarInfo("n1/train.log")
        member.size = len(LOG.encode())
        tar.addfile(member, io.BytesIO(LOG.encode()))
    return buffer.getvalue()


def mail(cte: str = "quoted-printable") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@x.example", "b@x.example", "job died"
    message.set_content("see the attachments\n")
    message.add_attachment(LOG, subtype="plain", filename="train größe.log", cte=cte)
    message.add_attachment(packed(), maintype="application", subtype="gzip", filename="logs.tar.gz")
    return message


@pytest.mark.parametrize("cte", ["quoted-printable", "base64", "8bit"])
def test_attachments_are_decoded_and_archives_opened(cte: str, tmp_path: Path) -> None:
    (tmp_path / "m.eml").write_bytes(bytes(mail(cte)))
    parts = read(tmp_path / "m.eml")
    assert sorted(path.rpartition("m.eml/")[2] for path in parts) == [
        "logs.tar.gz/n1/train.log",
        "part-2.txt",
        "train größe.log",
    ]
    assert [text.decode() for text in parts.values() if isinstance(text, bytes)].count(LOG) == 2


def test_the_mails_of_a_mailbox_are_decoded(tmp_path: Path) -> None:
    plain = EmailMessage()
    plain["From"] = plain["To"] = "c@x.example"
    plain.set_content("From here on it hangs\nsee below\n")
    box = b"".join(
        b"From a@x.example Tue Nov 17 23:51:02 2026\n" + bytes(message) + b"\n" for message in (mail(), plain)
    )
    (tmp_path / "m.mbox").write_bytes(box)
    parts = {path.rpartition("m.mbox/")[2]: text for path, text in read(tmp_path / "m.mbox").items()}
    assert sorted(parts) == ["logs.tar.gz/n1/train.log", "part-1.2.txt", "part-2.1.txt", "train größe.log"]
    assert parts["part-2.1.txt"] == b"From here on it hangs\nsee below\n\n"


def test_a_mailbox_of_plain_mails_is_one_text(tmp_path: Path) -> None:
    text = b"From a@x.example Tue Nov 17 23:51:02 2026\nFrom: a@x.example\n\nstep 1\n" * 2
    (tmp_path / "m.mbox").write_bytes(text)
    assert list(read(tmp_path / "m.mbox").values()) == [text]


def test_what_cannot_be_parsed_is_read_as_text(tmp_path: Path) -> None:
    text = bytes(mail()).replace(b"\n\n", b"\nX-More: " + b"boundary=" * 99 + b"\n\n", 1)
    (tmp_path / "m.eml").write_bytes(text)
    assert list(read(tmp_path / "m.eml").values()) == [text]


@pytest.mark.parametrize("text", ["From: a\n\nplain\n", "Subject: x\nFrom: y\n\nMIME-Version: 1.0\n", "step 1\n"])
def test_other_text_is_left_alone(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.eml").write_text(text)
    assert list(read(tmp_path / "m.eml").values()) == [text.encode()]


TEXT = b"From: a\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n"
PARTS = b"From: a\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n"


@pytest.mark.parametrize(
    ("head", "unit", "tail"),
    [
        (PARTS + b'\n--b\nContent-Disposition: attachment; filename="', b"=?utf-8?q?x?= ", b'"\n\nx\n--b--\n'),
        (TEXT + b"Content-Type: text/plain", b";", b"\n\nQUFB\n"),
        (TEXT + b"Content-Type: text/plain", b"; a=b", b"\n\nQUFB\n"),
        (TEXT + b"Content-Type: text/plain", b"; name*0=b", b"\n\nQUFB\n"),
        (TEXT + b"Content-Disposition: attachment", b';a="', b"\n\nQUFB\n"),
        (TEXT + b"X-More: a\n", b" a\n", b"\n\nQUFB\n"),
        (TEXT, b"X-More: a\n", b"\n\nQUFB\n"),
        (PARTS + b"\n", b"--b\nX: y\n", b"--b--\n"),
        (PARTS + b"\n", b"--b\nContent-Type: text/plain;;;;;;;;;;;;\n\nx\n", b""),
    ],
)
def test_a_mail_takes_linear_time(head: bytes, unit: bytes, tail: bytes) -> None:
    def cost(size: int) -> float:
        text = head + unit * (size // len(unit)) + tail
        began = time.process_time()
        parse_mail(text)
        return time.process_time() - began

    short, long = (min(cost(size) for _ in range(3)) for size in (100_000, 400_000))
    assert long < 0.02 or long < 8 * short, (short, long)


@pytest.mark.parametrize(
    "body", [b"--b\nX: y\n" * 2_000, b"--b\n\n" + b"\n" * (3 << 20), b"--b\n\n" + b"\r" * (3 << 20)]
)
def test_what_would_be_too_many_objects_is_read_as_text(body: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.eml").write_bytes(PARTS + b"\n" + body)
    assert list(read(tmp_path / "m.eml").values()) == [PARTS + b"\n" + body]


def test_what_stands_beside_the_parts_is_read(tmp_path: Path) -> None:
    (tmp_path / "m.eml").write_bytes(PARTS + b"\nThis is a multi-part message\n--b\n\nx\n--b--\n" + LOG.encode())
    assert list(read(tmp_path / "m.eml").values()) == [LOG.encode(), b"x"]
    (tmp_path / "m.eml").write_bytes(PARTS + b"\n" + LOG.encode() + b"--b\n\nx\n--b--\n")
    assert [LOG.encode().strip() in text for text in read(tmp_path / "m.eml").values()] == [True, False]
