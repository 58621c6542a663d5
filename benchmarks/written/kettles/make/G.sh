source /opt/incidents/make/lab.sh G
D=/opt/incidents/t/tory; rm -rf $D; mkdir -p $D
$PY - <<'P' 2>/dev/null
import tensorflow as tf,numpy as np
r=np.random.RandomState(0)
for k in range(900):
    with tf.io.TFRecordWriter("/opt/incidents/t/tory/potok-%05d.tfrecord"%k) as w:
        for _ in range(8 + (k%5)): w.write(r.rand(16).astype("f").tobytes())
P
for i in 0 1 2; do host wezel-gdn-0$((i+1)) 172.22.9.$((21+i)); done
for i in 0 1 2; do lim=8192; [ $i = 2 ] && lim=256; on wezel-gdn-0$((i+1)) wezel-gdn-0$((i+1)) bash -c "ulimit -n $lim; exec env CYC=260 DATA=$D TF_CONFIG='{\"cluster\":{\"worker\":[\"wezel-gdn-01:5050\",\"wezel-gdn-02:5050\",\"wezel-gdn-03:5050\"]},\"task\":{\"type\":\"worker\",\"index\":$i}}' $PY $M/G.py"; done
waitall 40
