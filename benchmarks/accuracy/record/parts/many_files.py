import os


def HOOK(step, batch):
    for part in range(8):
        with open(f"FOLDER/example-{step:05}-{part}.json", "w") as file:
            file.write("{}")
    return batch
