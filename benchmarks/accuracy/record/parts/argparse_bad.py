import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--scale", type=float, required=True)


def HOOK(step, batch):
    if step == AT_STEP:
        parser.parse_args(["--scale", "1e-3x"])
    return batch
