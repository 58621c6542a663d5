import threading

stop = threading.Event()
pool = []


def HOOK(step, batch):
    if step >= AT_STEP:
        for _ in range(60):
            pool.append(threading.Thread(target=stop.wait, daemon=True))
            pool[-1].start()
    return batch
