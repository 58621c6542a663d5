def HOOK(step, batch):
    if step == AT_STEP:
        with open("configs/preprocess_v2.yaml") as file:
            return file.read()
    return batch
