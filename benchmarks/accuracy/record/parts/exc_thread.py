import concurrent.futures


def decode(number):
    return {0: "a", 1: "b", 2: "c"}[number]


def HOOK(step, batch):
    if step == AT_STEP:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(decode, [0, 1, 2, 7]))
    return batch
