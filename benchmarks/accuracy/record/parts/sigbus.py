import mmap
import os
import tempfile


class Cache:
    def __init__(self, size=1 << 20):
        self.file = tempfile.NamedTemporaryFile()
        self.file.truncate(size)
        self.map = mmap.mmap(self.file.fileno(), size)

    def trim(self):
        os.truncate(self.file.name, 0)


cache = Cache()


def HOOK(step, batch):
    if step == AT_STEP:
        cache.trim()
        cache.map[4096:8192]
    return batch
