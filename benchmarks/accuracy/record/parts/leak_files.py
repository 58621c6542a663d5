readers = []


def HOOK(step, batch):
    if step >= AT_STEP:
        for _ in range(40):
            readers.append(open(__file__))
    return batch
