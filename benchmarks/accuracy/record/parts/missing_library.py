import ctypes

codec = ctypes.CDLL("LIBRARY")


def HOOK(step, batch):
    return batch
