import ctypes
import faulthandler

faulthandler.enable()
lookup = (ctypes.c_int * 16)()


def gather(indices):
    return [ctypes.cast(ctypes.addressof(lookup) + 4 * i, ctypes.POINTER(ctypes.c_int))[0] for i in indices]


def HOOK(step, batch):
    if step == AT_STEP:
        gather([0, 3, 1 << 40])
    return batch
