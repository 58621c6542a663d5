import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = (ctypes.c_void_p,)


class Buffer:
    def __init__(self, size):
        self.pointer = libc.malloc(size)

    def release(self):
        libc.free(self.pointer)


def HOOK(step, batch):
    buffer = Buffer(96)
    buffer.release()
    if step == AT_STEP:
        buffer.release()
    return batch
