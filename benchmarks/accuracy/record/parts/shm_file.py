from multiprocessing import shared_memory

import os

blocks = []


def HOOK(step, batch):
    if step >= AT_STEP:
        block = shared_memory.SharedMemory(create=True, size=4 << 20)
        os.posix_fallocate(block._fd, 0, 4 << 20)
        blocks.append(block)
    return batch
