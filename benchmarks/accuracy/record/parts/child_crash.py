import subprocess
import sys


def HOOK(step, batch):
    if step == AT_STEP:
        done = subprocess.run([sys.executable, "-c", "import ctypes; ctypes.string_at(8)"])
        print("thumbnailer left with", done.returncode, "and is skipped", flush=True)
    return batch
