import json

SETTINGS = '{"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225],}'


def HOOK(step, batch):
    if step == AT_STEP:
        return json.loads(SETTINGS)["mean"]
    return batch
