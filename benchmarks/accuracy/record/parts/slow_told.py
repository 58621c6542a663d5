import time


def HOOK(step, batch):
    if step >= AT_STEP:
        began = time.time()
        time.sleep(SECONDS)
        print(f"input of step {step} took {time.time() - began:.2f} s", flush=True)
    return batch
