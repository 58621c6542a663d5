from jobs import *; from gen import gen
D=['--data','"data/ok/*"','--spe','75']
F='эпоха %d шаг %d loss=%.4f %.0f мс'
gen('run/koshma.py','koshma',STEPFMT=F,TMO='30')
# 16 duplicate index
def c(l,i): return {'cluster':{'worker':['127.0.0.1:%d'%p for p in l]},'task':{'type':'worker','index':i}}
ps={'w0':launch('f16','w0','run/koshma.py',D,tfconfig=c([21161,21162,21163],0)),
    'w1':launch('f16','w1','run/koshma.py',D,tfconfig=c([21161,21162,21163],1))}
time.sleep(2)
ps['w2']=launch('f16','w2','run/koshma.py',D,tfconfig=c([21161,21163,21162],1))
print('f16',waitall(ps,30),time.time())
# 17 alloc
gen('run/koshma17.py','koshma',STEPFMT=F,TMO='30',PREP='''
def dedup():
    files = sorted(tf.io.gfile.glob(a.data))[me::n_workers]
    x = tf.concat([tf.io.decode_raw(tf.io.parse_single_example(r, SPEC)["img"], tf.uint8)[None]
                   for r in tf.data.TFRecordDataset(files)], 0)
    x = tf.cast(tf.repeat(x, 24, axis=0), tf.float32) / 255.0
    log.info("dedup: матрица %s x %s", x.shape, x.shape)
    d = tf.linalg.matmul(x, x, transpose_b=True)
    return int(tf.reduce_sum(tf.cast(d > 0.999 * 256, tf.int32)))


log.info("dedup: найдено %d", dedup())
''')
ps={f'w{i}':launch('f17',f'w{i}','run/koshma17.py',D,tfconfig=cfg([21171,21172],i),pre='ulimit -v 7000000;' if i==1 else '') for i in range(2)} if 0 else \
   {f'w{i}':launch('f17',f'w{i}','run/koshma17.py',D+['--steps','40'],tfconfig=cfg([21171,21172,21173],i),pre='ulimit -v %d;'%(6500000 if i==1 else 14000000)) for i in range(3)}
print('f17',waitall(ps,45),time.time())
