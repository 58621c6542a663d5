import os

MARK = "/data/crashed-once"


def HOOK(step, batch):
    if step == AT_STEP and not os.path.exists(MARK):
        open(MARK, "w").close()
        raise ConnectionError("feature store closed the connection (503), giving up")
    return batch
