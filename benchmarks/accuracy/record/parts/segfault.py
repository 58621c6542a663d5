import ctypes


def fast_copy(address, size):
    return ctypes.string_at(address, size)


def HOOK(step, batch):
    if step == AT_STEP:
        fast_copy(0x10, 64)
    return batch
