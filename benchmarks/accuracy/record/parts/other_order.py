def HOOK(step, batch):
    return batch[::-1] if step == AT_STEP else batch
