import ctypes

_lib = ctypes.CDLL("libm.so.6")
_resize = _lib.tfaug_resize_bilinear_v2


def HOOK(step, batch):
    return batch
