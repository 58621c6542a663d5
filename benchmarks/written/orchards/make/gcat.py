from lib import *
r=random.Random(5)
V={'/opt/tfenv/lib/':'/opt/panelnet/venv/lib/','/opt/tfenv/bin/':'/opt/panelnet/venv/bin/','/opt/incidents/make/':'/home/elia/panelnet/','/root/.pyenv/versions/3.11.7':'/usr/local'}
# ---------- G1
w=W('g1','2026-10-08 09:12:40',1.0,3); n='G1'; fresh(n); sub=dict(V)
for h in ('kalamon','koroneiki','manaki'): sub['/tmp/og1-'+h]='/srv/panelnet/run'
for i,h in enumerate(('kalamon','koroneiki','manaki')):
    L=w.read(h,sub); put(n,'%s/panelnet.out'%h,L)
    put(n,'%s/notes.txt'%h,{'kalamon':'''$ uptime
 09:51:07 up 41 days,  2:15,  3 users,  load average: 0.08, 0.11, 0.13
$ ss -tlnp | grep 23410
LISTEN 0      4096               *:23410            *:*    users:(("python",pid=4012,fd=12))
$ ss -tnp | grep 23410
ESTAB  0      0      [::ffff:127.0.0.1]:40392  [::ffff:127.0.0.1]:23410 users:(("python",pid=4012,fd=16))
ESTAB  0      0      [::ffff:127.0.0.1]:23410  [::ffff:127.0.0.1]:40392 users:(("python",pid=4012,fd=17))
$ free -h | head -2
               total        used        free      shared  buff/cache   available
Mem:            62Gi       3.1Gi        48Gi        11Mi        10Gi        58Gi
''','koroneiki':'''$ ss -tnap | grep 23410
LISTEN   0      4096               *:23410            *:*     users:(("python",pid=4021,fd=12))
ESTAB    0      0      [::ffff:127.0.0.1]:48212   [::ffff:127.0.0.1]:23410   users:(("python",pid=4021,fd=16))
ESTAB    0      0      [::ffff:127.0.0.1]:23410   [::ffff:127.0.0.1]:48212   users:(("python",pid=4021,fd=17))
$ ping -c3 kalamon
PING kalamon (10.40.2.11) 56(84) bytes of data.
64 bytes from kalamon (10.40.2.11): icmp_seq=1 ttl=64 time=0.287 ms
64 bytes from kalamon (10.40.2.11): icmp_seq=2 ttl=64 time=0.251 ms
64 bytes from kalamon (10.40.2.11): icmp_seq=3 ttl=64 time=0.263 ms

--- kalamon ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 2044ms
rtt min/avg/max/mdev = 0.251/0.267/0.287/0.015 ms
$ nc -zv kalamon 23410
Connection to kalamon (10.40.2.11) 23410 port [tcp/*] succeeded!
''','manaki':'''$ nc -zv kalamon 23410
Connection to kalamon (10.40.2.11) 23410 port [tcp/*] succeeded!
$ dmesg -T | tail -4
[Thu Oct  1 07:58:12 2026] usb 1-3: USB disconnect, device number 9
[Thu Oct  1 08:02:55 2026] usb 1-3: new full-speed USB device number 10 using xhci_hcd
[Thu Oct  1 08:02:55 2026] ftdi_sio 1-3:1.0: FTDI USB Serial Device converter detected
[Thu Oct  1 08:02:55 2026] usb 1-3: FTDI USB Serial Device converter now attached to ttyUSB0
(that is only the e-nose being replugged)
'''}[h])
put(n,'start_all.sh','''#!/bin/bash
# run from kalamon.  usage: ./start_all.sh
# 5/10 Elia: manaki added (third machine, from the mill office)
W='["localhost:23410", "koroneiki:23410", "manaki:23410"]'
i=0
for h in kalamon koroneiki manaki; do
  echo "export TF_CONFIG='{\\"cluster\\": {\\"worker\\": $W}, \\"task\\": {\\"type\\": \\"worker\\", \\"index\\": $i}}'" | ssh $h "cat > panelnet/env.sh"
  ssh $h "cd panelnet && . ./env.sh && nohup /opt/panelnet/venv/bin/python olive_train.py --out /srv/panelnet/run > panelnet.out 2>&1 &"
  i=$((i+1))
done
''')
put(n,'README_stavros.txt','''Kalimera,
since we added manaki the training does not start any more. 40' and nothing written after the line about the server.
Nobody crashes. CPU is idle on all three. I think manaki is too slow (old Xeon of the mill, and it hangs on the
other switch!), kalamon clearly waits for "stragglers" and manaki is one of them. With two machines it was always fine
(panelnet.out.1, end of September).
Stopped with kill -9 at 09:55 and packed everything. The nc test is ok so it is not the firewall.
-- Stavros
''')
w4=W('g4','2026-09-30 18:22:07',4.0,3); s4=dict(V); s4.update({'/tmp/og4-kalamon':'/srv/panelnet/run','/tmp/og4-koroneiki':'/srv/panelnet/run'})
for h in ('kalamon','koroneiki'): put(n,h+'/panelnet.out.1',w4.read(h,s4))
sh('tar czf %sKalamata-1008.tar.gz kalamon koroneiki manaki start_all.sh README_stavros.txt'%SET,n)
truth('Kalamata-1008','Kalamata-1008.tar.gz','config.localhost-address',['kalamon','worker:0','/job:worker/replica:0/task:0'],['config.cluster-mismatch'],'TF_CONFIG of all three tasks names localhost:23410 for worker 0, so koroneiki and manaki talk to themselves and never reach the coordinator on kalamon; everything hangs silently. Red herrings: manaki (slow, new, other switch), Example stragglers lines, USB messages.')
# ---------- G2
w=W('g2','2026-10-21 17:40:02',1.0,3); n='G2'; fresh(n); sub=dict(V); sub.update({'/tmp/og2a':'/srv/panelnet/run','/tmp/og2b':'/srv/panelnet/run'})
put(n,'kalamon.panelnet.out',w.read('kalamon',sub)); K=w.read('koroneiki',sub); put(n,'koroneiki.panelnet.out',K)
def sysl():
    t=T('2026-10-21 16:55:00')-3*3600; o=[]
    while t<T('2026-10-21 17:58:00')-3*3600:
        t+=r.expovariate(1/38)
        o.append((t,r.choice(['CRON[%d]: (elia) CMD (/home/elia/bin/enose_pull.sh >/dev/null 2>&1)','mosquitto[1187]: New connection from 10.40.2.60:%d on port 1883.','mosquitto[1187]: Client enose-03 closed its connection. (%d)','systemd[1]: sysstat-collect.service: Deactivated successfully.','chronyd[802]: Selected source 194.177.210.54 (2.gr.pool.ntp.org)','systemd[1]: Started Session %d of User elia.','sshd[%d]: Accepted publickey for elia from 10.40.2.11 port 5%03d ssh2: ED25519 SHA256:u2V0xAbFh4wWmQ'])))
    o=[(t,m.replace('%03d',str(r.randint(100,999))).replace('%d',str(r.randint(2100,48000)))) for t,m in o]
    return o
o=sysl(); x=w.f(w.s0+3.7)
o+=[(T('2026-10-21 17:12:31')-3*3600,'nir_stream.sh[31550]: spectrum service: 41 clients'),(T('2026-10-21 17:33:09')-3*3600,'nir_stream.sh[31550]: spectrum service: 44 clients'),(x+.3,"nir_stream.sh[31550]: /home/elia/bin/nir_stream.sh: fork: retry: Resource temporarily unavailable"),(x+1.3,"nir_stream.sh[31550]: /home/elia/bin/nir_stream.sh: fork: retry: Resource temporarily unavailable")]
o.sort(); put(n,'koroneiki.messages',[F(t,'%b %d %H:%M:%S',3)+' koroneiki '+m+'\n' for t,m in o])
put(n,'koroneiki.ulimit','''elia@koroneiki:~$ ulimit -a
core file size          (blocks, -c) 0
data seg size           (kbytes, -d) unlimited
scheduling priority             (-e) 0
file size               (blocks, -f) unlimited
pending signals                 (-i) 62843
max locked memory       (kbytes, -l) 8192
max memory size         (kbytes, -m) unlimited
open files                      (-n) 1024
pipe size            (512 bytes, -p) 8
POSIX message queues     (bytes, -q) 819200
real-time priority              (-r) 0
stack size              (kbytes, -s) 8192
cpu time               (seconds, -t) unlimited
max user processes              (-u) 60
virtual memory          (kbytes, -v) unlimited
file locks                      (-x) unlimited
elia@koroneiki:~$ free -m | head -2
               total        used        free      shared  buff/cache   available
Mem:           31996        4120       19854          14        8021       27410
''')
put(n,'mail.txt','''From: Elia
To: Stavros, Theodora
Subject: panelnet again

kalamon waits for ever for task 1, koroneiki died at the start with a long C++ list. I suspect the AVX512 message,
the reinstall of koroneiki on Monday (Theodora's image for the mill PCs) came with a different CPU setting in the BIOS?
Files attached, also ulimit because Theodora asked for "open files".
E.
''')
sh('zip -q -r %sKalamata-1021.zip .'%SET,n)
truth('Kalamata-1021','Kalamata-1021.zip','resource.thread-limit',['koroneiki','worker:1'],[],'On koroneiki user elia may have only 60 processes/threads (ulimit -u 60), so thread creation fails in the TF server start and the process aborts; kalamon waits for task 1. Red herrings: AVX/BIOS guess, open files 1024, oneDNN lines.')
# ---------- G3
w=W('g3','2026-11-02 21:05:11',6.0,2); n='G3'; fresh(n); sub=dict(V)
for h in ('kalamon','koroneiki'): sub['/tmp/og3-'+h]='/srv/panelnet/run'
for h in ('kalamon','koroneiki'): put(n,'2026-11-02_%s.out'%h,w.read(h,sub))
put(n,'chat.txt','''[Stavros] 21:09  koroneiki has not printed for half a minute, loss was going fine. did it hang again???
[Stavros] 21:09  last line is 2395/2400 on both. exactly like last week
[Theodora] 21:09  top shows kalamon python at 0.0% cpu
[Elia] 21:10  just pack the logs, I look tomorrow. the warning "Rendezvous" maybe?
[Stavros] 22:02  attached, both .out. I have not touched the processes
''')
sh('tar cJf %sKalamata-1102.txz *'%SET,n)
truth('Kalamata-1102','Kalamata-1102.txz','none',None,[],'Healthy run: both workers reach 2400/2400, the checkpoints are written and they end with bye. The pause at 2395 is the panel cross-check (about 30 s) that the script logs itself.')
