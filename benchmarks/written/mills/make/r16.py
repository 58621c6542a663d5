# Nagoya: one song's mel frames exceed the Python gRPC client's 4 MB limit
import json
from lib import *
H={"kos09":"192.168.71.9","kos10":"192.168.71.10","kos11":"192.168.71.11","kos12":"192.168.71.12"}
isolate(H)
d=f"{ROOT}/work/r16"; sh(f"rm -rf {d}; mkdir -p {d}")
S=Task("server","kos09",["{py}",f"{HERE}/song.py","server"],cwd=d); time.sleep(2)
W=[f"kos{i}:7070" for i in (10,11,12)]
T=[Task(f"w{i}",f"kos{10+i}",["{py}",f"{HERE}/song.py","worker","--srv","kos09:8061","--steps","400","--medley","233"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d) for i in range(3)]
print(wait(T,70)); report([S]+T); killall([S]+T); dump([S]+T,d+"/a.jsonl")
