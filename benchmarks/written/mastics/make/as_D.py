from asm import *
import re
B=[('/root/.pyenv/versions/3.11.7/lib/python3.11','/usr/lib64/python3.11'),('/opt/incidents/make/run/','/home/gintaras/sort/'),('data/partijos_a.json','/var/lib/gintaras/partijos.json'),('data/partijos_b.json','/var/lib/gintaras/partijos.json'),('data/ok/*','/lustre/gintaras/foto/*'),('data/un/*','/lustre/gintaras/foto26/*'),('part-0','foto-0'),('rusiuok2.py','rusiuok.py'),('/opt/tfenv','/sw/venv/tf221'),('run/ck','/lustre/gintaras/ck')]
H=['juodkrante','nida','pervalka']
def P(p,port=12345): return [('127.0.0.1:%d'%x,'%s:%d'%('10.30.7.%d'%(21+i),port)) for i,x in enumerate(p)]
def sl(L): return L
# d10
te=err_t('d10','w1','Fatal Python'); T=ep('2026-11-03 14:20:08',2); r='palanga-8790'; shutil.rmtree(ST+r,ignore_errors=True)
out=[]
blocks=[lines(R+'d10/w%d.log'%i,te,T,3,2,B+P([21101,21102,21103])) for i in range(3)]
# srun -l label merge, chunked
rnd=random.Random(7); idx=[0]*3
def merge(blocks,rnd):
    idx=[0]*len(blocks); out=[]
    while any(i<len(b) for i,b in zip(idx,blocks)):
        j=min((k for k in range(len(blocks)) if idx[k]<len(blocks[k])),key=lambda k:idx[k]/len(blocks[k])+rnd.random()*0.02)
        n=rnd.randint(1,6); out+=['%d: %s'%(j,l) for l in blocks[j][idx[j]:idx[j]+n]]; idx[j]+=n
    return out
# order: worker1 first to die
out=['Atkuriama aplinka: /sw/venv/tf221\n','SLURM_JOB_NODELIST=juodkrante,nida,pervalka\n']+merge(blocks,rnd)
out+=['srun: error: nida: task 1: Segmentation fault (core dumped)\n','srun: error: juodkrante: task 0: Exited with exit code 1\n','srun: error: pervalka: task 2: Exited with exit code 1\n']
put(r,'slurm-8790.out',out)
put(r,'sacct.txt','''JobID           JobName      State ExitCode   NodeList    MaxRSS             Start               End
------------ ---------- ---------- -------- ---------------------------- ---------- ------------------- -------------------
8790            rusiuok     FAILED     11:0 juodkrante,nida,pervalka            2026-11-03T14:19:02 2026-11-03T14:20:31
8790.batch        batch     FAILED     11:0 juodkrante    18204K 2026-11-03T14:19:02 2026-11-03T14:20:31
8790.0           python     FAILED     11:0 juodkrante,nida,pervalka    741512K 2026-11-03T14:19:06 2026-11-03T14:20:31
''')
put(r,'md5.txt','''juodkrante: 6b0a3f1de1b8a53e3f9d93c17f6f0a4c  /var/lib/gintaras/partijos.json
nida: 19c3be7706ffb5b1c7c2be0c0b7d5a88  /var/lib/gintaras/partijos.json
pervalka: 6b0a3f1de1b8a53e3f9d93c17f6f0a4c  /var/lib/gintaras/partijos.json
''')
put(r,'laiskas.txt','''Labas, Rasa,

nida vėl „segfault“. Spalį ten keitė atmintį (2 x 32 GB), gal bloga plokštelė? memtest naktį nieko nerado.
Kiti du mazgai tik skundžiasi, kad nida neatsako. Atsisiunčiau slurm išvestį, sacct ir md5 (galvojau, gal failas
sugadintas, bet python -m json.tool jį nuskaito be klaidų).

Linas
''')
pack(r,'palanga-8790.tgz','tgz')
truth(r,r+'.tgz','process.stack-overflow',['nida','worker:1'],['process.segfault','user.code-error'],'The recursion weight() over the lot tree never ends on nida, whose partijos.json differs (a cycle), with the recursion limit raised: faulthandler shows a hundred identical frames, SIGSEGV. The memory module theory is a red herring; others fail only because nida vanished.')
# d11
te=1795850101.567; T=ep('2026-11-10 10:44:02',2); r='palanga-8841'; shutil.rmtree(ST+r,ignore_errors=True)
for i in range(2):
    L=lines(R+'d11/w%d.log'%i,te,T,80,2,B+[('localhost:21110','localhost:12345'),('localhost:21111','localhost:12346'),('localhost:21112','localhost:12345'),('localhost:21113','localhost:12346')])
    L2=[]
    for l in L:
        m=re.search(r'\b(\d{10}\.\d{6})\b',l)
        l=re.sub(r'2026-11-28T07:15:01\.(\d+)\+00:00',lambda q:stamp(T,2,'%Y-%m-%dT%H:%M:%S')+'.'+q.group(1)+'+02:00',l)
        L2.append(l)
        if 'SIGTERM' in l: break
    put(r,'isvestis.%d.txt'%i,L2+(['slurmstepd: error: *** STEP 8841.0 ON juodkrante CANCELLED AT 2026-11-10T10:44:02 ***\n'] if i==0 else []))
put(r,'paleidimas.sh','''#!/bin/bash
#SBATCH -J rusiuok
#SBATCH -N 2
#SBATCH --ntasks-per-node=1
#SBATCH -t 08:00:00
#SBATCH -o isvestis.txt
source /sw/venv/tf221/bin/activate
srun -o isvestis.%t.txt bash -c '
export TF_CONFIG=$(sed "s/__IDX__/$SLURM_PROCID/" ~/sort/tfconfig.tmpl)
python /home/gintaras/sort/rusiuok.py --data "/lustre/gintaras/foto/*"'
''')
put(r,'squeue.txt','''             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
              8841      visi  rusiuok     rasa  R      28:51      2 juodkrante,nida
              8839      visi   rentgen   marius R    3:02:17      1 pervalka
''')
put(r,'pastaba.txt','Stovi ir nieko nerašo, po pusvalandžio nutraukiau (scancel). Nida - vėl tas pats mazgas?? Ant stalinio (2 procesai) veikė puikiai.\nRasa\n')
pack(r,'palanga-8841.tar','tar')
truth(r,r+'.tar','config.localhost-address',None,['config.cluster-mismatch'],'The template gives localhost:12345 and localhost:12346 to tasks on two different machines, so the chief waits for worker 1 forever and worker 1 looks for a chief on itself; no machine is at fault. It worked on one desktop; nida is suspected from an earlier incident.')
# d12
te=err_t('d12','w2','ReluGrad'); T=ep('2026-11-24 22:13:55',2); r='palanga-9017'; shutil.rmtree(ST+r,ignore_errors=True)
for i,h in enumerate(H):
    put(r,'rusiuok_9017_%s.err'%h,lines(R+'d12/w%d.log'%i,te,T,28,2,B+P([21121,21122,21123])))
put(r,'sacct.csv','''JobID|JobName|State|ExitCode|NodeList|Start|End
9017|rusiuok|FAILED|1:0|juodkrante,nida,pervalka|2026-11-24T22:05:21|2026-11-24T22:14:03
9017.0|python|FAILED|1:0|juodkrante,nida,pervalka|2026-11-24T22:05:23|2026-11-24T22:14:02
''')
sz=[os.path.getsize('/opt/incidents/make/data/un/gintaras-%d.tfrecord'%i) for i in range(3)]
put(r,'ls.txt','[rasa@juodkrante ~]$ ls -l /lustre/gintaras/foto26\ntotal %d\n'%(sum(sz)//1024)+''.join('-rw-r--r-- 1 rasa gintaras %d Nov 2%d 1%d:0%d gintaras-%d.tfrecord\n'%(s,2+(i==2),5+i,3+i,i) for i,s in enumerate(sz)))
put(r,'teams_pokalbis.txt','''Rasa 22:31
nauja nuotraukų partija (foto26), epocha nebaigiama. anksčiau su foto/ bėgdavo
Linas 22:40
pervalka rašo kažką apie ReluGrad ir [0,14,14,8] - tai modelio klaida, ne mazgo
Linas 22:41
gal oneDNN? pabandyk TF_ENABLE_ONEDNN_OPTS=0
Rasa 22:58
modelio nekeičiau nuo rugsėjo...
Marius 23:05
o kodėl tada kiti du sako Socket closed? lustre?
''')
pack(r,'palanga-9017.zip','zip')
truth(r,r+'.zip','data.uneven-shards',['pervalka','worker:2'],['data.shape-mismatch'],'Worker 2 (pervalka) has a smaller file (1050 against 1600 records): after step 131 it has nothing left and gets an empty batch (leading dimension 0) which the gradient op rejects; the others then lose it (Socket closed). oneDNN and Lustre are wrong guesses.')
