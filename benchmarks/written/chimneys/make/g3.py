from rend import *
random.seed(13)
# 11 psdead
hp={"c0":("sever.dimnik.lan","10.77.4.2"),"p0":("jezersko.dimnik.lan","10.77.4.14"),"p1":("crnivec.dimnik.lan","10.77.4.16"),"w0":("vrsic.dimnik.lan","10.77.4.11"),"w1":("ljubelj.dimnik.lan","10.77.4.12")}
def M(b): return {b:"c0",b+1:"p0",b+2:"p1",b+3:"w0",b+4:"w1"}
r=Run("psdead",hp,M(23211),"2026-11-26 23:31:09")
n="sever-0427"
w(n,"koordinator/sever.log",r.plain("c0"))
for k in ("w0","w1"):
    w(n,f"delavci/{hp[k][0].split('.')[0]}.log",r.plain(k))
w(n,"hramba/jezersko.log",r.plain("p0"))
# crnivec's log was truncated by the restart : only a second start is there
L=[x for t,x in r.lines("p1")][:20]
import re as _re
def later(x,d=33*3600-1700):
    x=EP.sub(lambda m:str(int(m[1])+30240),x)
    return _re.sub(r"2026-11-26 23:3(\d):(\d\d)",r"2026-11-27 07:5\1:\2",x).replace("pid %d"%r.pid("p1"),"pid 1877")
p1=r.pid("p1")
w(n,"hramba/crnivec.log","\n".join(later(x).replace(f" {p1} ","  1877 ").replace(" 24729 ","  1911 ") for x in L)+"\n")
w(n,"POVZETEK.txt","""POMETI v2.3            pet 27 nov 2026 08:02:44 CET
kdo:   tine
kaj:   napoved goriva, ponoči (koordinator sever, hramba jezersko+crnivec, delavca vrsic+ljubelj)
opis:  koordinator je po 23:31 odnehal. Javlja, da sta delavca 0 in 1 "failed", torej vrsic in ljubelj?
       Zjutraj sem vse vloge zagnal znova, dnevnik vloge se ob zagonu prepiše (jezerska nisem, ker je še tekel).
opomba: na severju je zvečer tekla varnostna kopija, load 9
""")
pack(n,"tgz",dict(cause="ps.unavailable",node=["crnivec","crnivec.dimnik.lan","ps:1"],also=["network.unreachable-peer","process.killed-by-signal"],notes="The coordinator and both workers lose ps:1 (crnivec) at the same moment: connection reset, then connection refused; what ended it is unknown because its log was overwritten by the restart in the morning. Red herrings: the coordinator names workers 0 and 1 as failed, the backup's load on sever."))
# 12 place : notebook
r=Run("place",hp,M(23221),"2026-11-12 10:12:55",paths=[])
n="poskus-gorivo-3"
txt=[x+"\n" for t,x in r.lines("c0")]
nb={"cells":[
 {"cell_type":"markdown","id":"a1","metadata":{},"source":["# Napoved goriva, poskus 3\n","Normalizacijo bi rada preselila na kartico v ljublju (delavec 1), ker CPU zaostaja."]},
 {"cell_type":"code","id":"a2","execution_count":1,"metadata":{},"source":["!cat /etc/dimnik/gorivo.json | python3 -m json.tool --compact\n","!uptime"],"outputs":[{"name":"stdout","output_type":"stream","text":[json.dumps({"cluster":{"chief":["sever.dimnik.lan:2222"],"ps":["jezersko.dimnik.lan:2222","crnivec.dimnik.lan:2222"],"worker":["vrsic.dimnik.lan:2222","ljubelj.dimnik.lan:2222"]}})+"\n"," 10:12:31 up 58 days,  1:20,  3 users,  load average: 1.02, 0.77, 0.61\n"]}]},
 {"cell_type":"code","id":"a3","execution_count":2,"metadata":{},"source":["!ssh ljubelj lspci | grep -iE 'vga|3d'"],"outputs":[{"name":"stdout","output_type":"stream","text":["00:02.0 VGA compatible controller: Intel Corporation AlderLake-S GT1 (rev 0c)\n","01:00.0 VGA compatible controller: NVIDIA Corporation GA106 [GeForce RTX 3060 Lite Hash Rate] (rev a1)\n"]}]},
 {"cell_type":"code","id":"a4","execution_count":3,"metadata":{},"source":["import os, json, subprocess\n","c = json.load(open('/etc/dimnik/gorivo.json')); c['task'] = {'type': 'chief', 'index': 0}\n","os.environ['TF_CONFIG'] = json.dumps(c)\n","!/opt/dimnik/env/bin/python /opt/dimnik/uci_ps.py --koraki 4000 --naprava /job:worker/replica:0/task:1/device:GPU:0"],"outputs":[{"name":"stdout","output_type":"stream","text":txt}]},
 {"cell_type":"code","id":"a5","execution_count":4,"metadata":{},"source":["!ssh ljubelj '/opt/dimnik/env/bin/pip list 2>/dev/null | grep -i -E \"tensorflow|keras|nvidia\"'"],"outputs":[{"name":"stdout","output_type":"stream","text":["keras             3.15.1\n","tensorflow_cpu    2.21.0\n"]}]},
 {"cell_type":"markdown","id":"a6","metadata":{},"source":["Ne razumem. Je kartica pokvarjena ali jo je kdo izklopil v BIOSu? @Tine"]}],
 "metadata":{"kernelspec":{"display_name":"Python 3 (ipykernel)","language":"python","name":"python3"},"language_info":{"name":"python","version":"3.11.7"}},"nbformat":4,"nbformat_minor":5}
w(n,"gorivo-3.ipynb",json.dumps(nb,indent=1,ensure_ascii=False)+"\n")
w(n,"ljubelj.log",r.plain("w1"))
pack(n,"zip",dict(cause="config.device-placement",node=["ljubelj","ljubelj.dimnik.lan","worker:1"],also=[],notes="The script places the normalisation on /job:worker/task:1/device:GPU:0, but ljubelj has only the CPU build tensorflow_cpu, so no GPU device exists there. Maja suspects a broken card. One may as well name no node, as the argument is the mistake."))
json.dump(1,open("/dev/null","w"))
