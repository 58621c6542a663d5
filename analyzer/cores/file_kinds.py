"""Recognize dumps of a process by their first bytes: ELF cores, and minidumps of Breakpad and Crashpad."""

from __future__ import annotations

from analyzer.cores.elf.headers import is_elf_core

MINIDUMP_MAGIC = b"MDMP"
MINIDUMP_VERSION = b"\x93\xa7"


def is_core(head: bytes) -> bool:
    """Return whether a file that begins with these bytes (18 are enough) is a core or a minidump."""
    return is_elf_core(head) or (is_minidump(head) and head[4:6] == MINIDUMP_VERSION)


def is_minidump(head: bytes) -> bool:
    return head[:4] == MINIDUMP_MAGIC
