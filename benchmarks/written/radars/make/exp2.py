from exp import *
@case
def e02():
    d=load('i02'); S=Sh(datetime(2026,10,30,9,14,3).timestamp()-d['t'],0); o=Out('adrank-2026-10-30','zip',top='')
    names={'adrank-chief-0':'chief-0','adrank-worker-0':'worker-0','adrank-worker-1':'worker-1','adrank-ps-0':'ps-0','adrank-ps-1':'ps-1'}
    for p in d['procs']:
        o.w(f'logs/{p["host"]}.log','\n'.join(f"{U(t+S.d).strftime('%Y-%m-%dT%H:%M:%S.%f')}{random.Random(int(t*1e6)).randrange(100,999)}Z {S(l)}" for t,l in p['lines'])+'\n')
    t=lambda x:U(d['t']+S.d+x)
    o.w('pods.txt','''$ kubectl -n ads-ml get pods -o wide
NAME              READY   STATUS      RESTARTS   AGE     IP             NODE              NOMINATED NODE   READINESS GATES
adrank-chief-0    0/1     Error       0          6m41s   10.244.3.17    k8s-cpu-b-7pqzl   <none>           <none>
adrank-ps-0       1/1     Running     0          6m41s   10.244.3.18    k8s-cpu-b-7pqzl   <none>           <none>
adrank-ps-1       0/1     Error       0          6m41s   10.244.9.131   k8s-cpu-d-x2m4t   <none>           <none>
adrank-worker-0   1/1     Running     0          6m41s   10.244.5.40    k8s-cpu-a-vv9sk   <none>           <none>
adrank-worker-1   1/1     Running     0          6m41s   10.244.6.8     k8s-cpu-c-m8hj2   <none>           <none>

$ kubectl -n ads-ml describe pod adrank-ps-1 | sed -n '/^Containers/,/^Conditions/p'
Containers:
  tensorflow:
    Container ID:  containerd://c1b07d7c9f0a3c9be0a44f27a5c2f4f5d0ad92f5b53e8d2b8e0f1c7f6f4ee2ab
    Image:         registry.ads.internal/ml/adrank:2.21-r4
    Port:          5000/TCP
    State:          Terminated
      Reason:       Error
      Exit Code:    137
      Started:      %s
      Finished:     %s
    Ready:          False
    Restart Count:  0
    Limits:
      cpu:     2
      memory:  4Gi
    Requests:
      cpu:     1
      memory:  2Gi
Conditions:
'''%(t(-33).strftime('%a, %d %b %Y %H:%M:%S +0000'),t(0).strftime('%a, %d %b %Y %H:%M:%S +0000')))
    o.w('top.txt','''$ kubectl -n ads-ml top pods   (taken while it was running)
NAME              CPU(cores)   MEMORY(bytes)
adrank-chief-0    412m         488Mi
adrank-ps-0       118m         371Mi
adrank-ps-1       121m         369Mi
adrank-worker-0   377m         402Mi
adrank-worker-1   381m         399Mi
''')
    o.w('events.txt','''$ kubectl -n ads-ml get events --sort-by=.lastTimestamp
LAST SEEN   TYPE      REASON             OBJECT                 MESSAGE
6m40s       Normal    Scheduled          pod/adrank-ps-1        Successfully assigned ads-ml/adrank-ps-1 to k8s-cpu-d-x2m4t
6m40s       Normal    Scheduled          pod/adrank-chief-0     Successfully assigned ads-ml/adrank-chief-0 to k8s-cpu-b-7pqzl
6m39s       Normal    Pulled             pod/adrank-chief-0     Container image "registry.ads.internal/ml/adrank:2.21-r4" already present on machine
6m39s       Normal    Started            pod/adrank-chief-0     Started container tensorflow
6m38s       Normal    Started            pod/adrank-ps-1        Started container tensorflow
6m38s       Normal    Started            pod/adrank-worker-0    Started container tensorflow
6m12s       Warning   FailedMount        pod/features-sync-28   MountVolume.SetUp failed for volume "creds" : secret "gcs-creds-old" not found
5m58s       Warning   BackOff            pod/features-sync-27   Back-off restarting failed container sync in pod features-sync-27_ads-ml(3c1d0c1e-7b53-4c6e-9f3a-2e5a1f0a9c11)
''')
    o.pack('ps.unavailable',['adrank-ps-1','ps-1','k8s-cpu-d-x2m4t'],['process.killed-by-signal'],'ps task 1 (adrank-ps-1, 10.244.9.131) died with exit code 137 (reason Error, not OOMKilled, memory at 369Mi of 4Gi), its log just ends; the chief then fails with UnavailableError connection refused to 10.244.9.131:5000.',d['t']+S.d+420)

@case
def e08():
    d=load('i08'); hang=max(t for p in d['procs'] for t,l in p['lines'] if 'ep0' in l); W=10260.0
    S=Sh(datetime(2026,11,24,23,51,20).timestamp()-hang,0); S2=Sh(S.d+W,0); o=Out('asr-align-hang','tar.xz')
    for i,p in enumerate(d['procs']):
        cut=hang+20
        o.w(f'rank{i}_{p["host"]}.out','\n'.join((S if t<cut else S2)(l) for t,l in p['lines'])+'\nKilled\n')
    ps=''
    for h,t in d['ps'].items():
        for l in t.splitlines():
            a=l.split(); ps+=f'{h}: {a[0]:>7} {"Sl" :<4} {round(0.4+.1*(len(h)%3),1):>4} {int(a[3])+int(W):>7} {" ".join(a[4:])}\n'
    o.w('ps_02h40.txt','# pdsh -w gpu-[blue,green,red] "ps -eo pid,stat,pcpu,etimes,args | grep asr_align"\n'+ps)
    o.w('share.txt','$ ls -l --time-style=+%H:%M:%S /srv/asr/sync /srv/asr/manifests\n'+re.sub(r'(root root +\d+ )(\d\d:\d\d:\d\d)',lambda m:m.group(1).replace('root root','asr asr')+(S('2026-11-28 '+m.group(2)).split()[1] if 'ep0' else ''),d['wc'])+'\n$ nvidia-smi: not installed here (cpu prealign)\n$ ping -c2 gpu-red\n2 packets transmitted, 2 received, 0% packet loss, time 1001ms\n')
    o.w('README','hangs in the first epoch since about midnight, no error anywhere. sent USR1 for stacks at 02:42, then TERM (ignored?), then kill -9.\nlast week with the old corpus it ran through all three epochs.\n')
    o.pack('data.uneven-shards',['gpu-red','rank2','worker:2'],['sync.hang'],'rank2 has only 368 steps per epoch (its manifest is smaller), the others 400; it reaches "end of shard" and waits in wait_peers while rank0/1 stand in the all-reduce of step 368.. (stacks, last lines 360/400).',hang+S2.d+900)

@case
def e10():
    d=load('i10'); S=Sh(datetime(2026,11,9,5,33,7).timestamp()-d['end']['dipper'],0); o=Out('birdcall_night_0911','tar.gz')
    t0=min(p['lines'][0][0] for p in d['procs'])-.5
    jl='Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n'
    for i,h in sorted(enumerate(('wren','dipper','siskin'),1),key=lambda z:d['end'][z[1]]):
        rc=P(d,h)['rc']; jl+=f"{i}\t{h}\t{t0+S.d+i*.01:14.3f}\t{d['end'][h]-t0:10.3f}\t0\t{sum(len(l)+1 for _,l in P(d,h)['lines'])}\t{max(rc,0)}\t{-rc if rc<0 else 0}\tcd /srv/bird && ./node.sh {i-1}\n"
    o.w('joblog.tsv',jl)
    for i,h in enumerate(('wren','dipper','siskin')):
        o.w(f'results/{i}/{h}/stdout','\n'.join(S(l) for _,l in P(d,h)['lines'] if re.match(r'2026',l))+'\n')
        o.w(f'results/{i}/{h}/stderr','\n'.join(S(l) for _,l in P(d,h)['lines'] if not re.match(r'2026',l))+'\n')
    st={n:[[f'{c}{k:02d}',64] for k in range(12,40)] for n,c in (('0','NW'),('1','SE'),('2','MR'))}
    o.w('nightly.txt','05:32 start birdcall on wren dipper siskin (parallel --joblog joblog.tsv --results results --halt never)\n05:33 all three gone\n     lib: libfastfeat.so rebuilt on 7 Nov (Kim), cores are off (ulimit -c 0)\n     dmesg of dipper not readable for our user\n     memory on dipper before start: 23G total, 20G free\n')
    o.pack('process.segfault',['dipper','worker:1'],[],'dipper\'s job ended first with Signal 11 in joblog.tsv; its stderr and stdout just stop after station SE36; wren and siskin only see connection refused to 10.8.14.3 (dipper).',d['end']['wren']+S.d+3000)
if __name__=='__main__':
    for n in (sys.argv[1:] or ['e02','e08','e10']): ALL[n](); print(n,'ok')
