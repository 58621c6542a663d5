"""Formats that are recognized by their first bytes and not read: the report names each, with the command that makes it
readable.

They are not read here because no well-kept Python binding of libarchive has the library in its wheel; py7zr is LGPL and
brings nine compiled packages; and both unpack to disk, while this program reads streams under limits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

HEAD_BYTES = 33 << 10  # how much of a file is looked at: ISO 9660 begins at 32 KiB
UNPACK = "unpack it into an empty folder"
DECOMPRESS = "decompress it"
CONVERT_TO_TEXT = "write it as text"
# guestfish uses a virtual machine: a kernel trusts the file systems that it mounts.
COPY_LOGS = "extract its logs: `guestfish --ro -a FILE -i tar-out /var/log logs.tar`"
COPY_FILES = "extract its files: `guestfish --ro -a FILE -m /dev/sda tar-out / files.tar`"


@dataclass(frozen=True, slots=True)
class UnsupportedFormat:
    """A format that this program does not read.

    `magic`: a pattern of bytes at the beginning, as in file(1); empty if only the name's `suffix` shows the format.
    `is_weak`: a log may begin like this, so the bytes that follow must be binary, too.
    """

    name: str
    magic: bytes
    advice: str
    is_weak: bool = False
    suffix: str = ""


UNSUPPORTED_FORMATS: Sequence[UnsupportedFormat] = (
    # Archives
    UnsupportedFormat("7z data", rb"7z\xbc\xaf\x27\x1c", f"{UNPACK}: `7z x FILE`"),
    UnsupportedFormat("RAR data", rb"Rar!\x1a\x07", f"{UNPACK}: `unrar x FILE` or `bsdtar -xf FILE`"),
    UnsupportedFormat(
        "an RPM package", rb"\xed\xab\xee\xdb", f"{UNPACK}: `rpm2cpio FILE | cpio -id --no-absolute-filenames`"
    ),
    UnsupportedFormat("a Debian package", rb"!<arch>\ndebian", f"{UNPACK}: `dpkg-deb -x FILE .`"),
    UnsupportedFormat("an ar archive", rb"!<(?:arch|thin)>\n", f"{UNPACK}: `bsdtar -xf FILE`"),
    UnsupportedFormat(
        "a cpio archive",
        rb"07070[12][0-9A-Fa-f]{104}|070707[0-7]{70}",
        f"{UNPACK}: `cpio -id --no-absolute-filenames < FILE`",
    ),
    UnsupportedFormat(
        "a cpio archive (binary)",
        rb"\xc7\x71|\x71\xc7",
        f"{UNPACK}: `cpio -id --no-absolute-filenames < FILE`",
        is_weak=True,
    ),
    UnsupportedFormat("cabinet data", rb"MSCF\0\0\0\0", f"{UNPACK}: `cabextract FILE`"),
    UnsupportedFormat("InstallShield data", rb"ISc\(", f"{UNPACK}: `unshield x FILE`", is_weak=True),
    UnsupportedFormat("LHA data", rb"(?s:..)-l[hz][0-9ds]-", f"{UNPACK}: `bsdtar -xf FILE`", is_weak=True),
    UnsupportedFormat("ARJ data", rb"\x60\xea", f"{UNPACK}: `7z x FILE`", is_weak=True),
    UnsupportedFormat("ACE data", rb"(?s:.{7})\*\*ACE\*\*", f"{UNPACK}: `unace x FILE`", is_weak=True),
    UnsupportedFormat("zoo data", rb"ZOO \d\.\d\d Archive", f"{UNPACK}: `zoo x FILE`", is_weak=True),
    UnsupportedFormat("StuffIt data", rb"SIT!|StuffIt ", f"{UNPACK}: `unar FILE`", is_weak=True),
    UnsupportedFormat("zpaq data", rb"(?:7kSt|zPQ)", f"{UNPACK}: `zpaq x FILE`", is_weak=True),
    UnsupportedFormat("XAR data", rb"xar!", f"{UNPACK}: `bsdtar -xf FILE`", is_weak=True),
    UnsupportedFormat("a WIM image", rb"MSWIM\0\0\0", f"{UNPACK}: `7z x FILE`"),
    # Compressions
    UnsupportedFormat("lzip data", rb"LZIP\x01", f"{DECOMPRESS}: `lzip -d FILE`"),
    UnsupportedFormat("lrzip data", rb"LRZI", f"{DECOMPRESS}: `lrzip -d FILE`", is_weak=True),
    UnsupportedFormat("lzop data", rb"\x89LZO\0\r\n\x1a\n", f"{DECOMPRESS}: `lzop -d FILE`"),
    UnsupportedFormat("compress data (.Z)", rb"\x1f\x9d", f"{DECOMPRESS}: `gzip -d FILE`", is_weak=True),
    UnsupportedFormat("pack data (.z)", rb"\x1f\x1e", f"{DECOMPRESS}: `gzip -d FILE`", is_weak=True),
    UnsupportedFormat(
        "LZMA (before xz) data",
        rb"\]\0\0(?s:..)(?:\xff{8}|(?s:.{5})\0{3})",
        f"{DECOMPRESS}: `xz -d --format=lzma FILE`",
    ),
    UnsupportedFormat("Snappy data", rb"\xff\x06\0\0sNaPpY", f"{DECOMPRESS}: `snzip -d FILE`"),
    UnsupportedFormat("lz4 data of the old format", rb"\x02\x21\x4c\x18", f"{DECOMPRESS}: `lz4 -d FILE`"),
    UnsupportedFormat("bzip3 data", rb"BZ3v1", f"{DECOMPRESS}: `bzip3 -d FILE`", is_weak=True),
    UnsupportedFormat("LZFSE data", rb"bvx[12n-]", f"{DECOMPRESS}: `lzfse -decode -i FILE -o OUT`", is_weak=True),
    UnsupportedFormat("brotli data", b"", f"{DECOMPRESS}: `brotli -d FILE`", suffix=".br"),
    # Images of disks
    UnsupportedFormat("a SquashFS image", rb"hsqs|sqsh", f"{UNPACK}: `unsquashfs FILE`", is_weak=True),
    UnsupportedFormat("an ISO 9660 image", rb"(?s:.{32769})CD001\x01", f"{UNPACK}: `bsdtar -xf FILE`"),
    UnsupportedFormat(
        "an Apple disk image", rb"koly|\x78\x01\x73\x0d\x62\x62\x60", f"{UNPACK}: `7z x FILE`", is_weak=True
    ),
    UnsupportedFormat("a QEMU disk image (qcow)", rb"QFI\xfb", COPY_LOGS),
    UnsupportedFormat("a VMware disk image", rb"KDMV|COWD", COPY_LOGS, is_weak=True),
    UnsupportedFormat("a VirtualBox disk image", rb"(?s:.{64})\x7f\x10\xda\xbe", COPY_LOGS),
    UnsupportedFormat("a Hyper-V disk image", rb"conectix|vhdxfile", COPY_LOGS, is_weak=True),
    UnsupportedFormat("an image of a whole disk", rb"(?s:.{512})EFI PART\0\0\x01\0", COPY_LOGS),
    UnsupportedFormat("an image of a file system", rb"XFSB\0\0|(?s:.{1080})\x53\xef[\x01-\x07]\0", COPY_FILES),
    # What needs a key
    UnsupportedFormat("a LUKS volume", rb"LUKS\xba\xbe", "decrypt it: `cryptsetup open --readonly FILE NAME`"),
    UnsupportedFormat("a PGP message", rb"-----BEGIN PGP MESSAGE-----", "decrypt it: `gpg -d FILE`"),
    UnsupportedFormat("age data", rb"age-encryption\.org/v1\n", "decrypt it: `age -d FILE`"),
    UnsupportedFormat("data encrypted with OpenSSL", rb"Salted__", "decrypt it: `openssl enc -d …`", is_weak=True),
    UnsupportedFormat("an Ansible vault", rb"\$ANSIBLE_VAULT;", "decrypt it: `ansible-vault view FILE`"),
    # Records and logs in a form of their own
    UnsupportedFormat(
        "a systemd journal",
        rb"LPKSHHRH",
        f"{CONVERT_TO_TEXT}: `journalctl --file FILE -o short-iso-precise`",
        is_weak=True,
    ),
    UnsupportedFormat("sysstat records", rb"\x96\xd5[\x60-\x7f]\x21", f"{CONVERT_TO_TEXT}: `LC_ALL=C sar -A -f FILE`"),
    UnsupportedFormat("atop records", rb"\xef\xbe\xed\xfe", f"{CONVERT_TO_TEXT}: `atop -r FILE -P ALL`"),
    UnsupportedFormat(
        "captured packets (pcap)",
        rb"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\xa1\xb2\x3c\x4d|\x0a\x0d\x0d\x0a",
        f"{CONVERT_TO_TEXT}: `tcpdump -tttt -n -r FILE`",
        is_weak=True,
    ),
    UnsupportedFormat(
        "a Windows event log", rb"ElfFile\0|\x30\0\0\0LfLe", f"{CONVERT_TO_TEXT}: `wevtutil qe FILE /lf:true /f:text`"
    ),
    UnsupportedFormat(
        "an SQLite database", rb"SQLite format 3\0", f"{CONVERT_TO_TEXT}: `sqlite3 -readonly FILE .dump`"
    ),
    UnsupportedFormat("a perf recording", rb"PERFILE2", f"{CONVERT_TO_TEXT}: `perf script -i FILE`", is_weak=True),
    UnsupportedFormat("an ftrace recording", rb"\x17\x08Dtracing", f"{CONVERT_TO_TEXT}: `trace-cmd report FILE`"),
    UnsupportedFormat(
        "TensorBoard events",
        rb"(?s:.{23})brain\.Event:\d",
        f"{CONVERT_TO_TEXT}: `tensorboard --inspect --event_file FILE`",
        is_weak=True,
    ),
    UnsupportedFormat(
        "an Nsight Systems report", rb"QDSTRM|NVTXT", f"{CONVERT_TO_TEXT}: `nsys export --type text FILE`", is_weak=True
    ),
    # Dumps of other kinds
    UnsupportedFormat(
        "a kernel's dump (kdump)",
        rb"KDUMP   |makedumpfile\0",
        f"{CONVERT_TO_TEXT}: `makedumpfile --dump-dmesg FILE dmesg.txt`",
        is_weak=True,
    ),
    UnsupportedFormat("a Java heap dump", rb"JAVA PROFILE 1\.0", "it holds no log", is_weak=True),
    # Data that holds no log
    UnsupportedFormat("an HDF5 file", rb"\x89HDF\r\n\x1a\n", "it holds arrays, not a log"),
    UnsupportedFormat("a NumPy array", rb"\x93NUMPY", "it holds arrays, not a log"),
    UnsupportedFormat(
        "a Parquet file", rb"PAR1", "write its rows as CSV or JSON lines, if they are a log", is_weak=True
    ),
    UnsupportedFormat("a compiled Python module", rb"(?s:..)\r\n[\0\1\3]\0\0\0", "it holds no log"),
    UnsupportedFormat("a PDF file", rb"%PDF-\d", "save the quoted log as text: `pdftotext FILE`"),
    UnsupportedFormat(
        "a picture",
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP",
        "give the text of the log instead",
        is_weak=True,
    ),
    UnsupportedFormat("an Office document", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save the quoted log as text"),
    UnsupportedFormat("a Windows program", rb"MZ", f"if it unpacks itself, {UNPACK}: `7z x FILE`", is_weak=True),
)


def _compile_magics(kinds: Sequence[UnsupportedFormat]) -> tuple[re.Pattern[bytes], Sequence[UnsupportedFormat]]:
    """Return one pattern whose n-th group is the magic of the n-th returned format."""
    with_magic = [kind for kind in kinds if kind.magic]
    return re.compile(rb"\A(?:%b)" % b"|".join(b"(%s)" % kind.magic for kind in with_magic)), with_magic


_ALL_FORMATS, _STRONG_FORMATS = (
    _compile_magics(UNSUPPORTED_FORMATS),
    _compile_magics([kind for kind in UNSUPPORTED_FORMATS if not kind.is_weak]),
)


def describe_unsupported(head: bytes, path: str, is_text: bool) -> str | None:
    """Return a sentence that names the format of a file and what to do with it; None if it is none of these.

    `head`: its first HEAD_BYTES bytes, or fewer; `is_text`: these bytes may be those of a log.
    """
    pattern, kinds = _STRONG_FORMATS if is_text else _ALL_FORMATS
    if match := pattern.match(head):
        kind: UnsupportedFormat | None = kinds[(match.lastindex or 1) - 1]
    else:
        kind = (
            None
            if is_text
            else next((kind for kind in UNSUPPORTED_FORMATS if kind.suffix and path.endswith(kind.suffix)), None)
        )
    return f"{kind.name}, which is not supported: {kind.advice}" if kind else None
