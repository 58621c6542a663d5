import numpy as np


def distances(points):
    return np.abs(points[:, None, :] - points[None, :, :]).sum(-1)


def HOOK(step, batch):
    if step == AT_STEP:
        distances(np.zeros((900_000, 128)))
    return batch
