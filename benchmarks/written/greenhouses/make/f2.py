from f import *
r=load('i2'); P=r['procs']; t0=P[0]['t0']
end=min(p['t1'] for p in P)-t0
c=Clk(t0,'2026-12-03T09:00:11',9,[(9,9),(end-1.2,3597.6)])
d=fresh('i2'); rows=[]
for p in P:
    for t,s,x in p['log']: rows.append((c.m(t),p['node'],c.fix(x)))
    if p['rc']==-12: rows.append((c.m(p['t1'])+.3,p['node'],'/kensa/bin/kick.sh: line 14: %d User defined signal 2   $PY $SRC --steps=20000'%(p['pid']+7000)))
rows.sort(key=lambda q:q[0])
w(d,'log/kensa.884213.err',''.join(f'{n}| {x}\n' for _,n,x in rows))
out='''[kick] 2026/12/03 09:00:09 ジョブ開始 LSB_JOBID=884213 LSB_MCPU_HOSTS="kns101 1 kns102 1 kns107 1 kns108 1"
[kick] TF_CONFIG を生成しました (worker 4 台, port 31200)
[kick] モデル: wafer_edge_v7  データ: /kensa/data/2026w48  担当: 佐伯
[kick] 前回のログ: kensa.883977.out

------------------------------------------------------------
Sender: LSF System <lsfadmin@kns101>
Subject: Job 884213: <kensa_edge_v7> in cluster <kensa_hpc> Exited

Job <kensa_edge_v7> was submitted from host <kns-login2> by user <saeki> in cluster <kensa_hpc> at Thu Dec  3 08:57:40 2026
Job was executed on host(s) <1*kns101>, in queue <short>, as user <saeki> in cluster <kensa_hpc> at Thu Dec  3 09:00:09 2026
                            <1*kns102>
                            <1*kns107>
                            <1*kns108>
</home/saeki> was used as the home directory.
</kensa/run/edge_v7> was used as the working directory.
Started at Thu Dec  3 09:00:09 2026
Terminated at Thu Dec  3 10:00:20 2026
Results reported at Thu Dec  3 10:00:20 2026

Your job looked like:

------------------------------------------------------------
# LSBATCH: User input
#!/bin/bash
#BSUB -J kensa_edge_v7
#BSUB -q short
#BSUB -n 4
#BSUB -R "span[ptile=1]"
#BSUB -o log/kensa.%J.out
#BSUB -e log/kensa.%J.err
blaunch -z "$LSB_HOSTS" /kensa/bin/kick.sh

------------------------------------------------------------

TERM_RUNLIMIT: job killed after reaching LSF run time limit.
Exited with exit code 140.

Resource usage summary:

    CPU time :                                   11873.00 sec.
    Max Memory :                                 2214 MB
    Average Memory :                             2107.33 MB
    Total Requested Memory :                     -
    Delta Memory :                               -
    Max Swap :                                   -
    Max Processes :                              21
    Max Threads :                                188
    Run time :                                   3611 sec.
    Turnaround time :                            3760 sec.

The output (if any) is above this job summary.



PS:

Read file <log/kensa.884213.err> for stderr output of this job.

'''
w(d,'log/kensa.884213.out',out)
w(d,'bhist_884213.txt','''
Job <884213>, Job Name <kensa_edge_v7>, User <saeki>, Project <default>, Command
                     <#!/bin/bash;#BSUB -J kensa_edge_v7;#BSUB -q short;#BSUB -
                     n 4;#BSUB -R "span[ptile=1]";#BSUB -o log/kensa.%J.out;#BS
                     UB -e log/kensa.%J.err;blaunch -z "$LSB_HOSTS" /kensa/bin/
                     kick.sh>
Thu Dec  3 08:57:40: Submitted from host <kns-login2>, to Queue <short>, CWD </
                     kensa/run/edge_v7>, Output File <log/kensa.%J.out>, Error
                     File <log/kensa.%J.err>, 4 Task(s), Requested Resources <s
                     pan[ptile=1]>;
Thu Dec  3 09:00:09: Dispatched 4 Task(s) on Host(s) <kns101> <kns102> <kns107>
                     <kns108>, Allocated 4 Slot(s) on Host(s) <kns101> <kns102>
                     <kns107> <kns108>, Effective RES_REQ <select[type == local
                     ] order[r15s:pg] span[ptile=1] >;
Thu Dec  3 09:00:10: Starting (Pid 40772);
Thu Dec  3 09:00:10: Running with execution home </home/saeki>, Execution CWD <
                     /kensa/run/edge_v7>, Execution Pid <40772>;
Thu Dec  3 10:00:11: Signal <USR2> requested by run limit; 
Thu Dec  3 10:00:20: Exited with exit code 140. The CPU time used is 11873.0 se
                     conds;
Thu Dec  3 10:00:20: Completed <exit>; TERM_RUNLIMIT: job killed after reaching
                     LSF run time limit;

Summary of time in seconds spent in various states by  Thu Dec  3 10:00:20
  PEND     PSUSP    RUN      USUSP    SSUSP    UNKWN    TOTAL
  149      0        3611     0        0        0        3760
''')
w(d,'bqueues_short.txt','''QUEUE: short
  -- 検査グループ 短時間キュー

PARAMETERS/STATISTICS
PRIO NICE STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN SSUSP USUSP  RSV PJOBS
 40    0  Open:Active       -    -    -    -    52     8    44     0     0    0     8
Interval for a host to accept two jobs is 0 seconds

 DEFAULT LIMITS:
 RUNLIMIT
 60.0 min

 MAXIMUM LIMITS:
 RUNLIMIT
 240.0 min
USERS: all
HOSTS:  kns_gpu/
''')
w(d,'メモ.txt','''情シス御中

エッジ検査モデルの学習が今朝また止まりました。kns101 から Socket closed が出て、
他の 3 台も落ちています。kns101 のネットワークでしょうか？
11/27 に kns101 のスイッチポートを交換してもらったばかりです。
ログ一式と bhist を添付します。チェックポイントは /kensa/ckpt に残っています。

佐伯 (検査技術 2 課) 内線 4471
'''.replace('\n','\r\n'),'cp932')
rnd=random.Random(2)
L=[]
b=D.datetime(2026,12,3,8,40)
for k in range(420):
    b+=D.timedelta(seconds=rnd.uniform(2,22))
    if b>D.datetime(2026,12,3,10,6): break
    L.append(b.strftime('%b %e %H:%M:%S')+' kns101 '+rnd.choice(['sshd[%d]: Connection closed by 172.21.5.9 port %d [preauth]'%(rnd.randint(9000,60000),rnd.randint(30000,60000)),'systemd[1]: Started Session %d of user root.'%rnd.randint(200,900),'chronyd[1022]: Selected source 172.21.0.5','CROND[%d]: (root) CMD (/usr/lib64/sa/sa1 1 1)'%rnd.randint(9000,60000),'res[%d]: res/lsfd: keepalive ok'%rnd.randint(2000,9000),'kernel: igb 0000:04:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX/TX' if k==3 else 'systemd-logind[988]: Removed session %d.'%rnd.randint(200,900)]))
w(d,'messages_kns101_1203.txt','\n'.join(L)+'\n')
arc='tsukuba-884213.tar.gz'; pack(d,arc,'edge_v7_1203')
truth('tsukuba-884213',arc,'scheduler.time-limit',None,[],'Job in queue short without -W gets the 60 min default RUNLIMIT; at 09% of 20000 steps LSF sends USR2 and reports TERM_RUNLIMIT, exit 140. kns101 dies a second earlier than the rest, hence the Socket closed errors naming task 0 (false lead), and the replaced switch port is a red herring.')
