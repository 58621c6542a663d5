source /opt/incidents/make/lab.sh C
D=/opt/incidents/t/tane; mkdir -p $D; rm -f $D/*
$PY - <<'P' 2>/dev/null
import tensorflow as tf,numpy as np
r=np.random.RandomState(0)
for k in range(9):
    n=280 if k%3!=1 else (280 if k<7 else 80)
    with tf.io.TFRecordWriter("/opt/incidents/t/tane/momi-%03d-of-009.tfrecord"%k) as w:
        for _ in range(n): w.write(r.rand(64).astype("f").tobytes())
P
for i in 0 1 2; do host tane-gpu$((i+1)) 192.168.40.$((51+i)); done
for i in 0 1 2; do on tane-gpu$((i+1)) tane-gpu$((i+1)) env DATA=$D TF_CONFIG='{"cluster":{"worker":["tane-gpu1:20020","tane-gpu2:20020","tane-gpu3:20020"]},"task":{"type":"worker","index":'$i'}}' $PY $M/C.py; done
waitall 40
