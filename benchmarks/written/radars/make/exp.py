import json, os, re, sys, subprocess, shutil, time, random, zipfile, io
from datetime import datetime, timedelta, timezone
BN='/opt/incidents'
KREL='6.8.0-51-generic'
def load(n): return json.load(open(f'{BN}/run/{n}/raw/d.json'))
def U(t,tz=0): return datetime.utcfromtimestamp(t+tz)
class Sh:
    """shift clock by d seconds; wall-clock text forms also by tz"""
    def __init__(s,d,tz=0): s.d=round(d); s.tz=tz
    def __call__(s,text):
        d,tz=s.d,s.tz
        def a(m):
            f='%Y-%m-%d'+m.group(2)+'%H:%M:%S'
            return (datetime.strptime(m.group(0),f)+timedelta(seconds=d+tz)).strftime(f)
        text=re.sub(r'(2026-1[12]-\d\d)([ T])\d\d:\d\d:\d\d',a,text)
        text=re.sub(r'([IWEF]0000 00:00:)(179\d{7})(?=\.)',lambda m:m.group(1)+str(int(m.group(2))+int(d)),text)
        def b(m): return m.group(1)+(datetime.strptime('2026'+m.group(2)+' '+m.group(3),'%Y%m%d %H:%M:%S')+timedelta(seconds=d+tz)).strftime('%m%d %H:%M:%S')
        text=re.sub(r'\b([IWEF])(1[12]\d\d) (\d\d:\d\d:\d\d)(?=\.\d{6})',b,text)
        def c(m): return (datetime.strptime(m.group(0),'%d.%m.%Y %H:%M:%S')+timedelta(seconds=d+tz)).strftime('%d.%m.%Y %H:%M:%S')
        text=re.sub(r'\b\d\d\.11\.2026 \d\d:\d\d:\d\d',c,text)
        def e(m): return (datetime.strptime('2026 '+m.group(0),'%Y %b %d %H:%M:%S')+timedelta(seconds=d+tz)).strftime('%b %d %H:%M:%S')
        text=re.sub(r'\bNov \d\d \d\d:\d\d:\d\d',e,text)
        return text
class Out:
    def __init__(s,name,ext,top=None): s.n=name; s.ext=ext; s.d=f'{BN}/run/out/{name}'; shutil.rmtree(s.d,ignore_errors=True); s.top=top if top is not None else name; os.makedirs(os.path.join(s.d,s.top),exist_ok=True)
    def w(s,p,t):
        q=os.path.join(s.d,s.top,p); os.makedirs(os.path.dirname(q),exist_ok=True)
        t=t.replace('/opt/incidents/','/').replace('/opt/tfenv','/usr/local').replace('/root/.pyenv/versions/3.11.7/','/usr/local/')
        if p.endswith('.gz'):
            import gzip; gzip.open(q,'wt').write(t)
        else: open(q,'w').write(t)
    def pack(s,cause,node,also,notes,mtime):
        for r,_,fs in os.walk(s.d):
            for f in fs+['']: os.utime(os.path.join(r,f),(mtime,mtime))
        a=f'{BN}/set/{s.n}.{s.ext}'
        it=' '.join(sorted(os.listdir(s.d)))
        c={'tar.gz':f'tar --owner=0 --group=0 -czf {a} {it}','tgz':f'tar --owner=0 --group=0 -czf {a} {it}','tar.zst':f'tar --owner=0 --group=0 --zstd -cf {a} {it}','tar.xz':f'tar --owner=0 --group=0 -cJf {a} {it}','tar':f'tar --owner=0 --group=0 -cf {a} {it}','zip':f'rm -f {a}; zip -qr {a} {it}'}[s.ext]
        subprocess.run(c,shell=True,cwd=s.d,check=True)
        import yaml
        yaml.safe_dump(dict(archive=f'{s.n}.{s.ext}',cause=cause,culprit_node=node,also_acceptable=also,notes=notes),open(f'{BN}/set/{s.n}.truth.yaml','w'),sort_keys=False,allow_unicode=True,width=1000)
def P(d,tag): return [p for p in d['procs'] if p['tag']==tag][0]
def T(p): return '\n'.join(l for _,l in p['lines'])+'\n'
ALL={}
def case(f): ALL[f.__name__]=f; return f

@case
def e01():
    d=load('i01'); S=Sh(datetime(2026,11,12,2,17,5).timestamp()-d['t']-3600,3600); o=Out('isradar-rype-20261112','tar.gz')
    t0=min(l[0][0] for l in d['lines'].values())
    iso=lambda t:U(t+S.d,S.tz).strftime('%Y-%m-%dT%H:%M:%S+0100')
    pid={'isbjorn':2211,'rype':41874,'havert':919}; rc=dict(zip(d['lines'],d['rc']))
    for h,L in d['lines'].items():
        x=[f'{iso(t0-.4)} {h} systemd[1]: Started isradar-tren.service - Trening isradar (MultiWorker).']
        x+=[f'{iso(t)} {h} isradar-tren[{pid[h]}]: '+S(l) for t,l in L]
        te=L[-1][0]+.4
        if h=='rype':
            te=d['t']
            x+=[f'{iso(te)} {h} systemd[1]: isradar-tren.service: A process of this unit has been killed by the OOM killer.',
                f'{iso(te)} {h} systemd[1]: isradar-tren.service: Main process exited, code=killed, status=9/KILL',f"{iso(te)} {h} systemd[1]: isradar-tren.service: Failed with result 'oom-kill'.",f'{iso(te)} {h} systemd[1]: isradar-tren.service: Consumed 13.914s CPU time, 1.0G memory peak, 0B memory swap peak.']
        else: x+=[f'{iso(te)} {h} systemd[1]: isradar-tren.service: Main process exited, code=exited, status=1/FAILURE',f"{iso(te)} {h} systemd[1]: isradar-tren.service: Failed with result 'exit-code'."]
        o.w(f'{h}/journal-isradar-tren.txt','\n'.join(x)+'\n')
        o.w(f'{h}/miljo.txt',f'EKKO_CACHE={"all" if h=="rype" else "lru:64"}\nCUDA_VISIBLE_DEVICES=-1\nTF_NUM_INTRAOP_THREADS=1\nTF_CONFIG='+cfgs({"worker":["isbjorn:2222","rype:2222","havert:2222"]},'worker',list(pid).index(h))+'\n')
    k=[]
    base=d['t']-.6
    for n,(ago,m) in enumerate([(190000,'usb 1-3: new high-speed USB device number 4 using xhci_hcd'),(189990,'usb 1-3: USB disconnect, device number 4'),(88500,'EXT4-fs (sdb1): mounted filesystem 6e2a8b11-6a0c-4d0e-a0f2-7c1d8f0b2b6e r/w with ordered data mode. Quota mode: none.'),(41200,'mce: CPU3: Core temperature above threshold, cpu clock throttled (total events = 12)'),(41199,'mce: CPU3: Core temperature/speed normal'),(8000,'perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500')]): k.append(f'{iso(base-ago)} rype kernel: {m}')
    for l in d['dmesg'].splitlines():
        m=re.match(r'\[ *([\d.]+)\] ?(.*)',l)
        if not m: continue
        b=m.group(2)
        for hp,(u,np_) in d['map'].items(): b=re.sub(r'\b%s\b'%hp,np_,b)
        b=re.sub(r'PID: \d+','PID: 41931',b).replace('6.18.44-fc-v782 #1 PREEMPT(none)','6.18.9+deb14-amd64 #1 PREEMPT(lazy)  Debian 6.18.9-1')
        b=re.sub(r'^\[ +41874\] +0 +41874','[  41874]     0 41874',b)
        k.append(f'{iso(base)} rype kernel: {b}')
    o.w('rype/journal-kernel.txt','\n'.join(k)+'\n')
    o.w('isbjorn/journal-kernel.txt',f'{iso(base-300000)} isbjorn kernel: EXT4-fs (sda2): re-mounted 1f0e... r/w. Quota mode: none.\n{iso(base-5000)} isbjorn kernel: e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx\n'.replace('1f0e...','1f0e7712-93aa-4b0e-8b11-0f6f7d2c9a10'))
    o.w('LESMEG.txt','Hentet med ssh fra alle tre, torsdag morgen. Jobben stoppet i natt etter noen minutter, rett etter omstart.\nEnhetsfil: /etc/systemd/system/isradar-tren.service (MemoryMax=1100M paa alle, arvet fra den gamle maskinparken)\n/Sigrun\n')
    o.pack('resource.host-oom-killed','rype',[],'rype runs with EKKO_CACHE=all, its cache grows until the unit\'s memory cgroup limit; journal-kernel.txt of rype shows oom-kill of pid 41874 and systemd says oom-kill. isbjorn/havert only see the connection lost / heartbeats missing.',d['t']+S.d+20000)
def cfgs(c,t,i): return json.dumps({'cluster':c,'task':{'type':t,'index':i}})

@case
def e04():
    d=load('i04'); S=Sh(datetime(2026,10,14,3,40,11).timestamp()-d['procs'][0]['lines'][0][0],-5*3600); o=Out('fruta-noche-13oct','tar.zst',top='fruta')
    ev=[]
    for p in d['procs']:
        for t,l in p['lines']: ev.append((t,p['host'],l))
    t0=min(e[0] for e in ev)
    for p in d['procs']:
        ev.append((t0-.3,p['host'],None)); ev.append((p['lines'][-1][0]+.8,p['host'],p['rc']))
    ev.sort(key=lambda e:e[0]); x=[]; pid={'naranja':1878,'limon':1905,'pomelo':2467}
    for t,h,l in ev:
        b={'t':U(t+S.d,S.tz).strftime('%Y-%m-%d %H:%M:%S.%f')[:-3],'nodo':h}
        if l is None: b.update(ev='arranque',pid=pid[h],cmd='/opt/py311/bin/python entrenar.py')
        elif isinstance(l,int): b.update(ev='fin',pid=pid[h],codigo=l)
        else: b.update(ev='salida',linea=S(l))
        x.append(json.dumps(b,ensure_ascii=False))
    o.w('supervisor.jsonl','\n'.join(x)+'\n')
    ls=d['ls']; r=random.Random(4)
    ls=re.sub(r'2026-11-28 23:57 (lote-2026-(\d\d)-(\d))',lambda m:(datetime(2026,9,28)+timedelta(days=7*(int(m.group(2))-40)+int(m.group(3))-1,hours=22,minutes=r.randrange(3,50))).strftime('%Y-%m-%d %H:%M ')+m.group(1),ls)
    o.w('lotes_ls.txt','$ for n in naranja limon pomelo; do ssh $n ls -l --time-style=long-iso /srv/fruta/lotes/$n; done\n'+ls.replace('/srv/fruta/lotes/limon','limon').replace('root root','empaque empaque'))
    o.w('supervisor.toml','[trabajo]\nnombre = "calibre-noche"\nnodos = ["naranja", "limon", "pomelo"]\npuerto = 9900\nreintentos = 0\n[comando]\npython = "/opt/py311/bin/python"\nscript = "entrenar.py"\n')
    o.pack('data.corrupt-record','limon',[],'worker:1 on limon hits a DataLossError "corrupted record at 90810" in its own local lots; naranja and pomelo abort later with Socket closed from task:1.',d['procs'][0]['lines'][-1][0]+S.d+9000)

@case
def e05():
    d=load('i05'); S=Sh(datetime(2026,11,3,16,22,40).timestamp()-d['procs'][0]['lines'][0][0],0); o=Out('picker_panes','tgz',top='')
    R={'etna':0,'hekla':1,'teide':1,'fuji':3}
    end=max(p['lines'][-1][0] for p in d['procs'])
    for p in d['procs']:
        h=p['host']; t=S(T(p))
        head=f'quake@{h}:~$ cd picker\nquake@{h}:~/picker$ source /opt/tf221/bin/activate\n(tf221) quake@{h}:~/picker$ git log --oneline -1\n4be71d0 (HEAD -> main) shorter S-window\n(tf221) quake@{h}:~/picker$ python seismo_train.py --nodes etna,hekla,teide,fuji --rank {R[h]}\n'
        t=head+t
        if h=='hekla': t=t.rstrip('\n')+'\n^C^C^Z\n[1]+  Stopped                 python seismo_train.py --nodes etna,hekla,teide,fuji --rank 1\n(tf221) quake@hekla:~/picker$ kill -9 %1\n[1]+  Killed                  python seismo_train.py --nodes etna,hekla,teide,fuji --rank 1\n(tf221) quake@hekla:~/picker$ \n'
        else: t+=f'(tf221) quake@{h}:~/picker$ echo $?\n1\n(tf221) quake@{h}:~/picker$ \n'
        o.w(f'pane-{"etna hekla teide fuji".split().index(h)}-{h}.txt',t)
    o.w('session.txt','$ tmux list-panes -a -F "#{session_name}:#{window_index}.#{pane_index} #{pane_title} #{pane_current_command} #{pane_pid}"\npicker:0.0 etna ssh 20117\npicker:0.1 hekla ssh 20125\npicker:0.2 teide ssh 20133\npicker:0.3 fuji ssh 20141\nmisc:0.0 laptop bash 1188\n\nsame four machines trained fine on friday. third try today, always the same "likely restarted", but nobody restarted anything.\n')
    o.pack('config.task-index','teide',[],'teide was started with --rank 1 (hekla\'s) instead of 2: two different incarnations of worker:1 reach the leader, task:2 never comes; teide prints "Started server with target: grpc://hekla:3333".',end+S.d+600)

@case
def e07():
    d=load('i07'); S=Sh(datetime(2026,11,18,20,5,0).timestamp()-d['procs'][0]['lines'][0][0],0); o=Out('lastprognose_2026-11-18','zip')
    ev=sorted([(t,p['host'],l) for p in d['procs'] for t,l in p['lines']],key=lambda e:e[0])
    x=['+ xargs -P4 -I{} ./ein_knoten.sh {} < knoten.lst']
    x+=[f'{h[3:]:<5}| {S(l)}' for t,h,l in ev]
    x+=['ost  | Ende Status 3','nord | Ende Status 3','west | Ende Status 3','sued | Ende Status 3','xargs: ./ein_knoten.sh: exited with status 123' if 0 else '+ rc=123','+ echo Lauf 118 beendet mit 123','Lauf 118 beendet mit 123']
    o.w('lauf118.log','\n'.join(x)+'\n')
    o.w('knoten.lst','wn-nord\nwn-ost\nwn-sued\nwn-west\n')
    o.w('ein_knoten.sh','#!/bin/bash\n# ein Knoten, Ausgabe mit Gebiet davor\ng=${1#wn-}\nssh $1 "cd /srv/grid && AREA=$g TF_CONFIG=\'$(./tfconfig.py $1)\' /opt/grid/venv/bin/python gridload.py" 2>&1 | sed -u "s/^/$(printf %-5s $g)| /"\nrc=${PIPESTATUS[0]}\necho "$(printf %-5s $g)| Ende Status $rc"; exit $rc\n')
    # the run before, healthy with other data
    r=random.Random(7); y=[]
    for k in range(0,1200,5):
        m=[1.18-.00018*k+r.gauss(0,.02) for _ in range(4)]
        for a,v in zip(('nord','ost','sued','west'),m): y.append(f'{a:<5}| it={k:04d} mae_local={v:.4f} mae_all={sum(m)/4:.4f}')
    o.w('lauf117_auszug.log','\n'.join(y)+'\n')
    o.pack('numeric.nan',['wn-ost','worker:1'],[],'mae_local becomes nan first on area ost at it=0250 while the three others are still finite there; only ost reports std_min=0.00000, i.e. rows with zero deviation are divided by zero. The other ranks follow one step later through the all-reduce.',d['procs'][0]['lines'][-1][0]+S.d+700)
if __name__=='__main__':
    for n in (sys.argv[1:] or ALL): ALL[n](); print(n,'ok')
