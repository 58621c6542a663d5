from asm import *
import re
B=[('/root/.pyenv/versions/3.11.7/lib/python3.11','/usr/lib/python3.11'),('/opt/incidents/make/run/','/opt/koshma/'),('koshma17.py','koshma.py'),('koshma18.py','koshma.py'),('/opt/tfenv','/opt/koshma/venv'),('data/ok/*','/mnt/keçe/*'.replace('keçe','kiyiz')),('part-0','otara-0')]
H=['naryn','atbashy','kochkor']
def P(p,o=(0,1,2)): return [('127.0.0.1:%d'%x,'192.168.88.%d:7070'%(31+o[i])) for i,x in enumerate(p)]
# f16
te=err_t('f16','w0','Existing error'); T=ep('2026-09-29 18:05:44',6); r='bishkek-0104'; shutil.rmtree(ST+r,ignore_errors=True)
for i,h in enumerate(H):
    L=lines(R+'f16/w%d.log'%i,te,T,4,6,B+P([21161,21162,21163],(0,2,1) if 0 else (0,1,2)))
    if i==2:
        # this process believed itself worker 1 : listens on its own machine
        L=[l.replace('"192.168.88.33:7070", "192.168.88.32:7070"','"192.168.88.32:7070", "192.168.88.33:7070"').replace("'192.168.88.33:7070', '192.168.88.32:7070'","'192.168.88.32:7070', '192.168.88.33:7070'").replace('target: grpc://192.168.88.33:7070','target: grpc://192.168.88.32:7070') for l in L]
    put(r,'screenlog.%s'%h,['%s:~$ ./start.sh\n'%h]+L+(['^C%s:~$ \n'%h] if i==1 else ['%s:~$ \n'%h]))
put(r,'письмо.txt','''Азамат, добрый вечер!

На naryn пишет, что worker task:1 «has likely restarted», то есть atbashy перезагружается. Но uptime на atbashy 12 дней,
он просто висит и ждёт, я нажал Ctrl-C. Память и диск в порядке. kochkor после замены диска ставил Эрмек с образа atbashy,
там та же ошибка, что на naryn. Логи screen со всех трёх приложил.

Нурлан
''')
put(r,'start.sh','''#!/bin/sh
# адреса одинаковы на всех машинах, номер берём из /etc/koshma.idx
IDX=$(cat /etc/koshma.idx)
export TF_CONFIG='{"cluster": {"worker": ["192.168.88.31:7070", "192.168.88.32:7070", "192.168.88.33:7070"]}, "task": {"type": "worker", "index": '$IDX'}}'
exec /opt/koshma/venv/bin/python /opt/koshma/koshma.py --data "/mnt/kiyiz/*" --spe 75
''')
pack(r,'bishkek-0104.tar.xz','tar.xz')
truth(r,r+'.tar.xz','config.task-index',['kochkor','worker:2'],['config.cluster-mismatch'],'kochkor was cloned from atbashy and both start as worker index 1: the leader sees task 1 connecting with a different incarnation ("has likely restarted") and fails. atbashy did not restart and is innocent; nobody is worker 2.')
# f17
te=err_t('f17','w1','ResourceExhausted'); te=te or 1795850298; T=ep('2026-10-08 12:11:30',6); r='bishkek-0111'; shutil.rmtree(ST+r,ignore_errors=True)
for i,h in enumerate(H):
    L=[]
    for l in lines(R+'f17/w%d.log'%i,te,T,2,6,B+P([21171,21172,21173])):
        m=re.search(r'\b(\d{10}\.\d{6})\b',l)
        if m and float(m.group(1))>T+12: break
        L.append(l)
    put(r,'%s.log'%h,L)
put(r,'free.txt',''.join('== %s ==\n               total        used        free      shared  buff/cache   available\nMem:           32015        %d       %d           2        1873       %d\nSwap:           4095           0        4095\n'%(h,u,32015-1873-u,31400-u) for h,u in zip(H,(1204,1188,1233))))
put(r,'limits.txt','''naryn: ulimit -v
unlimited
kochkor: ulimit -v
unlimited
atbashy: ulimit -v
6500000
''')
put(r,'чат.txt','''Нурлан: atbashy упал на dedup, OOM. GPU же нет, какой OOM?
Эрмек: оперативки 32 гига, свободно 28. dmesg чистый, убитых нет
Эрмек: может диск /mnt/kiyiz медленный
Нурлан: naryn считает ту же матрицу и ничего
Азамат: пришлите free и limits
''')
pack(r,'bishkek-0111.zip','zip')
truth(r,r+'.zip','resource.host-alloc-failed',['atbashy','worker:1'],[],'On atbashy TensorFlow cannot allocate a [43200,43200] float tensor in host memory (allocator mklcpu) because ulimit -v is 6.5 GB there; no OOM kill and plenty of free RAM. naryn computes the same matrix.')
# f18
te=1795850768.8; T=ep('2026-11-18 23:47:05',6); r='bishkek-0126'; shutil.rmtree(ST+r,ignore_errors=True)
for i,h in ((0,'naryn'),(2,'kochkor')):
    L=lines(R+'f18/w%d.log'%i,te,T,14,6,B+P([21181,21182,21183]))
    put(r,'%s/screenlog.0'%h,['%s:~$ ./start.sh\n'%h]+L+['%s:~$ \n'%h])
put(r,'письмо.txt','''Азамат, добрый день.

Ночью обучение встало в начале третьей эпохи (эпоха 2), на naryn и kochkor ошибка про таймаут. На atbashy screen был без
лога (забыл -L), там окно уже закрыто, в journalctl за ночь пусто, uptime 62 дня.
Может, kochkor медленный: у него в ошибке naryn написано task:2. Или роутер Mikrotik ночью перечитывал адреса? ping сейчас нормальный.

Нурлан
''')
put(r,'ping.txt','PING 192.168.88.32 (192.168.88.32) 56(84) bytes of data.\n'+''.join('64 bytes from 192.168.88.32: icmp_seq=%d ttl=64 time=0.%d ms\n'%(k,random.Random(k).randint(190,420)) for k in range(1,9))+'\n--- 192.168.88.32 ping statistics ---\n8 packets transmitted, 8 received, 0% packet loss, time 7161ms\n')
pack(r,'bishkek-0126.tar.gz','tar.gz')
truth(r,r+'.tar.gz','collective.timeout',['atbashy','worker:1'],['sync.hang'],'A collective timed out on workers 0 and 2; nothing says why. Only by elimination worker 1 (atbashy, whose output was not kept) was the late member; task:2 named in the error of naryn merely passed the timeout on.')
