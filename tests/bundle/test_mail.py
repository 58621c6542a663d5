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
    box = b"".join(b"From a@x.example Tue Nov 17 23:51:02 2026\n" + bytes(each) + b"\n" for each in (mail(), plain))
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


def test_a_name_of_many_encoded_words_takes_linear_time() -> None:
    def cost(words: int) -> float:
        name = b"=?utf-8?q?x?= " * words
        head = b"From: a\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        text = head + b'Content-Disposition: attachment; filename="' + name + b'"\n\nx\n--b--\n'
        began = time.process_time()
        assert parse_mail(text) is not None
        return time.process_time() - began

    assert min(cost(80_000) for _ in range(3)) < 8 * min(cost(20_000) for _ in range(3))
