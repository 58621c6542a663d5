def HOOK(step, batch):
    if step == AT_STEP:
        return batch * warmup_factor
    return batch
