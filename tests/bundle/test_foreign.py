"""What is packed or recorded in a form that is not read is called by its name, and costs nothing beside it."""

from __future__ import annotations

import io
import lzma
import re
import shutil
import sqlite3
import subprocess
import zipfile
from pathlib import Path

import pytest
from command_line import call_for_text

from analyzer.bundle.unsupported import HEAD_BYTES, UNSUPPORTED_FORMATS, describe_unsupported
from analyzer.errors import InputError
from analyzer.pipeline import analyze
from tests.bundle.packing import pack_tar, pack_zip, write

ROOT = Path(__file__).parents[2]
LINE = b"2026-03-01 10:00:00.000001: E tensorflow/core/a.cc:1] boom\n"
NOISE = bytes(range(256)) * 40
# Heads as the formats' own descriptions, or file(1), have them.
HEADS = {
    "7z data": b"7z\xbc\xaf\x27\x1c\0\4",
    "RAR data": b"Rar!\x1a\x07\x01\0",
    "an RPM package": b"\xed\xab\xee\xdb\3\0\0\0\0\1package",
    "a Debian package": b"!<arch>\ndebian-binary   1700000000  0     0     100644  4         `\n2.0\n",
    "an ar archive": b"!<arch>\nw.log/          1700000000  0     0     100644  59        `\n",
    "a cpio archive": b"070701" + b"0000A1B2" * 13 + b"w.log\0",
    "a cpio archive (binary)": b"\xc7\x71\0\1",
    "cabinet data": b"MSCF\0\0\0\0\x2c\1",
    "LHA data": b"\x21\x9f-lh5-\x10\0\0\0",
    "lzip data": b"LZIP\x01\x0c",
    "lrzip data": b"LRZI\0\6",
    "lzop data": b"\x89LZO\0\r\n\x1a\n\x10\x40",
    "compress data (.Z)": b"\x1f\x9d\x90",
    "Snappy data": b"\xff\x06\0\0sNaPpY\0",
    "a SquashFS image": b"hsqs\7\0\0\0",
    "an ISO 9660 image": bytes(32769) + b"CD001\1\0",
    "an Apple disk image": b"\x78\x01\x73\x0d\x62\x62\x60\x60",
    "a QEMU disk image (qcow)": b"QFI\xfb\0\0\0\3",
    "a VMware disk image": b"KDMV\1\0\0\0",
    "an image of a whole disk": bytes(512) + b"EFI PART\0\0\1\0",
    "an image of a file system": bytes(1080) + b"\x53\xef\1\0",
    "a LUKS volume": b"LUKS\xba\xbe\0\2",
    "a PGP message": b"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n",
    "a systemd journal": b"LPKSHHRH\0\0\0\0",
    "sysstat records": b"\x96\xd5\x75\x21\x0c",
    "captured packets (pcap)": b"\xd4\xc3\xb2\xa1\2\0\4\0",
    "a Windows event log": b"ElfFile\0\0\0",
    "an SQLite database": b"SQLite format 3\0\x10\0",
    "TensorBoard events": b"\x18\0\0\0\0\0\0\0\xa3\x7fK\x22\x09\0\0\xc0\x11\x22\x33\xda\x41\x1a\x0dbrain.Event:2",
    "a kernel's dump (kdump)": b"KDUMP   \6\0\0\0",
    "an HDF5 file": b"\x89HDF\r\n\x1a\n\0",
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "a Windows program": b"MZ\x90\0\3\0",
}


@pytest.mark.parametrize("name", HEADS)
def test_a_kind_that_is_not_read_is_named_with_what_to_do(name: str, tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(HEADS[name] + NOISE)
    (tmp_path / "w.log").write_bytes(LINE)
    sources = {source.file: source for source in analyze([tmp_path]).sources}
    assert sources["packed"].status == "not-understood"
    assert (sources["packed"].problem or "").startswith(f"{name}, which is not supported: ")
    assert sources["w.log"].status == "read"


def test_compressed_data_is_named_by_its_content_or_its_name(tmp_path: Path) -> None:
    (tmp_path / "old.lzma").write_bytes(lzma.compress(LINE + NOISE, lzma.FORMAT_ALONE))
    (tmp_path / "w.log.br").write_bytes(b"\x1b\x3a\0\xf8" + NOISE)
    (tmp_path / "text.br").write_bytes(LINE)
    sources = {source.file: source for source in analyze([tmp_path]).sources}
    assert (sources["old.lzma"].problem or "").startswith("LZMA ")
    assert (sources["w.log.br"].problem or "").startswith("brotli ")
    assert sources["text.br"].status == "read"


@pytest.mark.parametrize("kind", UNSUPPORTED_FORMATS, ids=lambda kind: kind.name)
def test_no_log_is_taken_for_another_kind(kind: object, tmp_path: Path) -> None:
    """A log may begin with the letters of a weak mark, and what it says of formats is no format."""
    words = [b"LRZI", b"MZ", b"hsqs", b"xar!", b"KDMV", b"PAR1", b"SIT!", b"koly", b"GIF89a", b"bvx2", b"070707", b"7z"]
    for word in words:
        assert describe_unsupported(word + b" of the day\n" + LINE * 40, "w.log", is_text=True) is None
    assert re.compile(kind.magic).groups == 0  # type: ignore[attr-defined]  # each has one of the whole pattern's


def test_every_head_is_found_within_what_is_looked_at() -> None:
    for name, head in HEADS.items():
        description = describe_unsupported((head + NOISE)[:HEAD_BYTES], "x", is_text=False)
        assert description and description.startswith(name), (name, description)


def test_an_input_of_nothing_else_is_told_with_exit_status_3(tmp_path: Path) -> None:
    file = write(tmp_path / "incident.7z", HEADS["7z data"] + NOISE)
    result = call_for_text("analyze", file)
    assert (result.returncode, result.stdout) == (3, "")
    assert "incident.7z: 7z data, which is not supported: unpack it into an empty folder: `7z x FILE`" in result.stderr
    with pytest.raises(InputError, match=r"a\.rpm: an RPM package[^\n]*rpm2cpio[^\n]*\nb\.journal: a systemd journal"):
        write(tmp_path / "all/a.rpm", HEADS["an RPM package"] + NOISE)
        write(tmp_path / "all/b.journal", HEADS["a systemd journal"] + NOISE)
        analyze([tmp_path / "all"])


def test_the_terminal_says_what_to_do_with_one_among_logs(tmp_path: Path) -> None:
    write(tmp_path / "system.journal", HEADS["a systemd journal"] + NOISE)
    write(tmp_path / "w.log", LINE)
    result = call_for_text("analyze", tmp_path)
    assert "journalctl --file FILE -o short-iso-precise" in " ".join(result.stdout.split())


@pytest.mark.skipif(not shutil.which("ar"), reason="no ar")
def test_what_the_tools_themselves_write_is_known(tmp_path: Path) -> None:
    write(tmp_path / "w.log", LINE)
    subprocess.run(["ar", "rc", tmp_path / "x.a", tmp_path / "w.log"], check=True)
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE lines (text)")
    connection.commit()
    connection.close()
    problems = {source.file: source.problem or "" for source in analyze([tmp_path]).sources}
    assert problems["x.a"].startswith("an ar archive") and problems["x.db"].startswith("an SQLite database")


STUBS = {
    "program": b"MZ\x90\0\3\0" + NOISE,
    "script": b'#!/bin/sh\nexec unzip "$0"\n',
    "elf": b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\x3e\0" + NOISE,
}


def adjusted(stub: bytes) -> bytes:
    """As `zip -A` leaves it: offsets count from the stub's beginning."""
    out = io.BytesIO(stub)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("n/w.log", LINE)
    return out.getvalue()


@pytest.mark.parametrize("name", STUBS)
@pytest.mark.parametrize("offsets", ["own", "adjusted"])
@pytest.mark.parametrize("place", ["input", "folder", "tar"])
def test_a_zip_that_unpacks_itself_is_read(name: str, offsets: str, place: str, tmp_path: Path) -> None:
    stub = STUBS[name]
    data = adjusted(stub) if offsets == "adjusted" else stub + pack_zip({"n/w.log": LINE})
    given = write(tmp_path / "in/sfx.exe", data)
    if place == "tar":
        given = write(tmp_path / "in.tar", pack_tar({"sfx.exe": data}))
    sources = {source.file: source for source in analyze([given.parent if place == "folder" else given]).sources}
    [log] = [source for file, source in sources.items() if file.endswith("n/w.log")]
    assert (log.status, log.lines) == ("read", 1)
    behind = [source.problem or "" for file, source in sources.items() if not file.endswith("n/w.log")]
    assert f"{len(stub):,} bytes of the archive belong to no member" in behind
    assert any("binary file" in problem for problem in behind) is (name == "elf" and place != "tar")


@pytest.mark.parametrize(
    "data",
    [
        STUBS["script"] + LINE * 9,
        STUBS["script"] + LINE + b"PK\5\6" + bytes(18),
        STUBS["script"] + LINE + pack_zip({"n/w.log": LINE})[:-30],
        STUBS["script"] + LINE + b"PK\5\6" + b"\1\0" * 4 + b"\x2e\0\0\0" + bytes(6),
    ],
    ids=["plain", "empty directory", "cut", "no directory"],
)
def test_a_script_without_a_sound_zip_stays_what_it_is(data: bytes, tmp_path: Path) -> None:
    write(tmp_path / "run.sh", data)
    write(tmp_path / "w.log", LINE)
    assert sorted(source.file for source in analyze([tmp_path]).sources) == ["run.sh", "w.log"]


def test_a_core_is_no_zip_whatever_stands_at_its_end(tmp_path: Path) -> None:
    from tests.bundle.packing import read_all

    core = b"\x7fELF\2\1\1" + bytes(9) + b"\4\0\x3e\0" + NOISE
    good, _, _ = read_all(write(tmp_path / "core", core + pack_zip({"w.log": LINE})))
    assert list(good) == ["core"]
