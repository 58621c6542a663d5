from lib import *
r=random.Random(9)
V={'/opt/tfenv/lib/':'/opt/lwd/py/lib/','/opt/tfenv/bin/':'/opt/lwd/py/bin/','/opt/incidents/make/':'/opt/lwd/app/'}
NOISE=['sensorgw[1032]: LoRa uplink dev=70B3D57ED004%x rssi=-11%d snr=2.%d','sensorgw[1032]: Schneehöhe Station Seekarkopf 18%d cm','sshd[%p]: Connection closed by 10.77.0.250 port 4%d%d%d%d [preauth]','lwd-radar[1187]: sweep ok 2%d%d ms','lwd-radar[1187]: frame drop 1/250','systemd[1]: Started Session %p of user lwd.']
def noise(a,b,gap):
    o=[];t=a
    while t<b:
        t+=r.expovariate(1/gap); m=r.choice(NOISE)
        while '%' in m: m=m.replace('%p',str(r.randint(700,31000)),1) if '%p' in m else m.replace('%x','%04X'%r.randint(0,65535),1) if '%x' in m else m.replace('%d',str(r.randint(1,9)),1)
        o.append((t,m))
    t=(int(a)//600+1)*600+301-300*(int(a)%600<300)
    while t<b: o.append((t+.2,'CRON[%d]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)'%r.randint(9000,31000))); t+=600
    return o
def unit(L,ident): return [(t,ident+': '+l.rstrip('\n')) for t,l in L]
def isoj(ev,host,off): return ['%s%+03d00 %s %s\n'%(F(t,'%Y-%m-%dT%H:%M:%S',off),off,host,m) for t,m in sorted(ev,key=lambda x:x[0])]
SU='lwd-train.service'
# ---------- A1
w=W('a1','2026-01-28 05:10:00',1,1); n='A1'; fresh(n)
pid={'sepp':6007,'vroni':6016,'burgl':6025}
for h in pid:
    L=w.read(h,V); L=[(t,l) for t,l in L if not l.startswith('Illegal instruction')]
    if h=='burgl': L=[(t,l.replace('AVX2 AVX512F AVX512_VNNI AVX512_BF16 FMA','AVX2 FMA')) for t,l in L]
    ev=unit(L,'lwd-train[%d]'%pid[h]); a,e=ev[0][0],ev[-1][0]
    ev+= [(a-3,'systemd[1]: Started %s - Lawinenlage: verteiltes Training (Nacht).'%SU)]+noise(a-2400,e+900,31)
    if h=='burgl':
        ip=0x7f3a9c2001a4
        ev+=[(e-.05,'kernel: traps: python[6025] trap invalid opcode ip:%x sp:7f3a56ffc5e0 error:0 in libfirnfilter.so[%x+1000]'%(ip,ip&~0xfff)),
             (e+.9,'systemd[1]: %s: Main process exited, code=dumped, status=4/ILL'%SU),(e+.91,"systemd[1]: %s: Failed with result 'core-dump'."%SU),(e+.92,'systemd[1]: %s: Consumed 41.207s CPU time.'%SU)]
    else: ev+=[(e+.1,'systemd[1]: %s: Main process exited, code=exited, status=1/FAILURE'%SU),(e+.12,"systemd[1]: %s: Failed with result 'exit-code'."%SU)]
    put(n,'lwd_%s/journal.txt'%h,['-- Journal begins at Sat 2025-11-15 10:02:44 CET, ends at Wed 2026-01-28 05:40:01 CET. --\n']+isoj(ev,h,1))
    mod={'sepp':'Intel(R) Xeon(R) Gold 6426Y','vroni':'Intel(R) Xeon(R) Gold 6426Y','burgl':'Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz'}[h]
    fl='fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ss ht syscall nx pdpe1gb rdtscp lm constant_tsc arch_perfmon rep_good nopl pni pclmulqdq ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe popcnt aes xsave avx f16c rdrand lahf_lm abm bmi1 avx2 smep bmi2 erms'+('' if h=='burgl' else ' avx512f avx512dq avx512cd avx512bw avx512vl avx512_vnni avx512_bf16 amx_bf16 amx_tile amx_int8')
    put(n,'lwd_%s/lscpu.txt'%h,'Architecture:            x86_64\n  CPU op-mode(s):        32-bit, 64-bit\nModel name:              %s\nFlags:                   %s\n'%(mod,fl))
    put(n,'lwd_%s/dpkg_tail.txt'%h,'''2026-01-27 16:20:02 upgrade libfirnfilter:amd64 0.9.2 0.9.3
2026-01-27 16:20:02 status half-configured libfirnfilter:amd64 0.9.2
2026-01-27 16:20:02 status unpacked libfirnfilter:amd64 0.9.3
2026-01-27 16:20:03 status installed libfirnfilter:amd64 0.9.3
''')
put(n,'anmerkung.txt','''Heute früh wieder keine Lawinenlage-Karte, Training nach einer Minute weg.
sepp meldet "Connection reset by peer" -> Netzwerk? Der Switch in der Bergstation hatte am Montag schon einen Aussetzer.
Ich hab beim Lift nachgefragt, Strom war durchgehend da.
  Hannes (Frühdienst)
PS firnfilter 0.9.3 ist seit gestern drauf (Lukas, auf sepp gebaut, doppelt so schnell bei breiten Profilen)
''')
sh('tar czf %sStAnton-0128.tgz lwd_* anmerkung.txt'%SET,n)
truth('StAnton-0128','StAnton-0128.tgz','env.illegal-instruction',['burgl','worker:2','/job:worker/replica:0/task:2'],[],'libfirnfilter 0.9.3, built on an AVX-512 machine, executes an invalid opcode on burgl (old E5 v4): SIGILL, trap invalid opcode in the kernel log. sepp and vroni only see connection reset; the switch is a wrong guess.')
# ---------- A2
w=W('a2','2026-02-11 13:31:08',1,1); n='A2'; fresh(n)
pid={'sepp':6453,'vroni':6462}
for h in pid:
    L=w.read(h,V); ev=unit(L,'lwd-train[%d]'%pid[h]); a,e=ev[0][0],ev[-1][0]; ev=[x for x in ev if 'Killed' not in x[1]]
    ev+=noise(a-3600,e+600,29)+[(a-2,'systemd[1]: Started %s - Lawinenlage: verteiltes Training (Nacht).'%SU)]
    ee=a+57
    ev+=[(ee-8,'sudo[17702]:      lwd : TTY=pts/1 ; PWD=/home/lwd ; USER=root ; COMMAND=/usr/bin/systemctl stop lwd-train'),(ee-7.9,'systemd[1]: Stopping %s - Lawinenlage: verteiltes Training (Nacht)...'%SU)] if False else []
    if h=='vroni':
        x=[t for t,l in L if 'Schritt 1200 ' in l][0]; k=1
        while x<e+240:
            c=r.sample(range(16),4)
            for q in c: ev.append((x,'kernel: mce: CPU%d: Core temperature above threshold, cpu clock throttled (total events = %d)'%(q,k)))
            ev.append((x,'kernel: mce: CPU%d: Package temperature above threshold, cpu clock throttled (total events = %d)'%(c[0],k*3)))
            for q in c: ev.append((x+.6,'kernel: mce: CPU%d: Core temperature/speed normal'%q))
            k+=r.randint(40,900); x+=r.uniform(9,40)
        ev.append((a-1900,'ipmievd[899]: Fan sensor - FAN3 lower non-critical going low'))
    put(n,h+'.log',isoj(ev,h,1))
put(n,'mail_lukas.eml','''From: lukas.p@lwd.example
To: hannes@lwd.example
Date: Wed, 11 Feb 2026 14:05:37 +0100
Subject: Training lahmt seit heute Mittag

Servus,
gegen Mittag frisch gestartet: erst flott, dann plötzlich nur noch ein paar Schritte pro Sekunde. Abgebrochen.
Auf sepp steht schritt=90ms und mehr, auf vroni ist der schritt kurz. Ich glaub sepp hat ein Problem mit dem
Netzwerk (oder das neue gRPC). journalctl von beiden liegt bei, --since 12:30.
LG Lukas
''')
sh('tar cf - * | bzip2 > %sStAnton-0211.tar.bz2'%SET,n)
sepp=[l for t,l in w.read('sepp',V)]; print(sepp[300:302], sepp[-60:-58]); print([l for t,l in w.read('vroni',V)][-40:-37])
truth('StAnton-0211','StAnton-0211.tar.bz2','hardware.thermal',['vroni','worker:1','/job:worker/replica:0/task:1'],['sync.straggler'],'vroni throttles for heat (core/package temperature above threshold, a fan went low before), its input time rises from a few ms to about 90 ms per step at the same second, and sepp waits in the all-reduce. Lukas blames sepp because its step time is long; the KeyboardInterrupt is the manual stop.')
# ---------- A3
import json
w=W('a3','2026-03-03 04:15:00',1,1); n='A3'; fresh(n)
pid={'sepp':7259,'vroni':7268}; rows=[]
for h in pid:
    L=w.read(h,V); ev=unit(L,'lwd-train[%d]'%pid[h]); a,e=ev[0][0],ev[-1][0]
    ev+=noise(a-1800,e+1500,22)+[(a-2,'systemd[1]: Started %s - Lawinenlage: verteiltes Training (Nacht).'%SU),(e+.1,'systemd[1]: %s: Main process exited, code=exited, status=1/FAILURE'%SU),(e+.12,"systemd[1]: %s: Failed with result 'exit-code'."%SU)]
    if h=='vroni': ev.append((e-300,'kernel: EXT4-fs (sdb1): mounted filesystem with ordered data mode. Opts: (null)'))
    o=[]
    for t,m in sorted(ev,key=lambda x:x[0]):
        i,_,msg=m.partition(': '); ide=re.match(r'([\w-]+)(?:\[(\d+)\])?$',i)
        d={'__REALTIME_TIMESTAMP':str(int(t*1e6)),'_HOSTNAME':h,'SYSLOG_IDENTIFIER':ide[1] if ide else i,'PRIORITY':'4' if ide and ide[1]=='kernel' else '6','_BOOT_ID':'%032x'%(hash(h)%(1<<60)) if False else {'sepp':'5b1d0a6e1d7f4c5eb2a0b0d2a9a7c0f1','vroni':'c02f9d3e88344a1fa6cc1e0bfb54a7de'}[h],'MESSAGE':msg}
        if ide and ide[2]: d['_PID']=ide[2]
        o.append(json.dumps(d,ensure_ascii=False)+'\n')
    put(n,'journal-%s.json'%h,o)
put(n,'LIESMICH','''journalctl -o json --since 03:45 von sepp und vroni (Nacht auf 3. März).
burgl ist oben in der Seilbahnstation, ich komm erst am Donnerstag wieder rauf, von dort hab ich nichts.
Hannes meint die haben oben das Internet (LTE) umgestellt, Lukas meint der Rechner ist wieder abgestürzt.
Als ich um 8 probiert hab, ging ssh auf burgl ganz normal.
''')
sh('xz -k journal-*.json && zip -q %sStAnton-0303.zip LIESMICH journal-*.json.xz'%SET,n)
truth('StAnton-0303','StAnton-0303.zip','collective.timeout',['burgl','worker:2','/job:worker/replica:0/task:2'],['network.timeout','sync.hang','hardware.nic-link','driver.kernel'],'Only survivors: the coordinator on sepp reports that task 2 (burgl) stopped sending heartbeats, without reset or refusal, i.e. silence. Nothing of burgl itself was collected, so link, crash or hang of the node cannot be told apart; ssh worked hours later.')
