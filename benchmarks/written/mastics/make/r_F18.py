from jobs import *; from gen import gen
D=['--data','"data/ok/*"','--spe','75']
F='эпоха %d шаг %d loss=%.4f %.0f мс'
gen('run/koshma18.py','koshma',STEPFMT=F,TMO='12')
P=[21181,21182,21183]
ps={f'w{i}':launch('f18',f'w{i}','run/koshma18.py',D+['--epochs','4'],tfconfig=cfg(P,i),pre='' ) for i in range(3)}
until('f18','w1','шаг 150 '); 
t=time.time(); print('f18 slow %.3f'%t)
# worker 1 alive (heartbeats go on) but its main thread held: gdb-free way, SIGSTOP in short pulses
while time.time()-t<26 and ps['w0'].poll() is None:
    ps['w1'].send_signal(signal.SIGSTOP); time.sleep(3.5); ps['w1'].send_signal(signal.SIGCONT); time.sleep(0.0005)
ps['w1'].send_signal(signal.SIGCONT)
print('f18',waitall(ps,4),time.time())
