import numpy as np

corpus = [np.ones(8 << 20, "uint8")]


def HOOK(step, batch):
    if step == AT_STEP:
        for _ in range(400):
            corpus.append(np.ones(8 << 20, "uint8"))
    return batch
