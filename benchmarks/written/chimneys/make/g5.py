from rend import *
random.seed(15)
P=lambda a,n=3:{a+i:f"w{i}" for i in range(n)}
# 15 tls (hard): server's access log + survivors
hh=dict(H); hh["s"]=("katran.dimnik.lan","10.77.4.31")
r=Run("tls",hh,P(23401),"2026-11-10 08:05:50",paths=[("localhost:23409","katran.dimnik.lan:8443"),("host='localhost', port=23409","host='katran.dimnik.lan', port=8443"),("/opt/incidents/make/lok0","/var/lib/dimnik/letnik25"),("/opt/incidents/make/lok1","/var/lib/dimnik/letnik25"),("/opt/incidents/make/lok2","/var/lib/dimnik/letnik25"),("/opt/incidents/make/tls/ca1.pem","/etc/ssl/dimnik/ca.pem"),("/opt/incidents/make/tls/ca.pem","/etc/ssl/dimnik/ca.pem")])
n="sever-0410"
out=[]
L={k:r.lines(k) for k in ("w0","w1","w2")}
def task(h,k):
    rc=r.rc(k)[1]; body="\n".join(x for t,x in L[k])
    return h,rc,body
o=f"""
PLAY [trojica] *****************************************************************

TASK [Gathering Facts] *********************************************************
ok: [predel]
ok: [vrsic]
ok: [ljubelj]

TASK [dimnik : ca v /etc/ssl/dimnik/ca.pem] ************************************
ok: [vrsic]
ok: [predel]
ok: [ljubelj]

TASK [dimnik : okolje python] **************************************************
ok: [vrsic]
ok: [ljubelj]
ok: [predel]

TASK [dimnik : ustavi stare] ***************************************************
changed: [vrsic]
changed: [predel]
changed: [ljubelj]

TASK [dimnik : zakuri in pocakaj] **********************************************
"""
t1=r.rc("w1")[0]
for h,k in (("ljubelj","w1"),("vrsic","w0"),("predel","w2")):
    lines=[x for t,x in L[k]]
    d={"changed":True,"cmd":["/opt/dimnik/zakuri","--tu","ucenje"],"delta":f"0:00:{r.rc(k)[0]-L[k][0][0]+2:09.6f}","end":f"{loc(r.rc(k)[0]):%Y-%m-%d %H:%M:%S}.{random.randint(100000,999999)}","msg":"non-zero return code","rc":1,"start":f"{loc(L[k][0][0]-2):%Y-%m-%d %H:%M:%S}.{random.randint(100000,999999)}","stderr":"\n".join(lines),"stderr_lines":lines,"stdout":"","stdout_lines":[]}
    o+=f"fatal: [{h}]: FAILED! => {json.dumps(d,ensure_ascii=True)}\n"
o+="""
PLAY RECAP *********************************************************************
ljubelj                    : ok=4    changed=1    unreachable=0    failed=1    skipped=2    rescued=0    ignored=0   
predel                     : ok=4    changed=1    unreachable=0    failed=1    skipped=2    rescued=0    ignored=0   
vrsic                      : ok=4    changed=1    unreachable=0    failed=1    skipped=2    rescued=0    ignored=0   

"""
w(n,"ansible-zagon.log",f"$ ansible-playbook -i trojica zakuri.yml\n"+o)
acc=[]
for t,k,s,x in r.ev:
    if k=="s" and s=="e":
        acc.append((t,x))
seen={}
ips=["10.77.4.11","10.77.4.13"]; al=[]
cnt={}
for t,x in acc:
    m=re.search(r'"GET (\S+)',x)
    if not m: continue
    i=cnt.get(m[1],0); cnt[m[1]]=i+1
    al.append(f'{ips[i%2]} - - [{loc(t):%d/%b/%Y:%H:%M:%S} +0100] "GET {m[1]} HTTP/1.1" 200 {random.randint(132000,134000) if m[1].endswith("rd") else 2911} "-" "python-requests/2.34.2"')
w(n,"katran/access.log","\n".join(al)+"\n")
w(n,"katran/error.log",f"""{loc(t1-500):%Y/%m/%d %H:%M:%S} [notice] 1122#1122: signal process started
{loc(t1-500):%Y/%m/%d %H:%M:%S} [notice] 1122#1122: using the "epoll" event method
{loc(t1-.1):%Y/%m/%d %H:%M:%S} [info] 7710#7710: *41 SSL_do_handshake() failed (SSL: error:0A000418:SSL routines::tlsv1 alert unknown ca:SSL alert number 48) while SSL handshaking, client: 10.77.4.12, server: 0.0.0.0:8443
""")
w(n,"dopis.txt","""Živjo, po zamenjavi potrdila na katranu (staro je poteklo v nedeljo) sem v ansible dal novi ca.pem in spet zagnal.
Trojica vseeno pade. ansible za vse tri pravi ok pri ca.pem, torej je potrdilo urejeno; potem pa "task 1 unhealthy".
Kaj je s heartbeati? Je ljubelj preobremenjen?
T.
""")
pack(n,"tar.bz2",dict(cause="network.tls",node=["ljubelj","ljubelj.dimnik.lan","worker:1"],also=[],notes="ljubelj (worker 1) cannot verify the store's new certificate (unable to get local issuer certificate; the server notes 'unknown ca' from 10.77.4.12), so it exits while the other two download and then report its heartbeats missing. All stderr sits in ansible's JSON lines; ansible's 'ok' for ca.pem is a red herring."))
