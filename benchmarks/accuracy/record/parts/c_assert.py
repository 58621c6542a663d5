import ctypes

libc = ctypes.CDLL(None)


def check_alignment(offset):
    if offset % 16:
        libc.__assert_fail(b"(offset & 15) == 0", b"src/tokenizer/arena.cc", 211, b"void* Arena::at(size_t)")


def HOOK(step, batch):
    check_alignment(24 if step == AT_STEP else 32)
    return batch
