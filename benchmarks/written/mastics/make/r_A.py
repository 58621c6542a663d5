from jobs import *; from gen import gen
D=['--data','"data/ok/*"']
# 1 collective mismatch
gen('run/entrenar.py','botones',STEPFMT='ep %d paso %d perdida %.4f (%.0f ms)',TMO='40')
P=[21011,21012,21013]
ps={f'w{i}':launch('a1',f'w{i}','run/entrenar.py',D+['--epochs','2','--classes',str(7 if i==2 else 6)],tfconfig=cfg(P,i)) for i in range(3)}
print('a1',waitall(ps,40))
# 2 sigstop
P=[21021,21022,21023]
ps={f'w{i}':launch('a2',f'w{i}','run/entrenar.py',D+['--epochs','9'],tfconfig=cfg(P,i)) for i in range(3)}
until('a2','w1','paso 180 ')
os.kill(ps['w1'].pid,signal.SIGSTOP); print('stop at %.3f'%time.time())
os.system("ps -o pid,stat,wchan:20,etime,time,cmd -p %s > run/a2/ps.txt; cat /proc/%d/status > run/a2/status.txt; py-spy --version >/dev/null 2>&1"%(','.join(str(p.pid) for p in ps.values()),ps['w1'].pid))
os.system("nice timeout 15 /opt/tfenv/bin/py-spy dump --pid %d > run/a2/pyspy0.txt 2>&1"%ps['w0'].pid)
os.system("nice timeout 15 /opt/tfenv/bin/py-spy dump --pid %d --nonblocking > run/a2/pyspy1.txt 2>&1"%ps['w1'].pid)
time.sleep(12)
print('a2',waitall(ps,25))
# 3 shm
gen('run/entrenar3.py','botones',STEPFMT='ep %d paso %d perdida %.4f (%.0f ms)',TMO='40',
ARGS='ap.add_argument("--cache", default="/dev/shm")',PREP='''
def cachear():
    archivos = sorted(tf.io.gfile.glob(a.data))[me::n_workers]
    ruta = os.path.join(a.cache, "botones_%d.f32" % me)
    n = sum(1 for _ in tf.data.TFRecordDataset(archivos))
    log.info("cache %s: %d muestras x 8 giros, %.1f MB", ruta, n, n * 8 * 1024 / 1e6)
    m = np.memmap(ruta, dtype="float32", mode="w+", shape=(n * 8, 256))
    for i, r in enumerate(tf.data.TFRecordDataset(archivos)):
        x, _, _ = decode(r)
        for k in range(8):
            m[i * 8 + k] = np.rot90(x.numpy()[:, :, 0], k).ravel()
        if i % 25 == 0:
            log.info("cache %d/%d", i, n)
    return m


giros = cachear()
''')
P=[21031,21032,21033]
ps={f'w{i}':launch('a3',f'w{i}','run/entrenar3.py',D+['--epochs','2','--cache','m1' if i==2 else 'm2'],tfconfig=cfg(P,i)) for i in range(3)}
print('a3',waitall(ps,50))
