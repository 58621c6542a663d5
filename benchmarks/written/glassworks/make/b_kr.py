from pack import *
import sys
HS=['danji0','danji1','danji2','danji3']
def cap(S,h,n=None): return S.log(f'{h}.out')
def msg():
    S=Set('kimchi-0418','kr_msg','2026-04-18 19:22:08',tz=9)
    for h in HS: S.write(f'out/{h}',cap(S,h))
    S.write('cluster.json',open(f'{A}/runs/kr_msg/kimchi/cluster.json').read())
    S.write('git_log.txt','''commit 3f0c1d7e92a4
Author: 박소연 <soyeon@onggi.kr>
Date:   Fri Apr 17 22:40:11 2026 +0900

    정규화 테이블 구간 세분화 (bins 20000 -> 61000), 배추 품종 3종 추가

commit a81be2046f55
Author: 최민재 <minjae@onggi.kr>
Date:   Thu Apr 9 10:02:53 2026 +0900

    step 로그에 ms 추가
''')
    S.write('메모.txt','''4/18 저녁. pssh -h hosts.txt -o out -i 로 시작했음.
danji1 혼자만 학습하고 있음. 평소보다 손실이 잘 안 내려감 -> step 당 worker 하나뿐이라 그런 듯.
danji2, danji3 은 시작하자마자 죽음. 스위치 바꾼 뒤로 처음 돌려보는 거라 MTU 문제 아닐까? (점보프레임 9000 설정함)
ps(danji0) 쪽 "Local rendezvous is aborting" 경고도 의심됨.
   - 민재
''')
    S.pack('tar czf {o}.tar.gz *',dict(cause='network.grpc-message-size',node=['danji2','danji3','worker:1','worker:2'],notes="After the table grew to 61000 bins (5.9 MB), the gRPC unary call of workers 1 and 2 fails with 'Received message larger than max (5856000 vs. 4194304)'; worker 0 trains alone. The MTU guess and the rendezvous 'Cleanup' warnings are red herrings."))
def idx():
    S=Set('danji-233','kr_idx','2026-07-03 10:11:36',tz=9)
    for h in HS: S.write(f'{h}.out',cap(S,h))
    S.write('tmux-0.txt',"""[minjae@danji0 ~]$ cat hosts.txt
danji0
danji1
danji2
danji3
[minjae@danji0 ~]$ pssh -h hosts.txt -t 0 -o out -I < start.sh
[1] %s [FAILURE] danji3 Exited with error code 1
[2] %s [SUCCESS] danji1
[3] %s [SUCCESS] danji2
^C^C
[minjae@danji0 ~]$ for h in danji1 danji2 danji3; do ssh $h 'hostname; uptime; free -g | head -2'; done
danji1
 10:15:02 up 81 days, 22:10,  0 users,  load average: 1.12, 1.40, 0.71
               total        used        free      shared  buff/cache   available
Mem:              31           4          12           0          14          26
danji2
 10:15:03 up 81 days, 22:10,  0 users,  load average: 1.31, 1.52, 0.78
               total        used        free      shared  buff/cache   available
Mem:              31           4          11           0          15          26
danji3
 10:15:04 up 16:41,  0 users,  load average: 0.04, 0.31, 0.22
               total        used        free      shared  buff/cache   available
Mem:              31           1          28           0           1          29
[minjae@danji0 ~]$ 
"""%tuple(S.loc(S.at('exit '+h),'%H:%M:%S') for h in('danji3','danji1','danji2')))
    S.write('카톡.txt',"""[최민재] [오전 10:16] danji3 또 죽었어요. 어제 저녁에 메인보드 갈고 OS 새로 깐 다음 처음 돌린 거예요
[최민재] [오전 10:16] "probably restarted" 라고 나오는데 진짜 재부팅한 건 어제 오후 5시 반이고요
[박소연] [오전 10:18] 메모리 불량 아냐? 마지막에 UnicodeDecodeError 0x80 나오는 거 보면 바이트가 깨진 것 같은데
[최민재] [오전 10:19] memtest 는 통과했어요
[박소연] [오전 10:21] ps 가 재시작된 건가... danji0 로그도 보내줘
""")
    S.pack('zip -q {o}.zip *',dict(cause='config.task-index',node=['danji3'],notes="danji3 (reinstalled) was started as worker 1 instead of worker 2, so its server says target danji2:23300 and master and device incarnations of task:1 clash; danji3 dies, danji1 and danji2 finish. 'Probably restarted', the UnicodeDecodeError and the memory guess are red herrings.",also=['config.cluster-mismatch']))
def alloc():
    S=Set('onggi-77','kr_alloc','2026-10-21 00:48:30',tz=9)
    for h in HS:
        st=S.loc(S.t0-20,'%Y-%m-%d %H:%M:%S+09:00'); job={'danji0':'ps 0','danji1':'worker 0','danji2':'worker 1','danji3':'worker 2'}[h]
        env='KEEP_BATCHES=160 ' if h=='danji2' else ''
        t=f'Script started on {st} [TERM="tmux-256color" TTY="/dev/pts/{S.R.randint(1,6)}" COLUMNS="211" LINES="55"]\n[kimchi@{h} train]$ {env}STEPS=30000 ../venv/bin/python train.py {job}\n'+S.log(f'{h}.out')
        if h=='danji2': t+=f'[kimchi@{h} train]$ echo $?\n1\n[kimchi@{h} train]$ free -m\n               total        used        free      shared  buff/cache   available\nMem:           31870        3120       19411          33        9338       28296\nSwap:           4095           0        4095\n[kimchi@{h} train]$ dmesg | tail -4\ndmesg: read kernel buffer failed: Operation not permitted\n[kimchi@{h} train]$ ulimit -a | grep -E "open|memory|proc"\nmax locked memory           (kbytes, -l) 8192\nmax memory size             (kbytes, -m) unlimited\nopen files                          (-n) 1024\nmax user processes                  (-u) 127384\nvirtual memory              (kbytes, -v) 4600000\n[kimchi@{h} train]$ exit\n\nScript done on '+S.loc(S.at('exit danji2')+240,'%Y-%m-%d %H:%M:%S+09:00')+' [COMMAND_EXIT_CODE="0"]\n'
        else: t+='^C\n[kimchi@%s train]$ exit\n\nScript done on '%h+S.loc(S.at('still alive at end: '+h)+S.R.randint(20,90),'%Y-%m-%d %H:%M:%S+09:00')+' [COMMAND_EXIT_CODE="130"]\n'
        S.write(f'typescript.{h}',t)
    S.write('README.txt','''10/21 새벽. danji2 만 메모리 부족이라고 나오는데 free 로 보면 28GB 남아 있음 -> RAM 불량이나 단편화 의심.
danji2 는 배치 보관(KEEP_BATCHES, 재현용)을 켜 놓은 유일한 노드이고, 다른 노드는 끔. 지난달에 RAM 교체함.
danji1 의 "Local rendezvous is aborting" 은 늘 나오던 것. 손실은 정상으로 내려갔음.
''')
    S.pack('tar czf {o}.tgz *',dict(cause='resource.host-alloc-failed',node=['danji2','worker:1'],notes="Worker 1 on danji2 keeps every batch (KEEP_BATCHES=160) and hits the address space limit (ulimit -v 4.6 GB): numpy ArrayMemoryError with 28 GB free, no OOM kill. Bad RAM is a wrong guess; the other tasks go on asynchronously until stopped.",also=['user.code-error']))
if __name__=='__main__':
    for f in sys.argv[1:]: globals()[f]()
