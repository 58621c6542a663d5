"""Nagoya: Jenkins console, LSF mail with merged output, Redmine ticket with logs from r16, r17, r18."""
import shutil
from lib import *
P=[("/opt/incidents/make/song.py","/proj/saiten/train/song.py"),("/opt/incidents/make/tf1_ps.py","/proj/kyoku/train_dist.py"),("/opt/tfenv","/proj/py/tf221"),("/root/.pyenv/versions/3.11.7","/usr"),("/opt/incidents/work/r17/ck","/lustre/saiten/ck88123"),("/opt/incidents/work/r18/ck","/lustre/kyoku/ck88340"),("/opt/incidents/work/r16","/lustre/saiten"),("piirre/","feat/"),("paa/","head/")]
out=f"{ROOT}/work/out"
def L(t,c): return [(x[0],x[1],ren(c.line(x[2]),P)) for x in sorted(t.lines,key=lambda x:x[0])]

# --- 16: one Jenkins console text
T=load(f"{ROOT}/work/r16/a.jsonl"); base=days_to(2026,7,9,1,22,T[0].start); f=f"{out}/jk"; shutil.rmtree(f,ignore_errors=True)
c0=Clock(base); off={"kos09":0,"kos10":1,"kos11":-8,"kos12":3}; s0=T[0].start; R=[]
def j(x,l): R.append((x,f"[{c0.utc(x).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3]}Z] {l}"))
for k,l in enumerate(["[Pipeline] { (train)","[Pipeline] retry","[Pipeline] {","[Pipeline] parallel","[kos09] + csh -f run_server.csh","[kos12] + ssh kos12 csh -f run_worker.csh 2","[kos12] ssh: connect to host kos12 port 22: Connection refused","[kos12] script returned exit code 255","ERROR: Execution failed","Retrying","[Pipeline] {","[Pipeline] parallel","[kos09] + csh -f run_server.csh","[kos10] + ssh kos10 csh -f run_worker.csh 0","[kos11] + ssh kos11 csh -f run_worker.csh 1","[kos12] + ssh kos12 csh -f run_worker.csh 2"]): j(s0-90+k*(1 if k<9 else 5),l)
for t in T:
    for x,_,l in L(t,Clock(base+off[t.host],9)): j(x,f"[{t.host}] {l}")
    j((t.end or s0)+.5,f"[{t.host}] script returned exit code {1 if t.rc==1 else 137}")
e=max(t.end for t in T)
for k,l in enumerate(["[Pipeline] // parallel","[Pipeline] }","[Pipeline] // retry","[Pipeline] }","[Pipeline] // stage","[Pipeline] End of Pipeline","ERROR: script returned exit code 1","Finished: FAILURE"]): j(e+1+k*.01,l)
R.sort(key=lambda r:r[0])
put(f,"consoleText","Started by timer\nRunning as SYSTEM\n[Pipeline] Start of Pipeline\n"+"\n".join(r for _,r in R))
put(f,"changes.txt","#311 (2026/07/08 18:40)\n  a3f9 演歌メドレーを学習セットに追加 (mori)\n  77b0 GRPC_VERBOSITY を消した (ito)\n#310\n  10cd kos12 の sshd 再起動待ち (ito)\n")
pack(f,"gifu-311.zip","zipflat")
truth("gifu-311","gifu-311.zip","network.grpc-message-size",["kos11","worker:1"],[],"kos11 (worker 1): 'Received message larger than max (4800000 vs. 4194304)' from the feature server's answer for a long song; its exit gives 'Socket closed' to kos10 and kos12. The first attempt failed for ssh to kos12 and was retried; the server's UNAVAILABLE answers were retried with success.")

# --- 17: LSF mail, the output of nine tasks merged by time
T=load(f"{ROOT}/work/r17/a.jsonl"); base=days_to(2026,10,27,15,3,T[0].start); f=f"{out}/lsf88123"; shutil.rmtree(f,ignore_errors=True); rows=[]
for k,t in enumerate(T): rows+=[(x,l) for x,_,l in L(t,Clock(base+(-37 if t.host=="kos06" else k%3),9))]
rows.sort(key=lambda r:r[0]); c=Clock(base,9); z=lambda s:c.local(T[0].start+s).strftime("%a %b %e %H:%M:%S %Y")
put(f,"saiten.88123.out",f"""Sender: LSF System <lsfadmin@kos01>
Subject: Job 88123: <saiten> in cluster <nagoya> Done

Job <saiten> was submitted from host <kosgw> by user <t.mori> in cluster <nagoya> at {z(-40)}
Job was executed on host(s) <1*kos01>, in queue <night>, as user <t.mori> in cluster <nagoya> at {z(-1)}
                            <1*kos02>
                            <1*kos03>
                            <1*kos04>
                            <1*kos05>
                            <1*kos06>
                            <1*kos07>
                            <1*kos08>
                            <1*kos09>
</home/t.mori> was used as the home directory.
</proj/kyoku> was used as the working directory.
Started at {z(-1)}
Terminated at {z(101)}
Results reported at {z(101)}

Your job looked like:

------------------------------------------------------------
# LSBATCH: User input
blaunch -z "kos01 kos02 kos03 kos04 kos05 kos06 kos07 kos08 kos09" /proj/kyoku/one.csh
------------------------------------------------------------

Successfully completed.

Resource usage summary:

    CPU time :                                   311.20 sec.
    Max Memory :                                 5121 MB
    Average Memory :                             4406.30 MB
    Total Requested Memory :                     -
    Max Swap :                                   -
    Max Processes :                              38
    Max Threads :                                402
    Run time :                                   102 sec.
    Turnaround time :                            141 sec.

The output (if any) follows:

"""+"\n".join(l for _,l in rows))
put(f,"bhist.txt",f"""% bhist -u all -n 2 | head
Summary of time in seconds spent in various states:
JOBID   USER    JOB_NAME  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL
88119   k.ito   keydet    12      0       3601    0       0       0       3613
88123   t.mori  saiten    39      0       102     0       0       0       141
% bhist -l 88119 | tail -4
{z(-2400)}: Exited; TERM_RUNLIMIT: job killed after reaching LSF run time limit;
% lfs quota -h /lustre
Filesystem    used   quota   limit   grace   files   quota   limit   grace
   /lustre   9.91T*    9.9T     10T   6d20h  812004       0       0       -
""")
put(f,"mori.txt","88123 の結果、ABORTED とか CreateSession still waiting とか出てますが大丈夫ですか? 伊藤さんのジョブは時間切れだったそうです。\n")
pack(f,"toyota-88123.tgz","gz")
truth("toyota-88123","toyota-88123.tgz","none",None,[],"LSF: 'Successfully completed'; all seven workers print 'training done', both ps end by themselves. Missing wav files are skipped, waiting and ABORTED lines are normal at start and end, the run limit hit k.ito's job 88119, the quota is only near.")

# --- 18: Redmine ticket and logs per host
T=load(f"{ROOT}/work/r18/a.jsonl"); base=days_to(2026,4,22,6,12,T[0].start); f=f"{out}/redmine-6120"; shutil.rmtree(f,ignore_errors=True)
off={"kos01":0,"kos04":-15,"kos05":8,"kos06":2}; c=Clock(base,9)
for t in T: put(f,f"attachments/{t.host}_88340.log","\n".join(l for _,_,l in L(t,Clock(base+off[t.host],9))))
q=lambda s:c.utc(T[0].start+s).strftime("%Y-%m-%dT%H:%M:%SZ")
put(f,"issue.json",json.dumps({"issue":{"id":6120,"project":{"id":14,"name":"kyokuchou"},"status":{"id":1,"name":"新規"},"subject":"88340: kos06 だけ落ちる","author":{"name":"伊藤"},"description":"曲調推定 88340 が exit 1。kos04 と kos05 は training done まで行くが最後に kos06 へ Connection refused。\n前回 (88331) は kos06 のスクラッチ満杯 (No space left on device) で落ちたので掃除済み。","created_on":q(600),
 "attachments":[{"filename":f"{t.host}_88340.log"} for t in T],"journals":[{"user":{"name":"森"},"created_on":q(1400),"notes":"kos06 のスイッチポート、先月交換したばかりなんですけどね。まだ接触悪い?"},{"user":{"name":"伊藤"},"created_on":q(2000),"notes":"wav が無い警告は関係なし。kos06 の dmesg 貼ります\n<pre>\n[388120.501122] mce: [Hardware Error]: Machine check events logged\n[388120.501130] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x7f1a2 offset:0x0 grain:32 syndrome:0x0)\n</pre>"}]}},ensure_ascii=False,indent=2))
put(f,"bacct_88340.txt",f"""Job <88340>, Job Name <kyoku>, User <k.ito>, Project <default>, Status <EXIT>, Queue <day>, Command <blaunch -z "kos01 kos04 kos05 kos06" /proj/kyoku/one.csh>
{c.local(T[0].start+55).strftime('%a %b %e %H:%M:%S')}: Completed <exit>.
     EXITED with exit code 1
""")
pack(f,"mie-6120.tar.xz","xz")
truth("mie-6120","mie-6120.tar.xz","config.device-placement",["kos06","worker:2"],[],"kos06 (worker 2): 'Cannot assign a device for operation ... explicitly assigned to /job:worker/task:2/device:GPU:0' but only CPUs exist. Connection refused to kos06 at the others' end is a consequence; the correctable EDAC error, switch port and full scratch of the earlier job are red herrings.")
