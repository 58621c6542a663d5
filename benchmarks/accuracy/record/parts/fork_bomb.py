import subprocess

helpers = []


def HOOK(step, batch):
    if step >= AT_STEP:
        for _ in range(40):
            helpers.append(subprocess.Popen(["sleep", "30"]))
    return batch
