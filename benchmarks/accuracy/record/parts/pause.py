import time


def HOOK(step, batch):
    if step == AT_STEP:
        time.sleep(SECONDS)
    return batch
