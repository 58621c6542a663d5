import sys; sys.path.insert(0,"/opt/incidents/make")
from rend import *
import math
r=random.Random(15)
I=lambda t:d(t,5.5)
def V(i,s=0): q=random.Random(i+s); return 1.62+0.95*math.exp(-i/2500)+q.gauss(0,.06)
fmt=lambda t:I(t).strftime("%Y-%m-%d %H:%M:%S.")+"%03d"%int(t%1*1000)
Z=lambda t:d(t).strftime("%Y-%m-%dT%H:%M:%S.")+"%03dZ"%int(t%1*1000)
Z9=lambda t:d(t).strftime("%Y-%m-%dT%H:%M:%S.")+"%09dZ"%int(t%1*1e9)
def loom(run,F0,ex,dt,rk,seed,subs=()):
    ns=["kanchi-w0","kanchi-w1"]; L={n:load(run,n) for n in ns}
    rs=min(l[0][0] for l in L.values())
    if not any("loss" in x for l in L.values() for t,x in l):
        tm=TM([(rs,F0)]); return {n:cook(L[n],tm,fmt,subs=subs,tz=5.5) for n in ns},None
    r1=min(first(l," step 0 ") for l in L.values())
    nr=max(int(re.search(r"step (\d+) loss",x).group(1)) for l in L.values() for t,x in l if re.search(r"step \d+ loss",x))+4
    A=F0+(r1-rs); B=A+ex*dt; K=B+nr*dt; tm=TM([(rs,F0),(r1-.01,A),(r1,B),(rk,K)])
    R={}
    for k,n in enumerate(ns):
        o=[]; done=False
        for t,x in cook(L[n],tm,fmt,subs=subs,tz=5.5):
            m=re.search(r"step (\d+) loss ([\d.]+)",x)
            if m and not done:
                done=True
                for i in range(0,ex,4): tt=A+i*dt+r.gauss(0,.05); o.append((tt,f"{fmt(tt)} loomnet w{k} step {i} loss {V(i,seed):.4f}"))
            if m: i=int(m.group(1))+ex; x=x.replace(m.group(0),f"step {i} loss {V(i,seed):.4f}")
            o.append((t,x))
        R[n]=o
    return R,K
# --- abort
L=load("in_abort","kanchi-w0"); R,K=loom("in_abort",ep("2026-11-09 11:20:32",5.5),0,1.15,first(L,"munmap_chunk"),3)
# heap damage comes after ~350 steps whatever; older attempts are the same: keep the real length, add the earlier attempt
R2,K2=loom("in_abort",ep("2026-11-09 10:58:02",5.5),0,1.1,first(L,"munmap_chunk"),4)
S=stage("KAN-884")
allv=sorted([(t,f"{n}-1  | {Z9(t)} {x}") for n in R for t,x in R[n]],key=lambda a:a[0])
put(S,"compose-logs.txt","$ docker compose logs -t --no-color\n"+"".join(x+"\n" for _,x in allv))
put(S,"compose-ps.txt","""$ docker compose ps -a
NAME              IMAGE                          COMMAND                  SERVICE     CREATED          STATUS                        PORTS
kanchi-w0-1       loomnet:nov-3                  "bash -c 'python loo…"   kanchi-w0   14 minutes ago   Exited (134) 7 minutes ago
kanchi-w1-1       loomnet:nov-3                  "bash -c 'python loo…"   kanchi-w1   14 minutes ago   Exited (1) 7 minutes ago
kanchi-cam-1      loomcam:2.2                    "/usr/bin/tini -- /c…"   cam         9 days ago       Up 9 days                     0.0.0.0:8554->8554/tcp
""".replace("bash -c 'python loo…","bash -c 'python loo…"))
put(S,"compose.yaml","""services:
  kanchi-w0: &w
    image: loomnet:nov-3
    hostname: kanchi-w0
    networks: {loom: {ipv4_address: 172.28.0.4}}
    volumes: ["/data/looms:/srv/loom"]
    environment:
      TF_CONFIG: '{"cluster": {"worker": ["kanchi-w0:9333", "kanchi-w1:9333"]}, "task": {"type": "worker", "index": 0}}'
      LOOM_SPAN: "516"
    mem_limit: 6g
  kanchi-w1:
    <<: *w
    hostname: kanchi-w1
    networks: {loom: {ipv4_address: 172.28.0.5}}
    environment:
      TF_CONFIG: '{"cluster": {"worker": ["kanchi-w0:9333", "kanchi-w1:9333"]}, "task": {"type": "worker", "index": 1}}'
  cam:
    image: loomcam:2.2
    ports: ["8554:8554"]
networks:
  loom:
    ipam: {config: [{subnet: 172.28.0.0/16}]}
""")
put(S,"from_revathi.txt","Sir, third time today. w1 gives the long traceback (connection reset by peer, RecvBuf), so w1\nis the bad one isn't it? I increased mem_limit from 4g to 6g, same result. docker stats was\nshowing 700 MB only.\n")
pack(S,"KAN-884.tgz")
write_truth("KAN-884.tgz","process.abort-check",["kanchi-w0","kanchi-w0-1","worker:0"],[],"kanchi-w0 died of glibc's heap check (munmap_chunk(): invalid pointer, Aborted, exit 134); the long traceback of kanchi-w1 is only the reset connection. Memory limit is not the matter.")
# --- mismatch (Jenkins console)
R,_=loom("in_mismatch",ep("2026-10-27 02:15:40",5.5),0,1,0,1)
S=stage("KAN-861")
t0=R["kanchi-w0"][0][0]; pre=[(-38,"Started by timer"),(-38,"Running as SYSTEM"),(-37.9,"[Pipeline] Start of Pipeline"),(-37.5,"[Pipeline] node"),(-37.4,"Running on kanchi-ci in /var/lib/jenkins/workspace/loomnet-nightly"),(-37.3,"[Pipeline] {"),(-37.2,"[Pipeline] stage"),(-37.2,"[Pipeline] { (Checkout)"),(-36,"The recommended git tool is: NONE"),(-35.6," > git rev-parse --resolve-git-dir /var/lib/jenkins/workspace/loomnet-nightly/.git # timeout=10"),(-35.5,"Fetching changes from the remote Git repository"),(-34.9," > git fetch --tags --force --progress -- git@git.kanchi.example:loom/loomnet.git +refs/heads/*:refs/remotes/origin/* # timeout=10"),(-33.8,"Checking out Revision 5be1f0c2a7d1b4a5f2be3df6e1f0b3a4c27d9e88 (refs/remotes/origin/main)"),(-33.2,"Commit message: \"paisley and temple motifs as own classes\""),(-32,"[Pipeline] }"),(-31.9,"[Pipeline] stage"),(-31.9,"[Pipeline] { (Build image)"),(-31.5,"+ docker build -q -t loomnet:nightly ."),(-9.2,"sha256:4f6d1b0b9be0b4d49cf2b9a1d8f3f2d7f4d1f8c0a1b1f7b3c5a2b9e0d7c6a5f4"),(-9,"[Pipeline] }"),(-8.9,"[Pipeline] stage"),(-8.9,"[Pipeline] { (Two-node smoke)"),(-8.2,"+ ansible looms -i ci/hosts -m shell -a 'docker compose -f /data/looms/compose.yaml up -d'"),(-3.1,"kanchi-w1 | CHANGED | rc=0 >>"),(-3.1," Container kanchi-w1-1  Recreated"),(-2.2,"kanchi-w0 | CHANGED | rc=0 >>"),(-2.2," Container kanchi-w0-1  Recreated"),(-1,"+ ci/follow.sh kanchi-w0 kanchi-w1")]
te=max(c[-1][0] for c in R.values())
lines=[(t0+a,b) for a,b in pre]+[(t,f"{n}: {x}") for n in R for t,x in R[n]]
lines.sort(key=lambda a:a[0])
lines+=[(te+.8,"one of the followers returned non-zero"),(te+.9,"[Pipeline] }"),(te+1,"[Pipeline] }"),(te+1.1,"[Pipeline] // node"),(te+1.2,"[Pipeline] End of Pipeline"),(te+1.3,"ERROR: script returned exit code 1"),(te+1.3,"Finished: FAILURE")]
put(S,"loomnet-nightly-412-console.txt","".join(f"[{Z(t)}] {x}\n" for t,x in lines))
put(S,"w0.env","LOOM_CLASSES=12\nLOOM_STEPS=1200\n"); put(S,"w1.env","LOOM_CLASSES=14\nLOOM_STEPS=1200\n")
put(S,"mail.eml","From: jenkins@kanchi.example\nTo: loom-ml@kanchi.example\nSubject: loomnet-nightly - Build # 412 - Failure!\nDate: Tue, 27 Oct 2026 02:16:10 +0530\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n\nloomnet-nightly - Build # 412 - Failure:\n\nCheck console output at http://ci.kanchi.example:8080/job/loomnet-nightly/412/ to view the results.\n")
pack(S,"KAN-861.zip")
write_truth("KAN-861.zip","collective.mismatch",["kanchi-w1","worker:1"],["data.shape-mismatch"],"The two workers build models of different size (12 and 14 classes), so the broadcast of the last layer fails on worker 1 with 'Shape mismatch in the collective instance'; worker 0 only reports the missing heartbeats of task 1. Neither machine is ill; worker 1 (and its env) is the one that raised it first.")
# --- healthy with different versions
l0=load("in_skew","kanchi-w0"); R,K=loom("in_skew",ep("2026-11-21 21:40:11",5.5),0,6.4,first(l0," end"),9)
S=stage("KAN-897")
for n in R: put(S,f"{n}.log",txt(R[n]))
f0=subprocess.run(["/opt/tfenv/bin/pip","freeze"],capture_output=True,text=True).stdout
f1=subprocess.run(["/opt/incidents/tf219/bin/pip","freeze"],capture_output=True,text=True).stdout
put(S,"pip_w0.txt",f0); put(S,"pip_w1.txt",f1)
put(S,"whatsapp.txt","[21/11/26, 23:02:14] Revathi: w1 container is still on the old image, tensorflow 2.16 and w0 is 2.21 🙈\n[21/11/26, 23:04:40] Murugan: then the result of tonight cannot be trusted, must have broken somewhere\n[21/11/26, 23:05:02] Murugan: loss also not coming below 1.5\n[21/11/26, 23:52:31] Revathi: sending both logs and freeze, please check what failed\n")
pack(S,"KAN-897.tar.xz")
write_truth("KAN-897.tar.xz","none",None,[],"Healthy: both workers run to 'end' with exit code 0 and equal losses, although the images differ (TF 2.21.0 and 2.16.2). The version difference is real but did no harm; the loss plateau is unremarkable.")
print(I(K))
