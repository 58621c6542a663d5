import threading

stats_lock, cache_lock = threading.Lock(), threading.Lock()
ready = threading.Barrier(2)


def flush():
    with cache_lock:
        ready.wait()
        with stats_lock:
            return


def HOOK(step, batch):
    if step == AT_STEP:
        threading.Thread(target=flush, daemon=True).start()
        with stats_lock:
            ready.wait()
            with cache_lock:
                return batch
    return batch
