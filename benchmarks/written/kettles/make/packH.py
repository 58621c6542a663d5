from pk import *
d=fresh("H"); D=-86400*23-3600*3
subs=std("/opt/sylva/env/lib/python3.11/site-packages","/local/essences",make={"H.py":"/local/essences/entrainer.py"})+[(r"\[H\]","[entrainer]"),(r"^([IWE]) 28/11 (\d\d):",lambda m:"%s 05/11 %02d:"%(m[1],(int(m[2])-3)%24))]
ids={}
for k in (1,2,3):
    h=f"sylva-{k}"; rows=load("H",h); c=conv(rows,D,subs); a="%08x"%R.getrandbits(32); ids[h]=a
    w(d,f"nomad/alloc-{a}/worker.stderr.0",[s for _,s in c])
    t0=c[0][0]; te=c[-1][0]
    st={"ID":a+"-5c1e-9d0b-1f6e-0a9c4be2d7%02d"%k,"NodeName":h,"JobID":"essences","TaskGroup":"worker-%d"%(k-1),"ClientStatus":"failed","TaskStates":{"worker":{"State":"dead","Failed":True,"Events":[{"Type":"Received","Time":int((t0-4)*1e9),"DisplayMessage":"Task received by client"},{"Type":"Task Setup","Time":int((t0-3.8)*1e9),"DisplayMessage":"Building Task Directory"},{"Type":"Started","Time":int((t0-.3)*1e9),"DisplayMessage":"Task started by client"},{"Type":"Terminated","Time":int((te+.5)*1e9),"DisplayMessage":"Exit Code: 1","ExitCode":1},{"Type":"Not Restarting","Time":int((te+.6)*1e9),"DisplayMessage":"Policy allows no restarts"}]}}}
    w(d,f"nomad/alloc-{a}/status.json",json.dumps(st,indent=2))
    ex=[]
    if k==2:
        t=t0+7; n=0
        first=min(t for t,s in c if "variables cr" in s)
        for dl in (0.01,1.03,2.05,3.08,5.1,9.1,17.3): ex.append((first+dl,f"kernel: [@UP] [UFW BLOCK] IN=eno2 OUT= MAC=0c:42:a1:5e:20:02:0c:42:a1:5e:20:03:08:00 SRC=10.80.3.5 DST=10.80.2.5 LEN=60 TOS=0x00 PREC=0x00 TTL=63 ID={R.randint(1,65000)} DF PROTO=TCP SPT=48212 DPT=12345 WINDOW=64240 RES=0x00 SYN URGP=0"))
        ex.append((t0-1500,"ansible-ansible.builtin.command[40122]: Invoked with _raw_params=ufw reload"))
    for q in range(8): ex.append((t0-600+q*85,f"kernel: [@UP] [UFW BLOCK] IN=eno1 OUT= MAC=0c:42:a1:5e:21:0{k}:00:1b:17:00:01:30:08:00 SRC=192.0.2.{R.randint(3,250)} DST=10.80.{k}.5 LEN=40 TOS=0x00 PREC=0x00 TTL=241 ID={R.randint(1,65000)} PROTO=TCP SPT={R.randint(40000,60000)} DPT={R.choice([23,445,3389,8080])} WINDOW=1024 RES=0x00 SYN URGP=0"))
    w(d,f"hotes/{h}_syslog.log",syslog(h,t0-1800,te+60,-5,ex,fmt="%Y-%m-%dT%H:%M:%S.%f-05:00",ip=f"10.80.{k}.5",rate=14))
w(d,"LISEZMOI.md",["L'entraînement démarre (stratégie prête), puis tombe une vingtaine de secondes plus tard, à chaque fois.","Les journaux de sylva-2 disent que la tâche 0 est injoignable (Connection refused) : on a donc remplacé la carte réseau de sylva-1, sans effet.","`nomad alloc logs -stderr` + syslog des trois hôtes."])
pack(d,"sylva-essences-5",".tar.xz","network.timeout","sylva-2",["network.unreachable-peer"],"Every worker reaches the leader, but packets between sylva-2 and sylva-3 are dropped by sylva-2's firewall (UFW BLOCK SRC=10.80.3.5 DPT=12345): the ring connection from sylva-3 to 10.80.2.5 ends after 20 s with 'tcp handshaker shutdown'. sylva-1's later Connection refused is only its death after the error; blocks of internet scans are noise.")
