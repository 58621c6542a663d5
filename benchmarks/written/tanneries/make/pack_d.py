from pk import *; import json, sys
PY="/root/.pyenv/versions/3.11.7"
P=[("/opt/incidents/make/train.py","/src/train.py"),("/opt/incidents/make/site5","/opt/site"),("/opt/incidents/make/site4","/opt/site"),("/opt/tfenv/lib/python3.11","/usr/local/lib/python3.11"),(PY,"/usr/local"),("172.22.0.11","172.22.0.2"),("172.22.0.12","172.22.0.3"),("172.22.0.13","172.22.0.4")]
R=random.Random(8); Z="Africa/Addis_Ababa"
def merged(raws,w,lead=True):
    """interleave lines with their time"""
    ev=[]
    for h,x in raws:
        last=w.s
        for ln in x.splitlines():
            m=re.search(r"00:00:(\d{10}\.\d+)",ln); m2=re.match(r"(\d\d):(\d\d):(\d\d) bunna",ln)
            if m: last=float(m.group(1))
            elif m2:
                b=w.loc(last).replace(hour=int(m2[1]),minute=int(m2[2]),second=int(m2[3]),microsecond=0).timestamp()
                last=b+R.random()*.06 if last<b<last+40000 else last+R.uniform(.002,.03)
            ev.append((last,h,ln))
    ev.sort(key=lambda e:e[0]); return ev
if "d1" in sys.argv:
    n="bunna-job-88213"; fresh(n)
    raw=[rd("d1/%s.log"%h) for h in "abc"]; t0=first(raw[0]); w=Warp(Z,t0,"2026-04-23T16:44:20",k=2.2)
    ev=merged([("bunna-%s-1"%h,subs(w(x),*P)) for h,x in zip("abc",raw)],w)
    E="\x1b[0;m"; s=int(w.s)-31
    tr=["Running with gitlab-runner 17.2.0 (c24769e8)",f"  on roastery-shell-2 x8Wq1kTz, system ID: s_5b1f3c9d2a77",f"section_start:{s}:prepare_executor","\r\x1b[0KPreparing the \"shell\" executor","Using Shell (bash) executor...",f"section_end:{s+1}:prepare_executor\r\x1b[0K",f"section_start:{s+1}:get_sources\r\x1b[0KGetting source from Git repository","Fetching changes with git depth set to 20...","Reinitialized existing Git repository in /home/gitlab-runner/builds/x8Wq1kTz/0/cupping/bunna/.git/","Checking out 7be01f4c as detached HEAD (ref is main)...","Skipping Git submodules setup",f"section_end:{s+4}:get_sources\r\x1b[0K",f"section_start:{s+4}:step_script\r\x1b[0KExecuting \"step_script\" stage of the job script",
    "$ docker context use swarm-less && docker compose version","swarm-less","Docker Compose version v2.29.1","$ docker compose pull --ignore-pull-failures || true"," bunna-a Pulling "," bunna-b Pulling "," bunna-c Pulling "," bunna-a Pulled "," bunna-b Pulled "," bunna-c Warning Get \"https://hub.cupping.et/v2/\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)","$ docker compose up --no-build --abort-on-container-exit --no-color"," Network bunna_default  Creating"," Network bunna_default  Created"," Container bunna-bunna-c-1  Creating"," Container bunna-bunna-a-1  Creating"," Container bunna-bunna-b-1  Creating"," Container bunna-bunna-c-1  Created"," Container bunna-bunna-a-1  Created"," Container bunna-bunna-b-1  Created","Attaching to bunna-a-1, bunna-b-1, bunna-c-1"]
    tr+=["%-10s | %s"%(h,l) for _,h,l in ev]
    e=int(ev[-1][0])+1
    tr+=["bunna-a-1 exited with code 1","Aborting on container exit..."," Container bunna-bunna-c-1  Stopping"," Container bunna-bunna-b-1  Stopping"," Container bunna-bunna-a-1  Stopping"," Container bunna-bunna-a-1  Stopped"," Container bunna-bunna-b-1  Stopped"," Container bunna-bunna-c-1  Stopped",f"section_end:{e}:step_script\r\x1b[0K",f"section_start:{e}:cleanup_file_variables\r\x1b[0KCleaning up project directory and file based variables",f"section_end:{e+1}:cleanup_file_variables\r\x1b[0K","\x1b[31;1mERROR: Job failed: exit status 1","\x1b[0;m"]
    wr(n,"job-88213.log","\n".join(tr)+"\n")
    wr(n,"message.eml","""From: Selamawit T. <selam@cupping.et>
To: ml@cupping.et
Subject: job 88213 red
Date: Thu, 23 Apr 2026 17:20:51 +0300
Content-Type: text/plain; charset=utf-8

Hi,
main is red since we merged the CVA form (12 attributes). On my laptop (one container) it trains.
Somebody wrote "x has a wrong batch" in the channel - I checked the batches, they are 32 x 48 in all
three. The trace is attached, raw from GitLab.
Selam
""")
    fin(n,".zip","env.version-skew",["bunna-c","worker:2"],["collective.mismatch","data.shape-mismatch"],"bunna-c could not pull the new image and runs cuplib 0.4.2 (10 attributes) while a and b run 0.5.0 (12), so the all-reduce of the last kernel meets [64,12] and [64,10]. The batch guess is wrong.")
if "d2" in sys.argv:
    n="bunna-night-0612"; fresh(n)
    raw=[rd("d2/%s.log"%h) for h in "abc"]; t0=first(raw[0]); w=Warp(Z,t0,"2026-06-12T00:40:09",k=4)
    ev=merged([("bunna-%s-1"%h,subs(w(x),*P)) for h,x in zip("abc",raw)],w)
    wr(n,"compose-logs.txt","".join("%-10s  | %s %s\n"%(h,dt.datetime.fromtimestamp(t,dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")+"%03dZ"%R.randint(0,999),l) for t,h,l in ev))
    wr(n,"ps.txt","""NAME              IMAGE                          COMMAND                  SERVICE   CREATED       STATUS                   PORTS
bunna-bunna-a-1   hub.cupping.et/bunna:cva-r7    "python /src/train.py"   bunna-a   8 hours ago   Exited (0) 8 hours ago   
bunna-bunna-b-1   hub.cupping.et/bunna:cva-r7    "python /src/train.py"   bunna-b   8 hours ago   Exited (0) 8 hours ago   
bunna-bunna-c-1   hub.cupping.et/bunna:cva-r7    "python /src/train.py"   bunna-c   8 hours ago   Exited (0) 8 hours ago   
bunna-viewer-1    hub.cupping.et/viewer:1.4      "/docker-entrypoint.…"   viewer    2 weeks ago   Up 2 weeks (unhealthy)   0.0.0.0:8088->80/tcp
""")
    wr(n,"asks.txt","""dawit: the dashboard was frozen at 00:42 this morning and the viewer is "unhealthy", did the training die in the night?
dawit: the short nightly one I mean. loss jumps up and down at the end (0.37 then 0.55) and the log begins with warnings and "Waiting for 2/3 tasks"
selam: send the compose logs and ps -a
""")
    fin(n,".tar.gz","none",None,[],"Healthy run: all 560 batches consumed on the three containers, exit code 0. Start-up warnings and a jumping batch loss are normal; the viewer's unhealthy state is an unrelated container.")
if "d3" in sys.argv:
    n="bunna-pc4"; fresh(n)
    raw=[rd("d3/%s.log"%h) for h in "abc"]; t0=first(raw[0]); w=Warp(Z,t0,"2026-07-02T09:15:30",k=6,tb=1795802263.)
    ends={}
    for h,x in zip("abc",raw):
        x=subs(w(x),*P); 
        for t,_,l in merged([("",x)],w): ends[h]=t
        js=[]
        for t,_,l in merged([("",x)],w): js.append(json.dumps({"log":l+"\n","stream":"stdout" if re.match(r"\d\d:\d\d:\d\d bunna|  roast",l) else "stderr","time":dt.datetime.fromtimestamp(t,dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")+"%03dZ"%R.randint(0,999)},ensure_ascii=False).replace('": "','":"').replace(', "',',"'))
        cid={"a":"7f0c8d1e22ab","b":"c41d77ab0e35","c":"19be0265fd40"}[h]+"%052x"%R.getrandbits(208)
        wr(n,"var-lib-docker-containers/%s-json.log"%cid,"\n".join(js)+"\n")
        ins=[{"Id":cid,"Created":dt.datetime.fromtimestamp(w.s-4,dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.118273645Z"),"Path":"python","Args":["/src/train.py"],"State":{"Status":"exited","Running":False,"Paused":False,"Restarting":False,"OOMKilled":False,"Dead":False,"Pid":0,"ExitCode":1,"Error":"","StartedAt":dt.datetime.fromtimestamp(w.s-3,dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.702918233Z"),"FinishedAt":dt.datetime.fromtimestamp(ends[h]+1,dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.340021871Z")},"Name":"/bunna-bunna-%s-1"%h,"RestartCount":0,"Driver":"overlay2","HostConfig":{"NetworkMode":"bunna_default","RestartPolicy":{"Name":"no","MaximumRetryCount":0},"IpcMode":"private","Memory":0,"NanoCpus":0,"ShmSize":67108864 if h=="b" else 2147483648,"Ulimits":None},"Config":{"Hostname":"bunna-%s"%h,"Image":"hub.cupping.et/bunna:cva-r9","WorkingDir":"/src"}}]
        wr(n,"inspect/%s.json"%h,json.dumps(ins,indent=4)+"\n")
    wr(n,"docker-stats.txt","CONTAINER ID   NAME              CPU %     MEM USAGE / LIMIT     MEM %     NET I/O           BLOCK I/O        PIDS\n7f0c8d1e22ab   bunna-bunna-a-1   96.20%    611.2MiB / 31.1GiB    1.92%     48.1MB / 51.7MB   0B / 12.3kB      41\nc41d77ab0e35   bunna-bunna-b-1   94.87%    628.9MiB / 31.1GiB    1.97%     47.7MB / 49.0MB   0B / 12.3kB      41\n19be0265fd40   bunna-bunna-c-1   97.01%    607.7MiB / 31.1GiB    1.91%     50.2MB / 46.9MB   0B / 12.3kB      41\n")
    wr(n,"memo.md","New compose file on PC4 (I split `x-common` so that b can have its own port). It crashes after some minutes, each time. Memory is fine, see docker-stats (taken a minute before). b says no space but the disk has plenty:\n\n    $ df -h / /var/lib/docker\n    Filesystem      Size  Used Avail Use% Mounted on\n    /dev/nvme0n1p2  457G  171G  263G  40% /\n    /dev/nvme0n1p2  457G  171G  263G  40% /\n    $ df -i /\n    Filesystem       Inodes  IUsed    IFree IUse% Mounted on\n    /dev/nvme0n1p2 30531584 914770 29616814    3% /\n\nThe RAM stick of PC4 was changed last week... bad RAM?\n\n-- Dawit\n")
    fin(n,".tar.xz","resource.shm-exhausted",["bunna-b","worker:1"],["resource.disk-full"],"bunna-b runs with the 64 MiB default /dev/shm (others 2 GiB); after 256 shared-memory frames of 256 KiB a SemLock (also in /dev/shm) fails with ENOSPC while disk and inodes are free. The new RAM stick is a wrong guess.")
