"""Faults that crash in native code. A few bytes of machine code need no compiler in the training image."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource

from job.names import LIBRARY
from job.plan import UnableError

STACK = 8 * 2**20  # bytes
CODE = {
    "x86_64": {"illegal": b"\x0f\x0b", "recurse": b"\x50\xe8\xfa\xff\xff\xff"},  # ud2; push rax, call itself
    # udf #0; stp x29, x30, [sp, #-16]!, bl itself
    "aarch64": {"illegal": bytes(4), "recurse": b"\xfd\x7b\xbf\xa9\xff\xff\xff\x97"},
}


def run_code(name: str) -> None:
    machine = os.uname().machine
    if machine not in CODE:
        raise UnableError(f"machine code for {machine}, which this program does not have")
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except PermissionError as error:
        raise UnableError("executable memory, which this system refuses") from error
    page.write(CODE[machine][name])
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def run_illegal_instruction(plan, step, batch):
    run_code("illegal")


def overflow_stack(plan, step, batch):
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, hard))  # without a limit it would eat all memory
    run_code("recurse")


def read_null(plan, step, batch):
    ctypes.string_at(0)


def abort(plan, step, batch):
    os.abort()


def free_twice(plan, step, batch):
    """Free a block twice: glibc's allocator detects it and aborts."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    block = libc.malloc(64)
    libc.free(block)
    libc.free(block)


def load_library(plan, step, batch):
    ctypes.CDLL(LIBRARY)
    return batch
