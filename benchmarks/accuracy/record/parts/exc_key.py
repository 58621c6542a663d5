RENAMED = {"img": "image", "lbl": "label"}


def HOOK(step, batch):
    if step == AT_STEP:
        example = {"image": batch, "label": 1}
        return {RENAMED[key]: value for key, value in example.items()}
    return batch
