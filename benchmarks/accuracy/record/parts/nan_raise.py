import numpy as np


def HOOK(step, batch):
    if step == AT_STEP:
        value = np.asarray(batch) / 0.0 * 0.0
        if not np.isfinite(value).all():
            raise FloatingPointError(f"features are not finite at step {step}: {np.isnan(value).sum()} NaN")
    return batch
