"""Wroclaw: HTCondor files, an mbox with attachments, a MediaWiki dump from r13, r14, r15."""
import shutil
from email.message import EmailMessage
from xml.sax.saxutils import escape
from lib import *
P=[("/opt/incidents/make/mwms_loop.py","/shared/nowcast/bin/nowcast.py"),("/opt/tfenv","/shared/nowcast/env"),("/root/.pyenv/versions/3.11.7","/usr"),("/opt/incidents/work/r13/vol.fifo","/run/odim/vol.fifo"),("/opt/incidents/work/r13","/var/lib/condor/execute/dir_20411"),("/opt/incidents/work/r14","/var/lib/condor/execute/dir_9917"),("/opt/incidents/work/r15","/var/lib/condor/execute/dir_31002")]
out=f"{ROOT}/work/out"
def L(t,c): return [(x[0],x[1],ren(c.line(x[2]),P)) for x in sorted(t.lines,key=lambda x:x[0])]
off={"olawa":0,"bystrzyca":-19,"widawa":44,"sleza":-3,"dobra":5}

# --- 13: HTCondor parallel universe
T=load(f"{ROOT}/work/r13/a.jsonl"); base=days_to(2026,6,28,13,50,T[0].start); f=f"{out}/1874"; shutil.rmtree(f,ignore_errors=True)
for i,t in enumerate(T):
    c=Clock(base+off[t.host],2)
    for st,e in (("stdout","out"),("stderr","err")): put(f,f"nowcast_1874.{e}.{i}","\n".join(l for _,s,l in L(t,c) if s==st))
c=Clock(base,2); z=lambda s:c.local(T[0].start+s).strftime("%Y-%m-%d %H:%M:%S")
put(f,"nowcast_1874.log",f"""000 (1874.000.000) {z(-611)} Job submitted from host: <10.60.1.2:9618?addrs=10.60.1.2-9618&alias=odra&noUDP&sock=schedd_1180_a2c1>
...
014 (1874.000.000) {z(-1)} Node 0 executing on host: <10.60.1.4:9618?addrs=10.60.1.4-9618&alias=olawa>
...
014 (1874.000.001) {z(-1)} Node 1 executing on host: <10.60.1.5:9618?addrs=10.60.1.5-9618&alias=bystrzyca>
...
014 (1874.000.002) {z(-1)} Node 2 executing on host: <10.60.1.6:9618?addrs=10.60.1.6-9618&alias=widawa>
...
014 (1874.000.003) {z(0)} Node 3 executing on host: <10.60.1.7:9618?addrs=10.60.1.7-9618&alias=sleza>
...
001 (1874.000.000) {z(0)} Job executing on host: MPI_job
...
006 (1874.000.000) {z(61)} Image size of job updated: 2748120
	612  -  MemoryUsage of job (MB)
	626388  -  ResidentSetSize of job (KB)
...
009 (1874.000.000) {z(128)} Job was aborted.
	via condor_rm (by user ewa)
...
""")
put(f,"stary_1871.log",f"""005 (1871.000.000) {z(-90000)} Job terminated.
	(0) Abnormal termination (signal 9)
	(0) No core file
	Job terminated of its own accord by signal 9.
...
""")
put(f,"dmesg_bystrzyca",f"""[Sun Jun 28 04:11:52 2026] R invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0
[Sun Jun 28 04:11:52 2026] Out of memory: Killed process 50817 (R) total-vm:98113412kB, anon-rss:61880920kB, file-rss:0kB, shmem-rss:0kB, UID:2017 pgtables:122880kB oom_score_adj:0
""")
put(f,"proc_sleza.txt","ewa@sleza ~ %% for t in /proc/%d/task/*; do echo ${t:t} $(cat $t/comm) $(cat $t/wchan); done | sort -k3 | uniq -c -f2 | sort -rn\n     31 %d python futex_wait_queue\n      4 %d grpcpp_sync_ser ep_poll\n      1 %d tf_data_private wait_for_partner\n"%(T[3].pid,T[3].pid,T[3].pid+88,T[3].pid+141))
put(f,"PRZECZYTAJ","kill -USR1 na wszystkich, zeby zrzucili stosy (sa w .err.*), potem condor_rm. 1871 ubil Marek recznie, to inna historia.\nna olawie load 0.00, na slezie tez 0.00. Marek: 'pewnie OOM na bystrzycy'.\n")
pack(f,"legnica-1874.tar.xz","xz")
truth("legnica-1874","legnica-1874.tar.xz","sync.hang",["sleza","node 3","worker:3"],[],"No error at all; all stop after step 330. The stack dumps show sleza (task 3) inside frames() at nowcast.py line 24 (open/read of the decoder's FIFO) while the main thread waits in iterator_get_next; the others wait in the all-reduce. Removed by condor_rm. R's OOM on bystrzyca, caught bad sweeps and job 1871 are red herrings.")

# --- 14: mail with text attachments
T=load(f"{ROOT}/work/r14/a.jsonl"); base=days_to(2026,9,18,22,5,T[0].start); c0=Clock(base,2); dst=f"{out}/poczta"; shutil.rmtree(dst,ignore_errors=True); os.makedirs(dst)
def mail(s,frm,subj,body,att=()):
    m=EmailMessage(); m["From"]=frm; m["To"]="nowcast@radar.example"; m["Date"]=c0.local(T[0].start+s).strftime("%a, %d %b %Y %H:%M:%S +0200"); m["Subject"]=subj; m.set_content(body,cte="8bit")
    for n,txt in att: m.add_attachment(txt,subtype="plain",filename=n,cte="8bit")
    return f"From {frm.split('<')[-1].strip('>')} {c0.local(T[0].start+s).strftime('%a %b %d %H:%M:%S %Y')}\n"+re.sub(r"(?m)^From ",">From ",m.as_bytes().decode("utf8"))+"\n"
txt={t.host:"\n".join(l for _,_,l in L(t,Clock(base+off[t.host],2)))+"\n" for t in T}
mb=mail(200,"Ewa <ewa@radar.example>","nowcast 1902 padl","Czesc,\n\n1902 padl po ok. 410 krokach. Stos z olawy w zalaczniku. Ktos zmienil ksztalt tensorow? Marek ruszal model?\n\nEwa\n",[("olawa.txt",txt["olawa"])])
mb+=mail(1900,"Marek <marek@radar.example>","Re: nowcast 1902 padl","Nie ruszalem modelu od lipca. Na bystrzycy to samo, wiec to blad TF-a w 2.21, w 2.15 dzialalo.\nDolaczam bystrzyce. Widawa tez.\n\nM.\n",[("bystrzyca.txt",txt["bystrzyca"]),("widawa.txt",txt["widawa"])])
mb+=mail(86000,"Condor <condor@odra.radar.example>","[Condor] Problem odra.radar.example: condor_startd exited (9)","This is an automated email from the Condor system\non machine \"odra.radar.example\".  Do not reply.\n\n\"/usr/sbin/condor_startd\" on \"odra.radar.example\" was killed because\nit was no longer responding.\n")
put(dst,"nowcast.mbox",mb)
pack(dst,"opole.zip","zipflat")
truth("opole","opole.zip","data.uneven-shards",["widawa","worker:2","node 2"],["collective.mismatch"],"widawa's input ends after 413 steps ('input exhausted after 413 steps, epoch finished'), it goes on to the final reduce while the others are still in the training all-reduce: the 'Shape mismatch in the collective instance' is the consequence. 'Marek changed the model', 'bug of 2.21' and the condor_startd mail are red herrings.")

# --- 15: wiki page with pasted logs of the victims
T=load(f"{ROOT}/work/r15/a.jsonl"); base=days_to(2026,11,3,4,31,T[0].start); dst=f"{out}/wiki"; shutil.rmtree(dst,ignore_errors=True); os.makedirs(dst)
body="== Awaria nocna 3.11 ==\nZadanie 2044 (4 wezly: olawa, bystrzyca, widawa, dobra). Padlo 27 sekund po starcie.\n\n'''Logi''' (dobra jest wylaczona, technik zabral maszyne o 7:00, logow z niej nie ma i nie bedzie)\n"
for t in T:
    if t.host=="dobra": continue
    body+=f"=== {t.host} ===\n<pre>\n"+"\n".join(l for _,_,l in L(t,Clock(base+off[t.host],1)))+"\n</pre>\n"
body+="=== Uwagi ===\n* bledy 'bad sweep' sa od wiosny, Legionowo gubi promien\n* we wrzesniu na olawie konczylo sie miejsce (No space left on device), juz nie\n* [[Uzytkownik:Marek|Marek]]: moze znow TF?\n"
c=Clock(base); 
put(dst,"Awarie-20261103.xml",f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="pl">
  <siteinfo>
    <sitename>RadarWiki</sitename>
    <generator>MediaWiki 1.39.6</generator>
  </siteinfo>
  <page>
    <title>Awarie/2026-11-03</title>
    <ns>0</ns>
    <id>871</id>
    <revision>
      <id>9914</id>
      <timestamp>{c.utc(T[0].start+16000):%Y-%m-%dT%H:%M:%SZ}</timestamp>
      <contributor><username>Ewa</username></contributor>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="{len(body)}" xml:space="preserve">{escape(body)}</text>
    </revision>
  </page>
</mediawiki>""")
pack(dst,"gliwice.tgz","flat")
truth("gliwice","gliwice.tgz","network.unreachable-peer",["dobra","worker:3","10.60.1.9"],["process.killed-by-signal"],"Only victims were collected: olawa's RecvBuf from task 3 (dobra) ends with 'Connection reset by peer'; dobra's own log is lost, so why it went cannot be told. Caught 'bad sweep' errors, the old full disk and 'TF again' are red herrings.")
