from pk import *
d=load('J'); H=['seis5','seis6','seis7','seis8']
subs=[(rf'127\.0\.0\.{11+k}:2191{k}',f'192.168.77.{105+k}:5000') for k in range(4)]+[('/opt/incidents/make/','/home/hakei/jikken/'),('/opt/tfenv','/opt/tf221'),('/root/.pyenv/versions/3.11.7','/opt/python311')]
P=post(d,'2026-01-21T01:10:44+09:00',9,subs); SK=[0,-.6,.8,.1]; files={}; r=R(19)
for i,p in enumerate(d['procs']):
    h=H[i]; x=P.dt(p['t0'])
    files[f'{h}/hakei_{x:%Y%m%d-%H%M%S}.log']=[P.line(l,SK[i],tids([70,2100,9,15020][i])) for t,k,l in sorted(p['lines'],key=lambda q:q[0])]
    io=[f'Linux 5.15.0-130-generic ({h}) \t{x:%Y年%m月%d日} \t_x86_64_\t(32 CPU)','']
    for k in range(12):
        t=x+dt.timedelta(seconds=4*k); slow=i==2
        io+=[f'{t:%H時%M分%S秒}','Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   w_await  aqu-sz  %util',f'sda              {r.uniform(0,3):.2f}     {r.uniform(4,30):.2f}     0.00   0.00    {r.uniform(.2,.9):.2f}     8.10    {r.uniform(1,9):.2f}     {r.uniform(20,90):.2f}      {r.uniform(.3,1):.2f}    0.01   {r.uniform(.2,1.4):.2f}',f'md127          {r.uniform(280,340) if slow else r.uniform(290,380):.2f}  {r.uniform(2000,2600):.2f}     0.00   0.00   {r.uniform(21,29) if slow else r.uniform(.4,.9):.2f}     7.40    0.00      0.00      0.00    {r.uniform(6,9) if slow else r.uniform(.1,.3):.2f}   {r.uniform(96,100) if slow else r.uniform(11,19):.2f}','']
    files[f'{h}/iostat.txt']=io
    files[f'{h}/mdstat.txt']=['Personalities : [raid6] [raid5] [raid4]','md127 : active raid6 sdb[0] sdc[1] sdd[2] sde[3] sdf[4] sdg[5]','      46883348480 blocks super 1.2 level 6, 512k chunk, algorithm 2 [6/6] [UUUUUU]']+(['      [======>..............]  check = 31.4% (3684120832/11720837120) finish=741.2min speed=180712K/sec'] if i==2 else [])+['      bitmap: 0/88 pages [0KB], 65536KB chunk','','unused devices: <none>']
    files[f'{h}/top.txt']=[f'top - {x:%H:%M:%S} up {r.randint(9,200)} days,  3:1{i},  1 user,  load average: {[1.9,17.4,3.1,2.0][i]}, {[1.8,16.9,2.8,1.9][i]}, 1.77','','    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND']+(['  81221 tanaka    39  19  9.1g   4.4g  31204 R  1590   3.4 922:11.20 fdtd3d'] if i==1 else [])+[f'  {p["pid"]+[70,2100,9,15020][i]} hakei     20   0 5918m  602m  211m S   {r.randint(20,60)}.1   0.5   0:21.10 python']
files['報告.txt']='学習が先週（1ステップ 0.03 秒前後）に比べて 5〜7 倍遅い。4台とも同じステップ時間に見えるのでどれが原因か分からない。\nseis6 で田中さんの fdtd3d（nice 19）が走っているので止めてもらうべきか？ エラーは無し、180 ステップは終わる。\n（読込 の列は next(it) の時間。MultiWorker では全台待ち合わせを含みます）\n'
mk('hakei-0121','.tar.bz2',files,'sync.straggler','seis7',[],"No error; all four show the same slow step because next(it) contains an all-reduce. Only seis7's own [reader] lines are slow (tens of ms per event against 1-2 ms elsewhere), its md127 runs a raid check (iostat r_await ~25 ms, 98% util). The niced job on seis6 is a false lead.")
