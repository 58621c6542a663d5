import numpy as np


def HOOK(step, batch):
    if step == AT_STEP:
        with np.errstate(all="ignore"):
            return batch * np.float32(np.log(np.float32(-1.0)))
    return batch
