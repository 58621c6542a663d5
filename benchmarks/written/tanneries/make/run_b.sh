cd /opt/incidents/make; R=/opt/incidents/raw
# data
for k in b1 b2 b3; do mkdir -p $R/$k; done
/opt/tfenv/bin/python - <<'P'
import tensorflow as tf, numpy as np, os
D="/opt/incidents/raw/bdata"; os.makedirs(D,exist_ok=True); r=np.random.RandomState(3)
for i in range(24):
    with tf.io.TFRecordWriter(D+"/thorskur-%05d-of-00024.tfrecord"%i) as w:
        for j in range(150):
            y=r.randint(2); x=r.normal(y*.4,1,(24,24,1)).astype("float32")
            w.write(tf.train.Example(features=tf.train.Features(feature={"x":tf.train.Feature(bytes_list=tf.train.BytesList(value=[x.tobytes()])),"y":tf.train.Feature(int64_list=tf.train.Int64List(value=[y]))})).SerializeToString())
P
cp -r $R/bdata $R/bdata2; 
printf '\x00\x00\x00\x00\x00\x00' | dd of=$R/bdata2/thorskur-00013-of-00024.tfrecord bs=1 seek=177777 conv=notrunc 2>/dev/null
bash net.sh down; bash net.sh up 3 10.244.3
{ echo 127.0.0.1 localhost; for i in 0 1 2; do echo "10.244.3.$((11+i)) beinaleit-worker-$i.beinaleit beinaleit-worker-$i"; done; } > $R/hb
job() { # name data steps every secs [after-cmd]
 o=$R/$1; : > $o/pids
 for i in 0 1 2; do
  TF_CONFIG="{\"cluster\": {\"worker\": [\"beinaleit-worker-0.beinaleit:2222\", \"beinaleit-worker-1.beinaleit:2222\", \"beinaleit-worker-2.beinaleit:2222\"]}, \"task\": {\"type\": \"worker\", \"index\": $i}}" DATA=$2 STEPS=$3 EVERY=$4 K=$K nice bash vm.sh $((i+1)) beinaleit-worker-$i $R/hb /opt/tfenv/bin/python b_entry.py > $o/w$i.log 2>&1 & echo $! >> $o/pids
 done; sleep $5; }
K=7 job b1 $R/bdata 5000 2 38; date; p=$(sed -n 2p $R/b1/pids); kill -TERM $p; sleep 22; kill -9 $(cat $R/b1/pids)
K=5 job b2 $R/bdata2 2000 1 40; kill -9 $(cat $R/b2/pids)
K=4 job b3 $R/bdata 700 1 45; kill -9 $(cat $R/b3/pids)
bash net.sh down
