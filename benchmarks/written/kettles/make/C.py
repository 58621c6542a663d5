# uneven: custom loop MWMS, seeds grading (Japanese), file shards
import os,sys,json,time,glob
import numpy as np, tensorflow as tf
tc=json.loads(os.environ["TF_CONFIG"]); i=tc["task"]["index"]; n=len(tc["cluster"]["worker"])
D=os.environ["DATA"]
def say(s): print(time.strftime("%H:%M:%S",time.gmtime(time.time()+9*3600)),f"[選別{i}]",s,flush=True)
say(f"学習開始 TensorFlow {tf.__version__}")
st=tf.distribute.MultiWorkerMirroredStrategy()
fs=sorted(glob.glob(D+"/*.tfrecord"))[i::n]
say("担当ファイル: "+" ".join(os.path.basename(f) for f in fs))
cnt=sum(1 for f in fs for _ in tf.data.TFRecordDataset(f)); say(f"担当枚数 {cnt}")
with st.scope(): w=tf.Variable(tf.zeros([64,4]))
def parse(b):
    x=tf.io.decode_raw(b,tf.float32); x=tf.reshape(x,[64]); return x,tf.cast(tf.math.floormod(tf.cast(tf.reduce_sum(x)*10,tf.int32),4),tf.int32)
ds=tf.data.TFRecordDataset(fs).map(parse).batch(20,drop_remainder=True)
@tf.function
def step(x,y):
    def f(x,y):
        with tf.GradientTape() as t: l=tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y,logits=x@w))
        g=t.gradient(l,w); g=tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN,g); w.assign_sub(.1*g); return l
    return st.run(f,args=(x,y))
for ep in range(3):
    k=0
    for x,y in ds:
        l=float(step(x,y)); k+=1
        if k%3==0: say(f"エポック{ep} ステップ{k} 損失{l:.4f}")
    say(f"エポック{ep} 終了 {k}ステップ")
say("全エポック完了、終了します")
