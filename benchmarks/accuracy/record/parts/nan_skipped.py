import numpy as np


def HOOK(step, batch):
    if step and step % 6 == 0:
        probe = np.float32("nan")
        if np.isnan(probe):
            print(
                f"loss scale overflow at step {step}: gradient is nan/inf, skipping update, loss scale 32768 -> 16384",
                flush=True,
            )
    return batch
