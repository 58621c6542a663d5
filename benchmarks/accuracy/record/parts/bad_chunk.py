import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = (ctypes.c_void_p,)


def HOOK(step, batch):
    scratch = libc.malloc(256)
    if step == AT_STEP:
        libc.free(scratch + 8)
    else:
        libc.free(scratch)
    return batch
