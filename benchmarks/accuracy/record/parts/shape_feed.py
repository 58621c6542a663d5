def HOOK(step, batch):
    return batch[:, :-3] if step == AT_STEP else batch
