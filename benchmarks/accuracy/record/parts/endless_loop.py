def HOOK(step, batch):
    if step == AT_STEP:
        n = 27
        while n != 0:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
    return batch
