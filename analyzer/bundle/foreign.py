"""Files that are known by their first bytes and not read: each is named, with the command that makes it readable.

None is read here. No well-kept binding of libarchive has the library in its wheel; py7zr is LGPL and brings nine
compiled packages; and both unpack to a disk, where this program reads streams under limits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LOOK = 33 << 10  # bytes of a file that are looked at: ISO 9660 begins at 32 KiB
EMPTY = "unpack it into an empty folder"
PLAIN = "decompress it"
TEXT = "write it as text"
# In a virtual machine of its own: a kernel trusts the file systems that it mounts.
DISK = "copy its logs out: `guestfish --ro -a FILE -i tar-out /var/log logs.tar`"
FILES = "copy its files out: `guestfish --ro -a FILE -m /dev/sda tar-out / files.tar`"


@dataclass(frozen=True, slots=True)
class Kind:
    """`magic` is a pattern of bytes at the beginning, as file(1) has them; empty where only the name's end tells.

    `weak`: a log may begin so, and the bytes that follow must be binary, too.
    """

    name: str
    magic: bytes
    advice: str
    weak: bool = False
    end: str = ""


KINDS: Sequence[Kind] = (
    # Archives
    Kind("7z data", rb"7z\xbc\xaf\x27\x1c", f"{EMPTY}: `7z x FILE`"),
    Kind("RAR data", rb"Rar!\x1a\x07", f"{EMPTY}: `unrar x FILE` or `bsdtar -xf FILE`"),
    Kind("an RPM package", rb"\xed\xab\xee\xdb", f"{EMPTY}: `rpm2cpio FILE | cpio -id --no-absolute-filenames`"),
    Kind("a Debian package", rb"!<arch>\ndebian", f"{EMPTY}: `dpkg-deb -x FILE .`"),
    Kind("an ar archive", rb"!<(?:arch|thin)>\n", f"{EMPTY}: `bsdtar -xf FILE`"),
    Kind(
        "a cpio archive",
        rb"07070[12][0-9A-Fa-f]{104}|070707[0-7]{70}",
        f"{EMPTY}: `cpio -id --no-absolute-filenames < FILE`",
    ),
    Kind(
        "a cpio archive (binary)",
        rb"\xc7\x71|\x71\xc7",
        f"{EMPTY}: `cpio -id --no-absolute-filenames < FILE`",
        weak=True,
    ),
    Kind("cabinet data", rb"MSCF\0\0\0\0", f"{EMPTY}: `cabextract FILE`"),
    Kind("InstallShield data", rb"ISc\(", f"{EMPTY}: `unshield x FILE`", weak=True),
    Kind("LHA data", rb"(?s:..)-l[hz][0-9ds]-", f"{EMPTY}: `bsdtar -xf FILE`", weak=True),
    Kind("ARJ data", rb"\x60\xea", f"{EMPTY}: `7z x FILE`", weak=True),
    Kind("ACE data", rb"(?s:.{7})\*\*ACE\*\*", f"{EMPTY}: `unace x FILE`", weak=True),
    Kind("zoo data", rb"ZOO \d\.\d\d Archive", f"{EMPTY}: `zoo x FILE`", weak=True),
    Kind("StuffIt data", rb"SIT!|StuffIt ", f"{EMPTY}: `unar FILE`", weak=True),
    Kind("zpaq data", rb"(?:7kSt|zPQ)", f"{EMPTY}: `zpaq x FILE`", weak=True),
    Kind("XAR data", rb"xar!", f"{EMPTY}: `bsdtar -xf FILE`", weak=True),
    Kind("a WIM image", rb"MSWIM\0\0\0", f"{EMPTY}: `7z x FILE`"),
    # Compressions
    Kind("lzip data", rb"LZIP\x01", f"{PLAIN}: `lzip -d FILE`"),
    Kind("lrzip data", rb"LRZI", f"{PLAIN}: `lrzip -d FILE`", weak=True),
    Kind("lzop data", rb"\x89LZO\0\r\n\x1a\n", f"{PLAIN}: `lzop -d FILE`"),
    Kind("compress data (.Z)", rb"\x1f\x9d", f"{PLAIN}: `gzip -d FILE`", weak=True),
    Kind("pack data (.z)", rb"\x1f\x1e", f"{PLAIN}: `gzip -d FILE`", weak=True),
    Kind("LZMA (before xz) data", rb"\]\0\0(?s:..)(?:\xff{8}|(?s:.{5})\0{3})", f"{PLAIN}: `xz -d --format=lzma FILE`"),
    Kind("Snappy data", rb"\xff\x06\0\0sNaPpY", f"{PLAIN}: `snzip -d FILE`"),
    Kind("lz4 data of the old format", rb"\x02\x21\x4c\x18", f"{PLAIN}: `lz4 -d FILE`"),
    Kind("bzip3 data", rb"BZ3v1", f"{PLAIN}: `bzip3 -d FILE`", weak=True),
    Kind("LZFSE data", rb"bvx[12n-]", f"{PLAIN}: `lzfse -decode -i FILE -o OUT`", weak=True),
    Kind("brotli data", b"", f"{PLAIN}: `brotli -d FILE`", end=".br"),
    # Images of disks
    Kind("a SquashFS image", rb"hsqs|sqsh", f"{EMPTY}: `unsquashfs FILE`", weak=True),
    Kind("an ISO 9660 image", rb"(?s:.{32769})CD001\x01", f"{EMPTY}: `bsdtar -xf FILE`"),
    Kind("an Apple disk image", rb"koly|\x78\x01\x73\x0d\x62\x62\x60", f"{EMPTY}: `7z x FILE`", weak=True),
    Kind("a QEMU disk image (qcow)", rb"QFI\xfb", DISK),
    Kind("a VMware disk image", rb"KDMV|COWD", DISK, weak=True),
    Kind("a VirtualBox disk image", rb"(?s:.{64})\x7f\x10\xda\xbe", DISK),
    Kind("a Hyper-V disk image", rb"conectix|vhdxfile", DISK, weak=True),
    Kind("an image of a whole disk", rb"(?s:.{512})EFI PART\0\0\x01\0", DISK),
    Kind("an image of a file system", rb"XFSB\0\0|(?s:.{1080})\x53\xef[\x01-\x07]\0", FILES),
    # What needs a key
    Kind("a LUKS volume", rb"LUKS\xba\xbe", "decrypt it: `cryptsetup open --readonly FILE NAME`"),
    Kind("a PGP message", rb"-----BEGIN PGP MESSAGE-----", "decrypt it: `gpg -d FILE`"),
    Kind("age data", rb"age-encryption\.org/v1\n", "decrypt it: `age -d FILE`"),
    Kind("data that OpenSSL encrypted", rb"Salted__", "decrypt it: `openssl enc -d …`", weak=True),
    Kind("an Ansible vault", rb"\$ANSIBLE_VAULT;", "decrypt it: `ansible-vault view FILE`"),
    # Records and logs in a form of their own
    Kind("a systemd journal", rb"LPKSHHRH", f"{TEXT}: `journalctl --file FILE -o short-iso-precise`", weak=True),
    Kind("sysstat's own records", rb"\x96\xd5[\x60-\x7f]\x21", f"{TEXT}: `LC_ALL=C sar -A -f FILE`"),
    Kind("atop's own records", rb"\xef\xbe\xed\xfe", f"{TEXT}: `atop -r FILE -P ALL`"),
    Kind(
        "captured packets (pcap)",
        rb"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\xa1\xb2\x3c\x4d|\x0a\x0d\x0d\x0a",
        f"{TEXT}: `tcpdump -tttt -n -r FILE`",
        weak=True,
    ),
    Kind("a Windows event log", rb"ElfFile\0|\x30\0\0\0LfLe", f"{TEXT}: `wevtutil qe FILE /lf:true /f:text`"),
    Kind("an SQLite database", rb"SQLite format 3\0", f"{TEXT}: `sqlite3 -readonly FILE .dump`"),
    Kind("a recording of perf", rb"PERFILE2", f"{TEXT}: `perf script -i FILE`", weak=True),
    Kind("a recording of ftrace", rb"\x17\x08Dtracing", f"{TEXT}: `trace-cmd report FILE`"),
    Kind(
        "TensorBoard events",
        rb"(?s:.{23})brain\.Event:\d",
        f"{TEXT}: `tensorboard --inspect --event_file FILE`",
        weak=True,
    ),
    Kind("an Nsight Systems report", rb"QDSTRM|NVTXT", f"{TEXT}: `nsys export --type text FILE`", weak=True),
    # Dumps of other kinds
    Kind(
        "a kernel's dump (kdump)",
        rb"KDUMP   |makedumpfile\0",
        f"{TEXT}: `makedumpfile --dump-dmesg FILE dmesg.txt`",
        weak=True,
    ),
    Kind("a minidump", rb"MDMP\x93\xa7", f"{TEXT}: `minidump-stackwalk FILE`"),
    Kind("a Java heap dump", rb"JAVA PROFILE 1\.0", "it holds no log", weak=True),
    # Data that holds no log
    Kind("an HDF5 file", rb"\x89HDF\r\n\x1a\n", "it holds arrays, and no log"),
    Kind("an array of NumPy", rb"\x93NUMPY", "it holds arrays, and no log"),
    Kind("a Parquet file", rb"PAR1", "write its rows as CSV or JSON lines, if they are a log", weak=True),
    Kind("a PDF file", rb"%PDF-\d", "save what it quotes as text: `pdftotext FILE`"),
    Kind(
        "a picture",
        rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP",
        "give the text that it shows, as the log has it",
        weak=True,
    ),
    Kind("an Office document", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save what it quotes as text"),
    Kind("a Windows program", rb"MZ", f"if it unpacks itself, {EMPTY}: `7z x FILE`", weak=True),
)


def _compile(kinds: Sequence[Kind]) -> tuple[re.Pattern[bytes], Sequence[Kind]]:
    """One pattern, whose n-th group is the n-th of these kinds."""
    known = [kind for kind in kinds if kind.magic]
    return re.compile(rb"\A(?:%b)" % b"|".join(b"(%s)" % kind.magic for kind in known)), known


_ALL, _STRONG = _compile(KINDS), _compile([kind for kind in KINDS if not kind.weak])


def name_foreign(head: bytes, path: str, is_text: bool) -> str | None:
    """A sentence on what a file is, with what to do; None for what is none of these.

    `head` is its first LOOK bytes, or fewer; `is_text` says that they may be a log's.
    """
    pattern, kinds = _STRONG if is_text else _ALL
    if match := pattern.match(head):
        kind: Kind | None = kinds[(match.lastindex or 1) - 1]
    else:
        kind = None if is_text else next((kind for kind in KINDS if kind.end and path.endswith(kind.end)), None)
    return f"{kind.name}, which is not read here: {kind.advice}" if kind else None
