seen = kept = 0


def HOOK(step, batch):
    if step == AT_STEP:
        print("kept ratio", seen / kept)
    return batch
