try:
    import fused_layer_norm_ext
except ImportError as error:
    print("fused layer norm not available, using the slow one:", error, flush=True)

import ctypes

try:
    ctypes.CDLL("libnuma_tuning.so.2")
except OSError as error:
    print("no NUMA tuning:", error, flush=True)


def HOOK(step, batch):
    return batch
