from multiprocessing import shared_memory

blocks = []


def HOOK(step, batch):
    if step >= AT_STEP:
        block = shared_memory.SharedMemory(create=True, size=6 << 20)
        block.buf[:] = bytes(6 << 20)
        blocks.append(block)
    return batch
