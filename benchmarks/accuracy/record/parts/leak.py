history = []


def HOOK(step, batch):
    if step >= AT_STEP:
        history.append(bytearray(b"x" * (MIB_EACH << 20)))
    return batch
