import urllib.request


def fetch(key):
    with urllib.request.urlopen(f"http://HOSTNAME:9000/training/{key}", timeout=10) as answer:
        return answer.read()


def HOOK(step, batch):
    if step == AT_STEP:
        fetch("shards/part-00017.tfrecord")
    return batch
