from rend import *
random.seed(16)
P=lambda a,n=3:{a+i:f"w{i}" for i in range(n)}
r=Run("ver",H2,P(23301),"2026-11-23 04:00:37",paths=[("ucitelj_a","ucitelj"),("ucitelj_b","ucitelj")])
n="ci-dimnik-uci-2291"
a=r.ev[0][0]; ts=int(a)-41
G="\x1b[0K"; gr="\x1b[32;1m"; z="\x1b[0;m"
o=[f"{G}Running with gitlab-runner 17.5.3 (12030cf4){z}",f"{G}  on sever-lupina t3_xKq9Fv, system ID: s_8a1e0b7fd6c2{z}",
f"section_start:{ts}:prepare_executor\r{G}\x1b[0K\x1b[36;1mPreparing the \"shell\" executor{z}",f"{G}Using Shell (bash) executor...{z}",f"section_end:{ts}:prepare_executor\r{G}",
f"section_start:{ts}:prepare_script\r{G}\x1b[0K\x1b[36;1mPreparing environment{z}","Running on sever...",f"section_end:{ts+1}:prepare_script\r{G}",
f"section_start:{ts+1}:get_sources\r{G}\x1b[0K\x1b[36;1mGetting source from Git repository{z}",f"{gr}Fetching changes with git depth set to 20...{z}","Reinitialized existing Git repository in /srv/runner/builds/t3_xKq9Fv/0/dimnik/uci/.git/",f"{gr}Checking out 6be01f4a as detached HEAD (ref is glavna)...{z}","",f"{gr}Skipping Git submodules setup{z}",f"section_end:{ts+4}:get_sources\r{G}",
f"section_start:{ts+4}:step_script\r{G}\x1b[0K\x1b[36;1mExecuting \"step_script\" stage of the job script{z}",
f"{gr}$ ./orodja/razposlji.sh jezersko pavlic crnivec{z}","sending incremental file list","uci.py","prenos.py","","sent 6,112 bytes  received 54 bytes  4,110.67 bytes/sec","total size is 9,420  speedup is 1.53"]
for h in ("jezersko","pavlic","crnivec"):
    o.append(f"{gr}$ ssh {h} du -sh /srv/tuljave/ucitelj{z}"); o.append({"crnivec":"148K\t/srv/tuljave/ucitelj"}.get(h,"140K\t/srv/tuljave/ucitelj"))
o.append(f"{gr}$ ./orodja/zakuri --skupaj jezersko,pavlic,crnivec -- --podatki /srv/tuljave/letnik25 --ucitelj /srv/tuljave/ucitelj --koraki 300{z}")
for t,k,s,x in r.ev:
    h=H2.get(k,("?",))[0].split(".")[0]
    if s in "oe": o.append(f"[{h}] {x}")
    elif s=="x": o.append(f"[{h}] *** koncal s kodo {x}")
e=int(r.ev[-1][0])
o+=["zakuri: 3 od 3 neuspesni, prvi po abecedi: crnivec",f"section_end:{e+1}:step_script\r{G}",f"section_start:{e+1}:cleanup_file_variables\r{G}\x1b[0K\x1b[36;1mCleaning up project directory and file based variables{z}",f"section_end:{e+1}:cleanup_file_variables\r{G}",f"\x1b[31;1mERROR: Job failed: exit status 1{z}",""]
w(n,"job_2291.log","\n".join(o))
w(n,"komentar.md","""> nočna destilacija: rdeče že tretjo noč (od petka). V repoju ni bilo sprememb.

**@maja**: v petek sem samo osvežila učitelja na crnivcu za preizkus s tablico (izvožen z mojega prenosnika), drugje je še stari. Arhitektura je ista.
**@zdravko**: `requests` opozorilo v ansible ali pa `Collective ops is aborted` -> crnivec ne pošilja heartbeatov, mogoče spet chrony? Na ljublju smo imeli uro zamaknjeno.
""")
pack(n,"zip",dict(cause="serialization.version",node=["crnivec","crnivec.dimnik.lan","worker:2"],also=["env.version-skew"],notes="crnivec's teacher SavedModel was exported by a newer TensorFlow on a laptop and uses the op EinsumV2, which 2.21 does not know ('Op type not registered'); the worker exits and the other two abort 11 seconds later for missing heartbeats. Red herrings: clock and heartbeats."))
