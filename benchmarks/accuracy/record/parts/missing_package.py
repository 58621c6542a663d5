import PACKAGE


def HOOK(step, batch):
    return PACKAGE.transform(batch) if step == 1 else batch
