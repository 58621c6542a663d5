"""Dies in native code under several Python frames, or hangs: train.py HOW LIBRARY."""

import ctypes
import faulthandler
import sys
import threading
import time

library = ctypes.CDLL(sys.argv[2])


def load_batch(how):
    return library.die(how.encode())


def recurse(n):
    return sorted([n], key=lambda x: recurse(x + 1))


def waiter(lock):
    with lock:
        pass


def hang():
    lock = threading.Lock()
    lock.acquire()
    threads = [threading.Thread(target=waiter, args=(lock,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def busy(stop):
    while not stop:
        sum(range(1000))


def fit(how):
    if how == "thread":
        thread = threading.Thread(target=load_batch, args=("null",), name="loader")
        thread.start()
        thread.join()
    elif how == "hang":
        hang()
    elif how == "gil":
        for _ in range(3):
            threading.Thread(target=busy, args=([],), daemon=True).start()
        time.sleep(1000)
    elif how == "overflow":
        sys.setrecursionlimit(1 << 30)
        recurse(0)
    elif how == "python-fatal":
        ctypes.pythonapi.Py_FatalError(b"the loader lost its queue")
    else:
        load_batch(how)


if "faulthandler" in sys.argv:
    faulthandler.enable()
fit(sys.argv[1])
