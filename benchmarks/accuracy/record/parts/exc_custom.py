class DataQualityError(RuntimeError):
    pass


def HOOK(step, batch):
    if step == AT_STEP:
        raise DataQualityError("label distribution drifted: expected 0.50 +- 0.05, got 0.93")
    return batch
