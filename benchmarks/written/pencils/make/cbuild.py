from kit import *
import heapq
random.seed(31)
N=['grafite01','grafite02','grafite03','grafite04']
IP={f'127.0.0.{11+i}':f'10.14.8.{101+i}' for i in range(4)}
subs=PY+[(re.escape(a),b) for a,b in IP.items()]+[(r':219\d\d',':21900')]
st='%Y/%m/%d %H:%M:%S.%3'
def merged(raws,m,label=True,only=None,tzh=0):
    ev=[]
    for i,t in enumerate(raws):
        if only is not None and i not in only: continue
        for j,(a,L) in enumerate(lines(t)): ev.append((a,i,j,L))
    ev.sort(key=lambda x:(x[0],x[1],x[2]))
    return '\n'.join((f'{i}: ' if label else '')+post(L,m,st,subs=subs,tzh=tzh) for a,i,j,L in ev)+'\n'
def W(t,h=0): return fmt(t+h*3600,'%Y-%m-%dT%H:%M:%S')
SB='''#!/bin/bash
#SBATCH --job-name=mina
#SBATCH --partition=fabrica
#SBATCH --nodes={n}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=12
#SBATCH --mem=40G
#SBATCH --time=1-00:00:00
#SBATCH --output=slurm-%j.out
source /home/lapis/tf221/bin/activate
export NOS=$(scontrol show hostnames $SLURM_JOB_NODELIST | paste -sd,)
srun --label --kill-on-bad-exit={k} python -u treino/lapis.py {a}
'''
what=sys.argv[1]
if what=='c1':
    D=f'{B}/C/mina-48'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    old=[rd(f'{B}/C/raw/c0_{i}') for i in range(3)]; new=[rd(f'{B}/C/raw/c1_{i}') for i in range(3)]
    a,b=stepspan(old[0],'passo +[0-9]'); mo=Map(firstts(old[0]),ep('2026-11-10 14:22:08')+.4,a,b,330)
    w(f'{D}/slurm-48207.out',merged(old,mo),mo(b)+5)
    T=ep('2026-11-12 09:03:51')+.2
    mn=Map(firstts(new[0]),T,2e9,2e9,1)
    fail='srun: error: grafite01: task 0: Exited with exit code 1\nsrun: error: grafite02: task 1: Exited with exit code 1\nsrun: error: grafite03: task 2: Exited with exit code 1\n'
    w(f'{D}/slurm-48213.out',merged(new,mn)+fail,T+20)
    w(f'{D}/lanca.sh',SB.format(n=3,k=1,a='--passos 4000 --aumento aumento_rot'),T-600)
    e0=mo(b)+2
    w(f'{D}/sacct.txt',f'''JobID           JobName  Partition   NNodes      State ExitCode               Start                 End    Elapsed                          NodeList
------------ ---------- ---------- -------- ---------- -------- ------------------- ------------------- ---------- ---------------------------------
48207              mina    fabrica        3  COMPLETED      0:0 {W(ep('2026-11-10 14:22:04'))} {W(e0)} {str(dt.timedelta(seconds=int(e0-ep('2026-11-10 14:22:04')))).zfill(8)}                  grafite[01-03] 
48207.batch       batch                   1  COMPLETED      0:0 {W(ep('2026-11-10 14:22:04'))} {W(e0)} {str(dt.timedelta(seconds=int(e0-ep('2026-11-10 14:22:04')))).zfill(8)}                       grafite01 
48207.0          python                   3  COMPLETED      0:0 {W(ep('2026-11-10 14:22:05'))} {W(e0)} {dt.timedelta(seconds=int(e0-ep('2026-11-10 14:22:05')))}                  grafite[01-03] 
48213              mina    fabrica        3     FAILED      1:0 {W(T-3)} {W(T+9)}   00:00:12                  grafite[01-03] 
48213.batch       batch                   1     FAILED      1:0 {W(T-3)} {W(T+9)}   00:00:12                       grafite01 
48213.0          python                   3     FAILED      1:0 {W(T-2)} {W(T+8)}   00:00:10                  grafite[01-03] 
''',T+900)
    shutil.copy(f'{B}/C/root/home/lapis/treino/aumento_rot.py',f'{D}/aumento_rot.py'); os.utime(f'{D}/aumento_rot.py',(T-4000,T-4000))
    w(f'{D}/nota.txt','''Inês, o teu aumento não arranca em 3 nós; na minha estação (1 processo, sem cluster) corre bem.
Na terça a 48207 (sem aumento) acabou sem problemas nos mesmos três nós. Como a mensagem fala de "collective",
o Tomé acha que é o switch das oficinas outra vez, ou que o grafite02 ficou com uma porta presa da 48207.
Abri pedido à informática. Diz-me se vês algo.  -- Álvaro
''',T+1500)
    tar('SJM-48213',D,'.tgz',owner=('alvaro',10044))
    truth('SJM-48213','.tgz','config.strategy-misuse',None,['user.code-error'],'A new augmentation module creates tf.constant tensors at import, before MultiWorkerMirroredStrategy is built: Collective ops must be configured at program startup, on all three ranks at once. The switch and a stuck port are wrong guesses; the earlier job without the module ran fine.')
if what=='c2':
    D=f'{B}/C/c2'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw=[rd(f'{B}/C/raw/c2_{i}') for i in range(4)]
    a,b=stepspan(raw[0],'passo +[0-9]'); T=ep('2026-08-11 19:31:40')+.9
    m=Map(firstts(raw[0]),T,a,b,900); f=m(b); print('stop',W(f))
    last=m(firstts('\n'.join(x for x in raw[0].split('\n') if 'StartAbort' in x)))
    txt=merged(raw,m,tzh=1).rstrip('\n')
    w(f'{D}/slurm-47730.out',txt+f'\nsrun: error: grafite01: task 0: Exited with exit code 1\nsrun: error: grafite04: task 3: Exited with exit code 1\nsrun: error: grafite02: task 1: Exited with exit code 1\nslurmstepd: error: *** STEP 47730.0 ON grafite01 CANCELLED AT {W(f+318,1)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\nslurmstepd: error: *** JOB 47730 ON grafite01 CANCELLED AT {W(f+318,1)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n',f+330)
    def sc(t,msg): return f'[{W(t,1)}.{int(t%1*1000):03d}] {msg}'
    L=[]
    t=T-5000; jid=47722
    while t<f+6000:
        jid_=jid; 
        if not(T-5<t<T+5): L.append((t,f'_slurm_rpc_submit_batch_job: JobId={40000+random.randint(7000,7999)} InitPrio=4294{random.randint(100000,999999)} usec={random.randint(210,900)}'))
        t+=random.expovariate(1/900)
    L=[]
    j=47724
    t=T-9000
    while t<f+7000:
        if j==47730: j+=1
        L+= [(t,f'_slurm_rpc_submit_batch_job: JobId={j} InitPrio={4294901760-j+47000} usec={random.randint(210,900)}'),(t+1.1,f'sched: Allocate JobId={j} NodeList=grafite0{random.choice([5,6])} #CPUs=4 Partition=embalagem')]
        d=random.uniform(60,900); d+=random.random(); L+=[(t+d,f'_job_complete: JobId={j} WEXITSTATUS 0'),(t+d+.01,f'_job_complete: JobId={j} done')]
        t+=random.uniform(1200,5200); j+=1 if t<T else (2 if j==47729 else 1)
    L+=[(T-7,f'_slurm_rpc_submit_batch_job: JobId=47730 InitPrio=4294901030 usec=402'),(T-6,'sched: Allocate JobId=47730 NodeList=grafite[01-04] #CPUs=48 Partition=fabrica'),
        (f+127,'error: Nodes grafite03 not responding'),(f+318,'error: Nodes grafite03 not responding, setting DOWN'),(f+318.2,'Killing JobId=47730 on failed node grafite03'),(f+319,'_job_complete: JobId=47730 done') ]
    L=[x for x in L if 'JobId=47730 done' not in x[1]]
    L.sort(key=lambda x:x[0])
    w(f'{D}/slurmctld.log','\n'.join(sc(t,x) for t,x in L)+'\n',f+7200)
    # SEL: BMC clock in UTC, 6 min slow
    B0=f-362
    def sel(n,t,s): 
        d=dt.datetime.fromtimestamp(t,dt.timezone.utc); return f'{n:4x} | {d:%m/%d/%Y} | {d:%H:%M:%S} | {s}'
    o=[]
    n=1
    for dd,s in [(-86400*201,'Event Logging Disabled SEL | Log area reset/cleared | Asserted'),(-86400*200.9,'Power Supply PS2 Status | Failure detected | Asserted'),(-86400*200.8,'Power Supply PS2 Status | Failure detected | Deasserted'),(-86400*64,'System Event #0x01 | OEM System boot event | Asserted'),(-86400*33,'Fan FAN4 | Lower Non-critical going low  | Asserted | Reading 2100 < Threshold 2300 RPM'),(-86400*33+40,'Fan FAN4 | Lower Non-critical going low  | Deasserted | Reading 2500 > Threshold 2300 RPM'),
        (-9210,'Fan FAN4 | Lower Critical going low  | Asserted | Reading 600 < Threshold 1500 RPM'),(-2380,'Temperature CPU2 Temp | Upper Non-critical going high | Asserted | Reading 88 > Threshold 87 degrees C'),(-190,'Temperature CPU2 Temp | Upper Critical going high | Asserted | Reading 95 > Threshold 94 degrees C'),(-2,'Processor CPU2 Status | Thermal Trip | Asserted')]:
        o.append(sel(n,B0+dd,s)); n+=1
    for k in ['01','03','04']:
        hd=f'$ ipmitool -I lanplus -H grafite{k}-bmc -U adm -f /root/.bmc sel elist\n'
        if k=='03': body='\n'.join(o)
        elif k=='01': body='\n'.join([sel(1,f-86400*230,'Event Logging Disabled SEL | Log area reset/cleared | Asserted'),sel(2,f-86400*66,'Power Supply PS1 Status | Power Supply AC lost | Asserted'),sel(3,f-86400*66+7,'Power Supply PS1 Status | Power Supply AC lost | Deasserted')])
        else: body='\n'.join([sel(1,f-86400*150,'Event Logging Disabled SEL | Log area reset/cleared | Asserted'),sel(2,f-7300,'Temperature Inlet Temp | Upper Non-critical going high | Asserted | Reading 33 > Threshold 32 degrees C'),sel(3,f-1200,'Temperature Inlet Temp | Upper Non-critical going high | Deasserted | Reading 32 > Threshold 32 degrees C')])
        w(f'{D}/bmc/{k}.txt',hd+body+'\n',f+40000)
    w(f'{D}/correio.txt',f'''De: Álvaro Leite
Para: informatica@
Assunto: 47730 parou na noite de 11 para 12

Bom dia. A 47730 caiu por volta das {W(f,1)[11:16]} com "stopped sending heartbeats". O grafite03 não responde ao ping nem ao ssh desde então.
O Tomé diz que o batimento de 20 s que pus no código é curto demais e que a rede do armazém engasga de noite, por isso mudei para 60 s.
Podem ligar o 03 outra vez? Do BMC dele tirei o que está em bmc/ (atenção que os relógios dos BMC nunca foram acertados), também o do 01 e do 04. O do 02 não responde, mas esse já não respondia em junho.

sacct -j 47730 -X -o jobid,state,exitcode,end,nodelist
JobID             State ExitCode                 End        NodeList
------------ ---------- -------- ------------------- ---------------
47730         NODE_FAIL      1:0 {W(f+318,1)}  grafite[01-04]
''',f+41000)
    tar('SJM-47730',D,'.tar.gz',top=False,owner=('alvaro',10044))
    truth('SJM-47730','.tar.gz','hardware.thermal',['grafite03','worker:2'],[],'grafite03 lost a fan, overheated and tripped (BMC SEL: fan critical, CPU2 Temp critical, Thermal Trip; BMC clock about six minutes slow), the others report task 2 unhealthy (heartbeats). The short heartbeat and the warehouse network are guesses; inlet warning on grafite04 is harmless.')
if what=='c3':
    D=f'{B}/C/49102'; shutil.rmtree(D,ignore_errors=True); os.makedirs(D)
    raw=[rd(f'{B}/C/raw/c3_{i}') for i in range(3)]
    a,b=stepspan(raw[0],'passo +[0-9]'); T=ep('2026-11-24 18:40:13')+.1
    m=Map(firstts(raw[0]),T,a,b,600)
    for i in range(3): w(f'{D}/saida-{i}.txt',post(raw[i],m,st,subs=subs),m(b)+4)
    s=m(a+(b-a)*.24); e=m(a+(b-a)*.8)
    w(f'{D}/porque.txt',f'''A 49102 levou quase {int((m(b)-T)/3600)+1} h em vez das três do costume. A partir de mais ou menos {W(s)[11:16]} cada passo demora quatro a cinco vezes mais,
e perto das {W(e)[11:16]} volta tudo ao normal sozinho. Nenhum erro em lado nenhum. Vi que o reduce passou de 70 para 300 ms nas três máquinas,
logo é a rede, não? O Tomé jura que ninguém mexeu no switch. Ganglia dessa noite não há (disco cheio no servidor dele).
Alguém sabe ler isto melhor do que eu?   Álvaro
''',m(b)+50000)
    tar('SJM-49102',D,'.tar.xz',owner=('alvaro',10044))
    truth('SJM-49102','.tar.xz','sync.straggler',['grafite02','worker:1'],[],'Hard: a finished but for hours slow run. All ranks show reduce near 300 ms, but only grafite02 has windows with a gradient of 150-300 ms and then a short reduce: it stalls and the others wait in the all-reduce. The network is the writer\'s guess; nothing says why grafite02 was slow.')
    print(W(s),W(e),W(m(b)))
