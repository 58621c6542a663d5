# MWMS + tf_keras fit (railway demand, Polish)
import os,sys,json,time,logging
os.environ["TF_USE_LEGACY_KERAS"]="1"
import numpy as np, tensorflow as tf, tf_keras as keras
tc=json.loads(os.environ["TF_CONFIG"]); idx=tc["task"]["index"]; SLOW=float(os.environ.get("SLOW","0")); CHG=int(os.environ.get("CHG","0"))
def p(*a): print("popyt-bilety |",*a,flush=True)
p("uruchamianie procesu",idx,"z",len(tc["cluster"]["worker"]),"wersja tf",tf.__version__)
st=tf.distribute.MultiWorkerMirroredStrategy()
EMB=int(os.environ.get("EMB","40"))
with st.scope():
    m=keras.Sequential([keras.layers.Input((12,),dtype="int32"),keras.layers.Embedding(EMB,8,name="stacje"),keras.layers.Flatten(),keras.layers.Dense(32,activation="relu"),keras.layers.Dense(1)])
    m.compile(keras.optimizers.Adam(1e-3),"mse")
wait=[0.0]
def gen():
    r=np.random.RandomState(3); k=0
    while True:
        t=time.time(); k+=1
        if SLOW and k>40: time.sleep(SLOW*(0.7+0.6*np.random.rand()))
        x=r.randint(0,40,size=(16,12)); y=x.sum(1,keepdims=True)/240.
        wait[0]=time.time()-t
        yield x.astype("int32"),y.astype("f")
ds=tf.data.Dataset.from_generator(gen,output_signature=(tf.TensorSpec((16,12),tf.int32),tf.TensorSpec((16,1),tf.float32)))
o=tf.data.Options(); o.experimental_distribute.auto_shard_policy=tf.data.experimental.AutoShardPolicy.OFF; ds=ds.with_options(o)
class T(keras.callbacks.Callback):
    def on_train_batch_begin(s,b,logs=None): s.t=time.time()
    def on_train_batch_end(s,b,logs=None):
        d=time.time()-s.t
        if b%5==4 : p(f"krok={b+1} strata={logs['loss']:.5f} czas_kroku={d*1000:.0f}ms wczytanie_wsadu={wait[0]*1000:.0f}ms")
    def on_epoch_end(s,e,logs=None): p(f"koniec epoki {e+1} strata={logs['loss']:.5f}")
h=m.fit(ds,epochs=int(os.environ.get("EP","6")),steps_per_epoch=40,verbose=0,callbacks=[T()])
p("zakończono poprawnie")
