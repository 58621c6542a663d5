# Seoul: the base model was exported by Keras 3 (TF 2.21 image), the training image has Keras 2.15
import json
from lib import *
J="flatcolor-ft-2be"
H={f"{J}-worker-{i}":f"10.233.66.{20+i}" for i in range(3)}
isolate(H)
d=f"{ROOT}/work/r12"; sh(f"rm -rf {d}; mkdir -p {d}")
open(d+"/mk.py","w").write(f"import tensorflow as tf\nK=tf.keras\nm=K.Sequential([K.layers.Input((16,16,1)),K.layers.Conv2D(16,3,padding='same',activation='relu'),K.layers.Conv2D(3,1)])\nm.compile('adam','mse'); m.save('{d}/base-v8.keras')\n")
sh(f"{PY21} {d}/mk.py")
W=[f"{h}:2222" for h in H]
T=[Task(f"worker-{i}",h,["{py}",f"{HERE}/colorize.py","--base",d+"/base-v8.keras"],{"TF_CONFIG":json.dumps({"cluster":{"worker":W},"task":{"type":"worker","index":i}})},cwd=d,py=PY15) for i,h in enumerate(H)]
print(wait(T,70)); report(T); killall(T); dump(T,d+"/a.jsonl")
