import sys


def HOOK(step, batch):
    if step == AT_STEP:
        print("ERROR: quota of labelled samples is used up, see wiki/quota", file=sys.stderr)
        sys.exit(3)
    return batch
