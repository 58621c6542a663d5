from f import *
r=load('i10'); PP=r['procs']; t0=PP[0]['t0']
c=Clk(t0,'2026-11-29T01:30:22',0)
d=fresh('i10'); rnd=random.Random(10)
J=[(7741203,'smoke:tf 1/3','runner-kv-03','10.200.14.3',0),(7741204,'smoke:tf 2/3','runner-kv-05','10.200.14.5',1),(7741205,'smoke:tf 3/3','runner-kv-06','10.200.14.6',1)]
for (jid,nm,host,ip,ix),p in zip(J,PP):
    out=[]
    def A(t,x,st='O',ch='01'): out.append(c.f(t,'%Y-%m-%dT%H:%M:%S.%f')+f'Z {ch}{st} {x}')
    s=p['t0']-14
    A(s,'\x1b[0KRunning with gitlab-runner 17.5.3 (12030cf4)\x1b[0;m','O','00'); A(s,f'\x1b[0K  on {host} {"".join(rnd.choice("abcdefgh_KLMNP") for _ in range(9))}, system ID: s_{rnd.randint(10**11,10**12):x}\x1b[0;m','O','00')
    def sec(t,name,title): A(t,f'section_start:{int(c.m(t))}:{name}\r\x1b[0K\x1b[0K\x1b[36;1m{title}\x1b[0;m\x1b[0;m','O','00')
    def end(t,name): A(t,f'section_end:{int(c.m(t))}:{name}\r\x1b[0K','O','00')
    sec(s+.1,'prepare_executor','Preparing the "shell" executor'); A(s+.2,'Using Shell (bash) executor...','O','00'); end(s+.3,'prepare_executor')
    sec(s+.3,'prepare_script','Preparing environment'); A(s+.9,f'Running on {host}...'); end(s+1,'prepare_script')
    sec(s+1,'get_sources','Getting source from Git repository'); A(s+2,'\x1b[32;1mGitlab correlation ID: 01JDVQ%s\x1b[0;m'%''.join(rnd.choice('0123456789ABCDEFGHJKMNPQRSTVWXYZ') for _ in range(20))); A(s+2.1,'\x1b[32;1mFetching changes with git depth set to 20...\x1b[0;m'); A(s+3,f'Reinitialized existing Git repository in /builds/aero/smoke/.git/'); A(s+4.4,'\x1b[32;1mChecking out 9e1f44d0 as detached HEAD (ref is main)...\x1b[0;m'); A(s+4.5,'\x1b[32;1mSkipping Git submodules setup\x1b[0;m'); end(s+4.6,'get_sources')
    sec(s+4.6,'restore_cache','Restoring cache'); A(s+5,'\x1b[32;1mChecking cache for pip-311-protected...\x1b[0;m')
    for k in range(160 if ix==0 else 150): A(s+5.2+k*.03,'cache: розпаковано %s'%rnd.choice(['wheels/%05d.whl'%k,'data/mini-%03d.npz'%k]))
    A(s+11,'\x1b[32;1mSuccessfully extracted cache\x1b[0;m'); end(s+11.1,'restore_cache')
    sec(s+11.2,'step_script','Executing "step_script" stage of the job script'); 
    for l in ['$ source ci/env.sh','$ python3 ci/inventory.py > hosts.txt','$ export IDX=$(ci/idx.sh)',f'$ echo "раннер $(hostname), вузол $CI_NODE_INDEX з $CI_NODE_TOTAL"']: A(s+11.5,f'\x1b[32;1m{l}\x1b[0;m')
    A(s+12,f'раннер {host}, вузол {nm[-3]} з 3')
    A(s+13,'\x1b[32;1m$ python smoke_train.py --hosts "$(paste -sd, hosts.txt)" --index "$IDX"\x1b[0;m')
    for t,st,x in p['log']: A(t,c.fix(x),'E' if st=='err' else 'O')
    to=r['extra']['to'][PP.index(p)]
    te=p['t1']
    end(te+.3,'step_script'); sec(te+.4,'cleanup_file_variables','Cleaning up project directory and file based variables'); end(te+.8,'cleanup_file_variables')
    if to or p['rc']<0: A(te+1,'\x1b[31;1mERROR: Job failed: canceled\x1b[0;m' if 0 else '\x1b[0;33mWARNING: script canceled externally (UI, API)\x1b[0;m','O','00')
    A(te+1,'\x1b[31;1mERROR: Job failed: exit status %d\x1b[0;m'%(p['rc'] if p['rc']>0 else 128-p['rc']),'O','00')
    w(d,f'job-{jid}.trace','\n'.join(out)+'\n')
w(d,'.gitlab-ci.yml','''stages: [build, smoke]
smoke:tf:
  stage: smoke
  parallel: 3
  tags: [kv-bare]
  resource_group: nightly
  script:
    - source ci/env.sh
    - python3 ci/inventory.py > hosts.txt
    - export IDX=$(ci/idx.sh)
    - echo "раннер $(hostname), вузол $CI_NODE_INDEX з $CI_NODE_TOTAL"
    - python smoke_train.py --hosts "$(paste -sd, hosts.txt)" --index "$IDX"
''')
w(d,'ci/idx.sh','#!/bin/bash\n# номер воркера з імені раннера\ncase "$(hostname)" in\n  *-03) echo 0 ;;\n  *-0[4-6]) echo 1 ;;\n  *-0[78]) echo 2 ;;\nesac\n')
w(d,'pipeline.json',json.dumps({"id":990417,"ref":"main","status":"failed","source":"schedule","jobs":[{"id":j,"name":n,"runner":h,"status":"failed","started_at":c.f(p["t0"]-14,"%Y-%m-%dT%H:%M:%SZ"),"finished_at":c.f(p["t1"]+1,"%Y-%m-%dT%H:%M:%SZ")} for (j,n,h,_,_),p in zip(J,PP)]},indent=2)+'\n')
arc='zhuliany-990417.zip'; pack(d,arc,'pipeline-990417')
truth('zhuliany-990417',arc,'config.task-index',['runner-kv-06','10.200.14.6','smoke:tf 3/3','job-7741205'],[],'idx.sh maps every -04..-06 runner to index 1, so runner-kv-05 and runner-kv-06 both start as worker 1 (see the printed TF_CONFIG lines) and no task 2 exists. The coordination service on runner-kv-03 complains of task 1 connecting with a different incarnation, "has likely restarted", which never happened (false lead).')
