TITLES = [b"Stra\xdfe", b"avenue"]


def HOOK(step, batch):
    if step == AT_STEP:
        [title.decode("utf-8").lower() for title in TITLES]
    return batch
