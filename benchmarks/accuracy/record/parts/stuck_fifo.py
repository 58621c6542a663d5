import os
import tempfile


def HOOK(step, batch):
    if step == AT_STEP:
        path = os.path.join(tempfile.mkdtemp(), "records")
        os.mkfifo(path)
        with open(path) as stream:
            return stream.read()
    return batch
