def blend(image, other, weight=0.5, *, mode):
    return image


def HOOK(step, batch):
    if step == AT_STEP:
        return blend(batch, batch)
    return batch
