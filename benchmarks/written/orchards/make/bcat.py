from lib import *
r=random.Random(123)
V={'/opt/tfenv/lib/':'/srv/slepec/venv/lib/','/opt/tfenv/bin/':'/srv/slepec/venv/bin/','/opt/incidents/make/':'/srv/slepec/src/','/root/.pyenv/versions/3.11.7':'/usr/local'}
E='\x1b'
# ---------- B1 : GitLab console, pssh inside
w=W('b1','2026-09-15 07:12:28',1,0); n='B1'; fresh(n); a=w.f(w.s0)
def sec(name,t,txt): return 'section_start:%d:%s\r%s[0K%s[0K%s[36;1m%s%s[0;m\n'%(t,name,E,E,E,txt,E)
def end(name,t): return 'section_end:%d:%s\r%s[0K'%(t,name,E)
g='''%s[0KRunning with gitlab-runner 17.9.1 (bbf75488)%s[0;m
%s[0K  on bodovka-runner k5Yh1mWx9, system ID: s_4b1c9f0aa31e%s[0;m
'''%(E,E,E,E)
g+=sec('prepare_executor',a-9,'Preparing the "shell" executor')+'Using Shell (bash) executor...\n'+end('prepare_executor',a-9)
g+=sec('prepare_script',a-9,'Preparing environment')+'Running on bodovka-runner...\n'+end('prepare_script',a-8)
g+=sec('get_sources',a-8,'Getting source from Git repository')+'''Fetching changes with git depth set to 20...
Reinitialized existing Git repository in /home/gitlab-runner/builds/k5Yh1mWx9/0/tisk/slepec/.git/
%s[32;1mChecking out 3f9e1b07 as detached HEAD (ref is kontrola-normalizace)...%s[0;m
Removing vysledky/
%s[32;1mSkipping Git submodules setup%s[0;m
'''%(E,E,E,E)+end('get_sources',a-6)
g+=sec('step_script',a-6,'Executing "step_script" stage of the job script')
g+='%s[32;1m$ git log --oneline -3%s[0;m\n3f9e1b07 kontrola normalizace hned na začátku, ať se nečeká na data\n91c4d7aa překlepy v README\n0bd2e6f3 větší dávky pro A3 matrice\n'%(E,E)
g+='%s[32;1m$ for h in bod1 bod2; do rsync -a --delete src/ slepec@$h:/srv/slepec/src/; done%s[0;m\n'%(E,E)
g+='%s[32;1m$ parallel-ssh -i -t 0 -h uzly.txt "cd /srv/slepec/src && . ./tfconfig.sh && /srv/slepec/venv/bin/python -u slepec.py pozde 2>&1"%s[0;m\n'%(E,E)
for k,h in enumerate(('bod2','bod1')):
    L=w.read(h,V); e=L[-1][0]
    g+='[%d] %s [FAILURE] %s Exited with error code 1\n'%(k+1,F(e+.8,'%H:%M:%S',2),h)+''.join(l for t,l in L)
g+=end('step_script',a+9)+sec('cleanup_file_variables',a+9,'Cleaning up project directory and file based variables')+end('cleanup_file_variables',a+9)+'%s[31;1mERROR: Job failed: exit status 5\n%s[0;m'%(E,E)
put(n,'job-20611.log',g)
# older job, passed
w2=W('b4','2026-09-14 16:40:11',1,0); a=w2.f(w2.s0)
g2=g[:g.index('section_start')]+sec('step_script',a-5,'Executing "step_script" stage of the job script')+'%s[32;1m$ git log --oneline -1%s[0;m\n91c4d7aa překlepy v README\n'%(E,E)
g2+='%s[32;1m$ parallel-ssh -i -t 0 -h uzly.txt "cd /srv/slepec/src && . ./tfconfig.sh && /srv/slepec/venv/bin/python -u slepec.py plny 2>&1"%s[0;m\n'%(E,E)
for k,h in enumerate(('bod2','bod1')):
    L=w2.read(h,V); e=L[-1][0]; g2+='[%d] %s [SUCCESS] %s\n'%(k+1,F(e+.5,'%H:%M:%S',2),h)+''.join(l for t,l in L)
g2+=end('step_script',a+62)+'%s[32;1mJob succeeded%s[0;m\n'%(E,E)
put(n,'job-20594.log',g2)
put(n,'poznamka.txt','''20594 = včera, prošlo. 20611 = dnes, spadne do 5 s na obou uzlech. V noci se na bod2 aktualizovalo jádro
a restartoval se (unattended-upgrades), bod1 ne. Podle mě rozbitá "collective" knihovna po aktualizaci?  Jitka
''')
sh('tar czf %sbodovka-20611.tar.gz *'%SET,n)
truth('bodovka-20611','bodovka-20611.tar.gz','config.strategy-misuse',None,[],'The new commit runs a TF op (normalisation check) before MultiWorkerMirroredStrategy is created, so both workers raise "Collective ops must be configured at program startup". It is the same on both nodes; the kernel update of bod2 is a wrong guess, the older job is fine.')
# ---------- B2 : none
w=W('b2','2026-10-19 18:05:09',1,0); n='B2'; fresh(n)
o=''
for h in ('bod1','bod2'):
    o+=h+':\n'+''.join('    '+l for t,l in w.read(h,V) )
put(n,'salt_vystup.txt',"# salt -L bod1,bod2 cmd.run 'cd /srv/slepec/src && . ./tfconfig.sh && /srv/slepec/venv/bin/python -u slepec.py plny 2>&1' timeout=3600\n"+o)
put(n,'Re_ trénink se sekl v epoše 7.eml','''From: Jitka Vaňková <jitka@bodovka.example>
To: Radim <radim@bodovka.example>
Date: Mon, 19 Oct 2026 18:22:40 +0200
Subject: Re: trénink se sekl v epoše 7
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Radime,
posílám celý výstup, jak jsi chtěl. Divné je:
 1) epocha 7 trvala 10 s, ostatní 2,6 s,
 2) počítá to dávky 80/40, takže se asi čte všechno dvakrát,
 3) W0000 "will not be optimized" a "Memory patch applied".
Nemá bod2 vadný disk? SMART je čistý, ale stejně. A přesnost 0,945 je míň než minule (0,951).
J.

> co přesně se seklo? pošli log, ne fotku obrazovky
> R.
''')
sh('zip -qr %sbodovka-1019.zip .'%SET,n)
truth('bodovka-1019','bodovka-1019.zip','none',None,[],'Healthy: both workers do 14 epochs with falling loss and print hotovo. A few epochs that take 5 to 10 s (a short pause, caught up at once, no error), the 80/40 count (global batch split over two replicas) and the warnings are harmless.')
# ---------- B3
w=W('b3','2026-11-05 11:20:44',1,0); n='B3'; fresh(n)
for h in ('bod1','bod2','bod3'):
    L=w.read(h,V); put(n,h+'/slovnik.err',[l for t,l in L])
    put(n,h+'/top.txt',{'bod1':'''top - 11:21:36 up 51 days,  4:40,  1 user,  load average: 0.02, 0.05, 0.30
MiB Mem :  15918.2 total,  12044.1 free,    911.0 used,   2963.1 buff/cache
''','bod2':'''top - 11:21:38 up 51 days,  4:38,  1 user,  load average: 0.11, 0.12, 0.15
MiB Mem :  15918.2 total,  11207.5 free,   1734.8 used,   2975.9 buff/cache

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
  29269 slepec    20   0 5210228 612004 298120 S   0.3   3.8   0:09.41 python
''','bod3':'''top - 11:21:41 up 3 days,  1:02,  1 user,  load average: 0.09, 0.10, 0.12
MiB Mem :  15918.2 total,   2201.9 free,  11890.3 used,   1826.0 buff/cache

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   1822 slepec    20   0   14.2g  10.4g  40120 S   1.0  66.9  88:12.70 java
'''}[h])
put(n,'cti_me.txt','''Od přechodu na tabulku v3 (všechny šestibody ve větším rozlišení) slovnik.py stojí. bod2 a bod3 pořád dokola
"Waiting for model to be ready". Na bod3 běží Radimův indexer (java, 10 GB), myslím, že mu chybí paměť.
''')
for h in ('bod1','bod2','bod3'): sh('tar czf %s.tgz %s && rm -r %s'%(h,h,h),n)
sh('tar cJf %sbodovka-1105.tar.xz *.tgz cti_me.txt'%SET,n)
truth('bodovka-1105','bodovka-1105.tar.xz','serialization.graph-too-large',['bod1','worker:0','/job:worker/replica:0/task:0'],[],'The chief bod1 bakes the v3 template table (190000x3072 float32, 2.3 GB) into the graph as a constant: ValueError, larger than 2GB. bod2 and bod3 wait for the model to be initialised for ever; the java process on bod3 is innocent.')
