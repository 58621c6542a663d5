import logging
import socket
import time


def ping(attempt):
    with socket.create_connection(("127.0.0.1", 9125), timeout=1) as client:
        client.send(b"step:1|c")


def HOOK(step, batch):
    if step % 5 == 1:
        for attempt in range(3):
            try:
                ping(attempt)
                break
            except OSError as error:
                logging.error("statsd not reachable (attempt %d of 3): %s", attempt + 1, error)
                print(f"statsd not reachable (attempt {attempt + 1} of 3): {error}", flush=True)
                time.sleep(0.05)
    return batch
