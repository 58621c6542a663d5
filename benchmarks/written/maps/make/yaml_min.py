"""Writes the truth files (JSON scalars are valid YAML)."""
import json
def write(path, d):
    with open(path, "w") as f:
        for k, v in d.items():
            f.write(f"{k}: {json.dumps(v, ensure_ascii=False)}\n")
