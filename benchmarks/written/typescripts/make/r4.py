from ren import *
r=R('a4','2025-08-19 23:41:07','America/Manaus','/opt/mapas/ndvi','/opt/mapas/venv',[(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?=,)','%Y-%m-%d %H:%M:%S')],{'cedro':96,'ipe-roxo':-3},{'jatoba':1200,'ipe-amarelo':20100,'ipe-roxo':8000,'cedro':91000},[('/srv/runs/runs/a4/wd','/scratch')])
role={'jatoba':'scheduler jatoba:5050','ipe-amarelo':'worker ipe-amarelo','ipe-roxo':'worker ipe-roxo'}
o='---------------------------------------------------------------\n                 lança-ssh v0.9 (base: dask-ssh)\n\nWorker nodes (2):\n  0: ipe-amarelo\n  1: ipe-roxo\n\nscheduler node: jatoba:5050\n---------------------------------------------------------------\n\n'
for h in('jatoba','ipe-amarelo','ipe-roxo'): o+=f"[ {role[h]} ] : cd /opt/mapas/ndvi && source ../venv/bin/activate && exec python {'disp.py /scratch/tfdata 5050' if h=='jatoba' else 'dworker.py jatoba:5050 '+h+':5051'}\n"
for t,k,s,l in r.lines(['jatoba','ipe-amarelo','ipe-roxo']): o+=f'[ {role[k]} ] : {l}\n'
o+='\n[ lança-ssh ]: Shutting down remote processes (this may take a moment).\n[ lança-ssh ]: Remote processes have been terminated. Exiting.\n'
c=''.join(l+'\n' for *_,l in r.lines('cedro'))
e=r.dt(r.d['t0']+400)
df=f'''ivan@jatoba:~$ date; df -h / /scratch /boot
{e.strftime("%a %b %e %H:%M:%S %Z %Y")}
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2   94G   41G   49G  46% /
/dev/sdb1       220G  220G     0 100% /scratch
/dev/nvme0n1p1  974M  212M  695M  24% /boot
ivan@jatoba:~$ sudo du -shx /scratch/* | sort -h
16K\t/scratch/lost+found
28K\t/scratch/tfdata
3.1G\t/scratch/sentinel2_tmp
217G\t/scratch/traces.bin
ivan@jatoba:~$ ls -l /scratch/tfdata/tf_data_dispatcher_journal
total 16
-rw-r--r-- 1 ivan mapas 16384 {r.dt(r.d['meta']['tfull']).strftime('%b %e %H:%M')} journal_0
'''
pack('ndvi_queda_19ago.zip',[('lanca-ssh.txt',o),('cedro_treino.log',c),('jatoba_df.txt',df)],r.t(r.d['t0'])+1200,
 dict(cause='resource.disk-full',culprit_node='jatoba',notes="The tf.data dispatcher on jatoba cannot write its journal: /scratch is 100% full ('No space left on device' in the release/heartbeat errors and df); trainer and data workers only pass on RESOURCE_EXHAUSTED."))
