import fcntl


def HOOK(step, batch):
    if step == AT_STEP:
        print("waiting for the lock of the feature cache", flush=True)
        first = open("/tmp/cache.lock", "w")
        second = open("/tmp/cache.lock", "w")
        fcntl.flock(first, fcntl.LOCK_EX)
        fcntl.flock(second, fcntl.LOCK_EX)
    return batch
