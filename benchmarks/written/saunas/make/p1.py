import sys; sys.path.insert(0,"/opt/incidents/make")
from lib import *
import random
def ports(run):
    ev=json.load(open(f"{BC}/runs/{run}.jsonl"))
    return sorted(set(int(x) for *_,l in ev for x in re.findall(r"127\.0\.0\.1:(\d{5})",l)))
def FI(run,start,**kw):
    P=ports(run); S=[(f"127.0.0.1:{p}",f"10.44.8.{11+i}:5611") for i,p in enumerate(P)]
    S+=[("/opt/incidents/make/core.py","/srv/kiuas/opetus/aja.py"),("/opt/tfenv/","/srv/kiuas/venv/"),(r"/opt/incidents/data/\w",r"/mnt/rekka/loyly/osat"),(r"/opt/incidents/ck/\d+",r"/mnt/rekka/loyly/tp"),('"askel valmis": ','"askel": '),('"step": ','"askel": ')]
    return Run(run,start,S,**kw)
H=["kiuas-01","kiuas-02","kiuas-03"]
def jl(r,i,skew=0):
    out=[]
    for t,l in r.of(f"worker{i}"):
        if l.startswith("{"):
            out.append(l)
        else: out.append(l)
    return out
def launcher(r,hosts,endings,t_off=0):
    p=r.pids(); ex=r.exits(); L=[]
    L.append(f"{D(r.start,h=2)} lauteet[2211] komento: aja --ryhma loyly --koneet {','.join(hosts)}")
    for i,h in enumerate(hosts): L.append(f"{D(r.start+.4*i,h=2)} lauteet[2211] {h}: prosessi {p[f'worker{i}']} käynnissä")
    for k,(t,pid,rc) in sorted(ex.items(),key=lambda x:x[1][0]):
        i=int(k[-1]); m="päättyi normaalisti (paluuarvo 0)" if rc==0 else (f"kuoli signaaliin {-rc}" if rc<0 else f"päättyi virheeseen (paluuarvo {rc})")
        L.append(f"{D(t,h=2)} lauteet[2211] {hosts[i]}: prosessi {pid} {m}")
    L+= [f"{D(max(t for t,_,_ in ex.values())+.4,h=2)} lauteet[2211] {x}" for x in endings]
    return L
# ---- r2 uneven
def fi2():
    r=FI("r2",dt.datetime(2026,10,6,3,12,40),k=5,first='"askel": 1,|"step": 1,|"askel valmis": 1,',last='kierros p')
    b=Box("Rauma-0610")
    for i,h in enumerate(H): b.put(f"lokit/{h}/aja.jsonl",jl(r,i))
    b.put("lokit/lauteet.log",launcher(r,H,["ryhmä loyly: 1/3 valmis, 2/3 epäonnistui. Löyly loppui kesken."]))
    b.put("lueminut.txt","""Moi Anssi,

yön ajo meni taas rikki. Minusta kytkin kiukuttelee (Socket closed, UNAVAILABLE), Pekka sanoo
että kiuas-01:n verkkokortti pitäisi vaihtaa, siitä oli viime kuussa porttivirheitä.
Kiuas-03 meni läpi hyvin, siinä ei ole mitään vikaa, sen lokin voi ohittaa.
Osat tehtiin perjantaina uudestaan, koska lauteiden kuvat puuttuivat.

- Mirja
""")
    rnd=random.Random(4)
    L=["$ ansible kiuas -m shell -a 'ls -l /mnt/rekka/loyly/osat | head -20' "]
    for i,h in enumerate(H):
        L.append(f"{h} | CHANGED | rc=0 >>"); 
        sz=(115200 if i!=2 else 77904)
        sz=os.path.getsize(f"{BC}/data/u/osa-{i}-000.rec")
        L.append(f"total {4*(sz//1024+1)}")
        for k in range(4): L.append(f"-rw-r--r-- 1 kiuas kiuas {sz} Oct  2 15:{31+i}  osa-{i}-{k:03d}.rec".replace(":3",":3"))
    L+=["$ ansible kiuas -m shell -a 'ip -s link show eno1 | tail -4'"]
    for i,h in enumerate(H):
        L+= [f"{h} | CHANGED | rc=0 >>","    RX:  bytes packets errors dropped  missed   mcast",f"    {rnd.randint(8,9)*10**11+rnd.randint(0,10**9)} {rnd.randint(6,8)*10**8} {17 if i==0 else 0}       0       0  {rnd.randint(10000,90000)}","    TX:  bytes packets errors dropped carrier collsns",f"    {rnd.randint(7,9)*10**11+rnd.randint(0,10**9)} {rnd.randint(5,7)*10**8} 0       0       0       0"]
    b.put("koneet.txt",L)
    b.ship("tar.gz").truth("data.uneven-shards",["kiuas-03","worker:2","10.44.8.13"],[],"Worker 2 on kiuas-03 has shorter shard files (541 instead of 800 records each), ends its epoch at step 136 and leaves with exit code 0; the two others are still stepping and get Socket closed/UNAVAILABLE from task 2. The guesses about the switch and kiuas-01's NIC (17 old RX errors) are wrong.")
# ---- r3 none
def fi3():
    r=FI("r3",dt.datetime(2026,11,3,21,5,2),k=7,first='"askel valmis": 1,',last='kierros p')
    b=Box("Pori-223")
    for i,h in enumerate(H):
        b.put(f"{h}.jsonl",[l for l in jl(r,i)])
    b.put("lauteet.log",launcher(r,H,["ryhmä loyly: 3/3 valmis. Löylyt otettu."]))
    rnd=random.Random(8); L=[]
    t=r.start-1800
    while t<r.start+900:
        t+=rnd.expovariate(1/14); h=rnd.choice(["systemd[1]: Started Session %d of user kiuas."%rnd.randint(900,990),"chronyd[812]: Selected source 10.44.8.2","sshd[%d]: Accepted publickey for kiuas from 10.44.8.5 port %d ssh2"%(rnd.randint(9000,40000),rnd.randint(40000,60000)),"CRON[%d]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)"%rnd.randint(9000,40000),"smartd[840]: Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 67 to 66","systemd[1]: sysstat-collect.service: Deactivated successfully.","kernel: [UFW BLOCK] IN=eno1 OUT= MAC=ac:1f:6b:aa:01:02:00:11:32:7c:10:9e:08:00 SRC=10.44.9.77 DST=10.44.8.12 LEN=60 TOS=0x00 PREC=0x00 TTL=63 ID=%d DF PROTO=TCP SPT=%d DPT=9100 WINDOW=64240 RES=0x00 SYN URGP=0"%(rnd.randint(1,65000),rnd.randint(32000,60000))])
        L.append(D(t,"%b %d %H:%M:%S",2).replace(" 0","  ")+" kiuas-02 "+h)
    b.put("kiuas-02.syslog",L)
    b.put("viesti.txt","""Mistä: Olavi / Kenelle: koneporukka
Aihe: kiuas-02 hidas?

Katsoin eilisillan ajoa ja sync_ms hyppii kiuas-02:lla välillä yli 400 ms. Lisäksi palomuuri
heittää siellä paketteja pois (UFW BLOCK) ja alussa lukee stderr:ssä WARNING. Onko kone hajoamassa?
Tarkistuspisteet kyllä löytyvät levyltä. Liitteenä kaikki mitä löysin.
""")
    b.ship("tar.xz").truth("none",None,[],"A healthy run: all three workers do 200 steps, save five checkpoints and exit 0. UFW blocks concern port 9100 (node exporter) from a foreign subnet, sync_ms jitter is the same on all workers, oneDNN/absl warnings are normal.")
def PLr(run,start,**kw):
    ev=json.load(open(f"{BC}/runs/{run}.jsonl"))
    P=ports(run); S=[]
    for p in P:
        o=p%20; S.append((f"127.0.0.1:{p}", (f"172.28.4.{10+o}:2222" if o<10 else f"172.28.4.{20+o-10}:2222")))
    S+=[("/opt/incidents/make/tfps.py","/app/kiszonka/trener.py"),("/opt/tfenv/lib/","/usr/local/lib/"),("/opt/incidents/data/nauczyciel.pb","/modele/nauczyciel.pb"),(r"/opt/incidents/ck/\d+",r"/wyniki/ogorki"),("serwer gRPC dziala","serwer gRPC działa")]
    return Run(run,start,S,**kw)
def pl8():
    r=PLr("r8",dt.datetime(2026,9,17,8,41,20)); b=Box("Ilawa-17")
    names={"ps0":"ps0-1","worker0":"robotnik0-1","worker1":"robotnik1-1"}; L=[]
    ex=r.exits()
    allv=[(t,k,l) for t,k,s,l in r.ev if k in names]
    for k,(t,pid,rc) in ex.items(): allv.append((t,"X"+k,rc))
    for t,k,l in sorted(allv,key=lambda x:x[0]):
        if k[0]=="X": L.append(f"{names[k[1:]]} exited with code {l}")
        else: L.append(f"{names[k]:<12} | {l}")
    b.put("compose-2026-09-17.log",[" Container beczka-ps0-1  Created"," Container beczka-robotnik0-1  Created"," Container beczka-robotnik1-1  Created","Attaching to ps0-1, robotnik0-1, robotnik1-1"]+L)
    o=PLr("r8ok",dt.datetime(2026,9,10,8,40,2),k=5,first=r"lokalnie 1\)",last="koniec|krok"); ex=o.exits()
    al=[(t,k,l) for t,k,s,l in o.ev if k in names]+[(t,"X"+k,rc) for k,(t,pid,rc) in ex.items()]
    b.put("compose-2026-09-10.log",["Attaching to ps0-1, robotnik0-1, robotnik1-1"]+[f"{names[k[1:]]} exited with code {l}" if k[0]=="X" else f"{names[k]:<12} | {l}" for t,k,l in sorted(al,key=lambda x:x[0])])
    b.put("docker-compose.yml","""name: beczka
x-robot: &robot
  image: rejestr.kwasnystaw.example/kiszonka:2026.09-cpu
  volumes:
    - /dane/modele:/modele:ro
    - /dane/wyniki:/wyniki
  networks: [piwnica]
services:
  ps0:
    <<: *robot
    hostname: ps0
    command: python -u /app/kiszonka/trener.py ps 0
  robotnik0:
    <<: *robot
    hostname: robotnik0
    command: python -u /app/kiszonka/trener.py worker 0
  robotnik1:
    <<: *robot
    hostname: robotnik1
    command: python -u /app/kiszonka/trener.py worker 1
networks:
  piwnica:
    ipam: {config: [{subnet: 172.28.4.0/24}]}
""")
    b.put("slack.txt","""#beczka-ml
[10:52] Wiesiek: znowu padły obydwa roboty zaraz po starcie, ps stoi i czeka
[10:53] Wiesiek: w logu nic tylko że oneDNN i AVX512. czy to nie procesor? na starym serwerze nie było AVX512
[10:55] Halina: a kto podmienił nauczyciela? w /dane/modele jest plik z wczoraj 19:40
[10:56] Wiesiek: Tomek eksportował na swoim laptopie, ma świeższe wszystko, mówił że to ten sam graf
[10:58] Halina: pip freeze z obrazu w załączniku, w obrazie nic się nie zmieniło od początku września
""")
    b.put("pip-freeze.txt",subprocess.run(["/opt/tfenv/bin/pip","freeze"],capture_output=True,text=True).stdout.replace("py-spy==0.4.3\n",""))
    b.ship("zip").truth("serialization.version",None,["env.version-skew"],"Both workers die importing the teacher graph: its GraphDef min_consumer 2600 is above this TensorFlow 2.21.0's version 2474 (exported on a colleague's newer TensorFlow). All workers fail identically, so no node is to blame; AVX512/oneDNN lines are normal.")
if __name__=="__main__":
    for f in sys.argv[1:]: globals()[f]()
