import ctypes
import glob
import os

import tensorflow as tf

libraries = glob.glob(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_cc.so.2"))
native = ctypes.CDLL(libraries[0])
native.TF_AllocateTensor.restype = ctypes.c_void_p


def allocate(*shape):
    sizes = (ctypes.c_int64 * len(shape))(*shape)
    return native.TF_AllocateTensor(1, sizes, len(shape), ctypes.c_size_t(64))


def HOOK(step, batch):
    if step == AT_STEP:
        allocate(4, -7)
    return batch
