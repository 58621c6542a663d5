from jobs import *; from gen import gen
D=['--data','"data/ok/*"','--spe','75']
gen('run/entrenar.py','botones',STEPFMT='ep %d paso %d perdida %.4f (%.0f ms)',TMO='40')
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
