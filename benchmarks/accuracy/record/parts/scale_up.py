def HOOK(step, batch):
    return batch * FACTOR if step >= AT_STEP else batch
