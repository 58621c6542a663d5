def HOOK(step, batch):
    if step == AT_STEP:
        from PACKAGE.api import metrics

        metrics.report(step)
    return batch
