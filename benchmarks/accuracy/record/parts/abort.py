import os


def HOOK(step, batch):
    if step == AT_STEP:
        os.abort()
    return batch
