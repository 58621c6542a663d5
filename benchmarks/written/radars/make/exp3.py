from exp import *
@case
def e11():
    d=load('i11'); S=Sh(datetime(2026,11,16,13,8,30).timestamp()-d['t_new'],0); o=Out('dock_r118','tar.gz',top='r118')
    for h in ('ligand01','ligand02','ligand03'):
        for run,tag in (('r117','old-'+h),('r118','new-'+h)):
            o.w(f'{h}/dock_{run}.log',S(T(P(d,tag))))
    t=lambda x:U(d['t_new']+S.d+x).strftime('%A %d %B %Y  %H:%M:%S +0000')
    o.w('play_r118.txt',f'''$ ansible-playbook -i inv/ligands stop_run.yml -e run=r117 && ansible-playbook -i inv/ligands start_run.yml -e run=r118

PLAY [stop run] ****************************************************************

TASK [send TERM to dock_score.py] **********************************************
{t(-9)} (0:00:00.041)       0:00:00.041 ******
changed: [ligand01]
changed: [ligand02]
changed: [ligand03]

PLAY RECAP *********************************************************************
ligand01                   : ok=1    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0
ligand02                   : ok=1    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0
ligand03                   : ok=1    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0

PLAY [start run] ***************************************************************

TASK [start dock_score.py (async 86400)] ***************************************
{t(-1)} (0:00:00.038)       0:00:00.038 ******
changed: [ligand01]
changed: [ligand02]
changed: [ligand03]

TASK [wait until all report step 0] ********************************************
{t(0)} (0:00:01.312)       0:00:01.350 ******
FAILED - RETRYING: [ligand01]: wait until all report step 0 (3 retries left).
FAILED - RETRYING: [ligand02]: wait until all report step 0 (3 retries left).
FAILED - RETRYING: [ligand03]: wait until all report step 0 (3 retries left).
FAILED - RETRYING: [ligand01]: wait until all report step 0 (2 retries left).
FAILED - RETRYING: [ligand02]: wait until all report step 0 (2 retries left).
FAILED - RETRYING: [ligand03]: wait until all report step 0 (2 retries left).
FAILED - RETRYING: [ligand01]: wait until all report step 0 (1 retries left).
FAILED - RETRYING: [ligand02]: wait until all report step 0 (1 retries left).
FAILED - RETRYING: [ligand03]: wait until all report step 0 (1 retries left).
fatal: [ligand01]: FAILED! => {{"attempts": 3, "changed": false, "cmd": ["grep", "-c", "step 0 ", "dock_r118.log"], "rc": 1, "stderr": "", "stdout": "0"}}
fatal: [ligand02]: FAILED! => {{"attempts": 3, "changed": false, "cmd": ["grep", "-c", "step 0 ", "dock_r118.log"], "rc": 1, "stderr": "", "stdout": "0"}}
fatal: [ligand03]: FAILED! => {{"attempts": 3, "changed": false, "cmd": ["grep", "-c", "step 0 ", "dock_r118.log"], "rc": 1, "stderr": "", "stdout": "0"}}

PLAY RECAP *********************************************************************
ligand01                   : ok=1    changed=1    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0
ligand02                   : ok=1    changed=1    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0
ligand03                   : ok=1    changed=1    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0
''')
    x=''
    for h,s in d['ss'].items():
        s=re.sub(r'(\w{3} \w{3} +\d+ )(\d\d:\d\d:\d\d) (2026)',lambda m:(datetime.strptime('2026 '+' '.join(m.group(1).split()[1:])+' '+m.group(2),'%Y %b %d %H:%M:%S')+timedelta(seconds=S.d)).strftime('%a %b %d %H:%M:%S 2026'),s)
        x+=f'{h} | CHANGED | rc=0 >>\n{s}\n'
    o.w('adhoc_ss_ps.txt','$ ansible -i inv/ligands all -m shell -a "ss -ltnp; ps -eo pid,stat,lstart,args | grep dock_sco"\n'+x)
    o.pack('network.port-in-use',['ligand03','worker:2'],[],'On ligand03 a stopped (T) process 31416 of run r117 still listens on 20222, so the new worker:2 fails with "No address added ... 0.0.0.0:20222 / Could not start gRPC server"; ligand01/02 wait for task:2.',d['t_new']+S.d+300)
if __name__=='__main__':
    for n in (sys.argv[1:] or ['e11']): ALL[n](); print(n,'ok')
